"""What runs on a person's own device. Sees campaigns, mechanisms and the person's values; nothing else."""

from privge.device.contribute import Contribution, contribute
from privge.device.ledger import DEFAULT_CAPS, Caps, Ledger
from privge.device.memory import FinishedReport, Memory
from privge.device.patience import Patience

__all__ = ["DEFAULT_CAPS", "Caps", "Contribution", "FinishedReport", "Ledger", "Memory", "Patience", "contribute"]

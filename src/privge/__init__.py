"""privge: graph embeddings from features that never leave the device in the clear."""

from importlib.metadata import version

from privge.campaign import Campaign
from privge.errors import PrivgeError
from privge.reports import Report, Reports

__version__ = version("privge")

__all__ = ["Campaign", "PrivgeError", "Report", "Reports", "__version__"]

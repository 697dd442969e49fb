"""What is there of a dataset, and whether it is what the catalogue says."""

from dataclasses import asdict, dataclass
from typing import Literal

from privge.datasets.cache import DataDirectory, by_hand
from privge.datasets.dataset import Statistics
from privge.datasets.description import DataFile, Description
from privge.datasets.loading import read_dataset
from privge.errors import BadData

State = Literal["ready", "not downloaded", "incomplete", "damaged", "mismatch"]


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a dataset in a folder.

    Parameters
    ----------
    state
        ``mismatch`` means that the files are right and yet turn out to hold something else than the catalogue says.
    statistics
        Figures of the loaded files; None if they could not be loaded.
    missing
        Files that are not there.
    problem
        What is wrong and what to do about it, in words; None if nothing is.
    """

    description: Description
    state: State
    statistics: Statistics | None = None
    missing: tuple[DataFile, ...] = ()
    problem: str | None = None


def inspect(description: Description, directory: DataDirectory) -> Status:
    """Read and check whatever is there; a damaged dataset is a state, not an error."""
    missing = directory.missing(description)
    if missing and len(missing) == len(description.files):
        return Status(description, "not downloaded", missing=missing)
    try:
        if missing:
            for file in set(description.files) - set(missing):
                directory.read_file(description, file)
            problem = f"{description.name}: incomplete; {by_hand(description, directory)}"
            return Status(description, "incomplete", None, missing, problem)
        found = read_dataset(description, directory).statistics
    except BadData as error:
        return Status(description, "damaged", None, missing, str(error))
    difference = _difference(found, description.statistics)
    return Status(
        description,
        "mismatch" if difference else "ready",
        found,
        problem=difference and f"{description.name}: {difference}",
    )


def _difference(found: Statistics, expected: Statistics | None) -> str | None:
    if expected is None or found == expected:
        return None
    wanted = asdict(expected)
    return ", ".join(
        f"{value:,} {name} instead of {wanted[name]:,}"
        for name, value in asdict(found).items()
        if value != wanted[name]
    )

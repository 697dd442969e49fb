"""`Made`: an embedding of collected reports, and how it came about."""

from dataclasses import dataclass, replace
from typing import Any

from privge.embedding.embedding import Embedding


@dataclass(frozen=True, slots=True)
class Made:
    """An embedding of collected reports, and how it came about.

    Parameters
    ----------
    embedding
        The vectors, with their provenance.
    new_reports
        How many reports were added: all of them, unless it is an update.
    updated
        Whether an earlier embedding was updated; otherwise it was made from the beginning.
    """

    embedding: Embedding
    new_reports: int
    updated: bool

    def with_source(self, **changes: Any) -> "Made":  # noqa: ANN401 (fields of `Source`)
        """Return this with something written down about where the reports came from."""
        provenance = self.embedding.provenance.with_source(**changes)
        return replace(self, embedding=replace(self.embedding, provenance=provenance))

    def summary(self) -> dict[str, object]:
        """Return what a machine may want to know of it."""
        if self.embedding.provenance.channels:
            return {"new_reports": self.new_reports, "updated": self.updated}
        source = self.embedding.provenance.source
        return {
            "campaign": source.campaign,
            "store_sequence": source.store_sequence,
            "new_reports": self.new_reports,
            "updated": self.updated,
        }

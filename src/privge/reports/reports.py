"""What devices sent: node ids and output codes, with the campaign they answer.

Whether reports were drawn with a seed stays with them, in memory and on disk: whoever knows or guesses the seed draws
the same noise and takes it away, so such reports are for research and are never collected. A file that does not say,
because it was written before files did, counts as seeded: what was never sent can be drawn again without harm.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Self, overload

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike, NDArray

from privge._files.folder import Folder
from privge._imports import needed
from privge._typing import Codes, Decoding, Floats, Indices
from privge.campaign import Campaign
from privge.campaign.indices import indices_matrix
from privge.errors import BadData
from privge.ids import Ids, RowsById, SeveralIds, as_ids, as_texts, first_repeated, is_node
from privge.mechanisms import Clipped
from privge.reports import answers, files
from privge.reports.checks import check_campaign, checked_codes, codes_of
from privge.reports.report import Report

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Reports:
    """Reports of one campaign, at most one for each node.

    ``reports["ann"]`` is the `Report` of a node, ``reports[["ann", "bob"]]`` are the reports of some, and
    ``"ann" in reports`` says whether a node reported; iteration yields each `Report`. ``np.asarray(reports)`` is the
    matrix of codes.

    Parameters
    ----------
    campaign
        The contract that all of them answer.
    ids
        Node ids, all strings or all integers, each once.
    codes
        Output codes, one row of ``k`` for each node. `indices`, the feature of each code, follow from
        campaign and ids.
    seeded
        Whether some of them were drawn with a seed: repeatable, NOT PRIVATE, and never collected.
    """

    campaign: Campaign
    ids: Ids
    codes: Codes
    indices: Indices
    seeded: bool

    def __init__(
        self,
        campaign: Campaign,
        ids: Sequence[str] | Sequence[int] | Ids,
        codes: NDArray[np.integer],
        *,
        seeded: bool = False,
    ) -> None:
        nodes = as_ids(ids)
        indices = indices_matrix(campaign.id, nodes.tolist(), campaign.dimensions, campaign.k)
        checked = checked_codes(campaign, codes, indices, nodes)
        self._freeze(campaign, nodes, checked, indices, seeded=seeded)

    def _freeze(self, campaign: Campaign, ids: Ids, codes: Codes, indices: Indices, *, seeded: bool) -> None:
        object.__setattr__(self, "campaign", campaign)
        object.__setattr__(self, "seeded", seeded)
        for field, value in (("ids", ids), ("codes", codes), ("indices", indices)):
            frozen = value.view()
            frozen.flags.writeable = False
            object.__setattr__(self, field, frozen)

    @classmethod
    def with_indices(
        cls, campaign: Campaign, ids: Ids, codes: Codes, indices: Indices, *, seeded: bool = False
    ) -> Self:
        """Take arrays that are known to be right, without deriving the indices again or copying."""
        if indices.shape != codes.shape or (
            indices.size and not 0 <= indices.min() <= indices.max() < campaign.dimensions
        ):
            raise ValueError("indices must have the shape of codes and lie below dimensions")
        reports = cls.__new__(cls)
        reports._freeze(campaign, ids, codes, indices, seeded=seeded)  # noqa: SLF001 (its own)
        return reports

    def take(self, rows: NDArray[np.integer]) -> Self:
        """Return the reports of some rows, in that order; each row at most once."""
        ids: Ids = self.ids[rows]
        return self.with_indices(self.campaign, ids, self.codes[rows], self.indices[rows], seeded=self.seeded)

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, node: object) -> bool:
        """Say whether a node reported."""
        return node in self._rows

    @overload
    def __getitem__(self, node: str | int) -> Report: ...

    @overload
    def __getitem__(self, node: SeveralIds) -> Self: ...

    def __getitem__(self, node: str | int | SeveralIds) -> Report | Self:
        """Return the report of a node, or the reports of several, each once; by id, never by position."""
        if is_node(node):
            row = self._rows.row(node)
            return next(iter(self.take(np.array([row]))))
        if isinstance(node, slice | tuple) or not isinstance(node, Iterable):
            raise BadData("reports go by the ids of nodes: reports[id] or reports[[id, id]]; `take` goes by position")
        some = self.take(self._rows.several(node))
        if first_repeated(some.ids) is not None:
            raise BadData("a node is asked for twice, and each has one report")
        return some

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[np.integer]:  # noqa: FBT001 (NumPy's)
        """Return the codes, a row for each report."""
        return np.array(self.codes, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        seeded = ", seeded: not private" if self.seeded else ""
        return f"Reports({len(self):,} of campaign {self.campaign.id[:12]}, k={self.campaign.k}{seeded})"

    def __iter__(self) -> Iterator[Report]:
        for node, codes in zip(self.ids.tolist(), self.codes.tolist(), strict=True):
            yield Report(self.campaign.id, node, tuple(codes), self.seeded)

    @classmethod
    def collect(cls, campaign: Campaign, reports: Iterable[Report]) -> Self:
        """Gather single reports; a report of another campaign is refused."""
        single = list(reports)
        matrix = codes_of(campaign, single)
        seeded = any(answer.seeded for answer in single)
        return cls(campaign, [answer.node for answer in single], matrix, seeded=seeded)  # type: ignore[arg-type]

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join reports of one campaign; a node that appears twice is refused.

        Where some parts have integers for ids and others text, all become text: 17 and "17" are one node.
        """
        if not parts:
            raise ValueError("there is nothing to join")
        for part in parts[1:]:
            check_campaign(parts[0].campaign, part.campaign.id)
        names = [part.ids for part in parts if len(part)] or [parts[0].ids]
        alike = names if len({each.dtype for each in names}) == 1 else list(map(as_texts, names))
        codes, indices = (np.concatenate([getattr(part, name) for part in parts]) for name in ("codes", "indices"))
        seeded = any(part.seeded for part in parts)
        return cls.with_indices(parts[0].campaign, as_ids(np.concatenate(alike)), codes, indices, seeded=seeded)

    def decode(self, decoding: Decoding = "raw", *, clip: float | None = None) -> scipy.sparse.csr_array:
        """Return the perturbed features as a sparse ``n x d`` matrix in normalised units.

        Low bounds are -1 and high bounds 1; what was not sampled is the midpoint 0, as in Algorithm 2.
        Decoding is post-processing and costs no privacy. Answers to questions have a column each, a choice one for
        each value, a direction one for each coordinate (`privge.Campaign.column_names`).

        Parameters
        ----------
        decoding
            ``raw`` as in the paper, or ``unbiased``.
        clip
            Largest magnitude of a coordinate, at least 1, before the factor d/k: bounds what a false report can do
            under a law with long tails. `privge.mechanisms.Clipped` states the bias exactly.
        """
        if self.campaign.questions is not None:
            if clip is not None:
                raise BadData("answers to questions are not clipped")
            return answers.decoded(self, decoding)
        campaign, (n, k) = self.campaign, self.codes.shape
        mechanism = campaign.sampled if clip is None else Clipped(campaign.law, campaign.k, campaign.dimensions, clip)
        values = mechanism.decode(self.codes, decoding).astype(np.float32)
        rows = np.arange(n + 1, dtype=np.int64) * k
        matrix = scipy.sparse.csr_array((values.ravel(), self.indices.ravel(), rows), shape=(n, campaign.dimensions))
        matrix.has_sorted_indices = True
        return matrix

    def log_likelihood(self, question: int | None = None) -> Floats:
        """Return ``log(m P(code | c))`` for each report and each answer c to a question, of m that can be given.

        It is exact, and 0 is what an answer at random would have: also for a class that a person was not asked about,
        and for a person who was not asked the question.

        Parameters
        ----------
        question
            Place of the question in the campaign; None if only one has a few answers.
        """
        return answers.log_likelihood(self, question)

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame of pandas, indexed by node id: a row for each ``feature`` and ``code`` of each report."""
        with needed("a data frame"):
            import pandas as pd

        features, names = self.indices.ravel(), self.campaign.names
        told = features if names is None else np.array(names, dtype=np.object_)[features]
        ids = pd.Index(np.repeat(self.ids, self.campaign.k), name="id")
        return pd.DataFrame({"feature": told, "code": self.codes.ravel()}, index=ids)

    @cached_property
    def _rows(self) -> RowsById:
        return RowsById.of(self.ids, "among those who reported")

    @property
    def digest(self) -> str:
        """SHA-256 of ids, indices and codes."""
        digest = hashlib.sha256("\n".join(map(str, self.ids.tolist())).encode())
        for array in (self.indices, self.codes):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def to_parquet(self, path: str | PathLike[str], *, once: bool = False) -> None:
        """Write ids, indices and codes, with the campaign inside and whether a seed was used; complete or absent.

        Parameters
        ----------
        path
            A path, or an address that fsspec knows.
        once
            Refuse to replace a file that is there (``FileExistsError``), even one that another process wrote meanwhile.
        """
        stored = files.Stored(
            self.campaign, self.ids, self.indices, self.codes, self.seeded, files.seal(self.digest, seeded=self.seeded)
        )
        folder, name = Folder.containing(path)
        with folder.writing(name, once=once) as file:
            files.write(file, stored)

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> Self:
        """Read what `to_parquet` wrote. A file that was changed, even by one bit, is refused by name."""
        try:
            return cls._from_stored(files.read(*Folder.containing(path)))
        except BadData as error:
            raise BadData(f"{fspath(path)}: {error}") from error

    @classmethod
    def _from_stored(cls, stored: files.Stored) -> Self:
        reports = cls(stored.campaign, stored.ids, stored.codes, seeded=stored.seeded is not False)
        wrong = np.flatnonzero((stored.indices != reports.indices).any(axis=1))
        if wrong.size:
            raise BadData(f"row {wrong[0]} has indices that its campaign and id do not give")
        if stored.seal != files.seal(reports.digest, seeded=stored.seeded):
            raise BadData("the reports were changed after they were written: their digest differs")
        return reports

"""What devices sent: node ids and output codes, with the campaign they answer.

Whether reports were drawn with a seed stays with them, in memory and on disk: whoever knows or guesses the seed draws
the same noise and takes it away, so such reports are for research and are never collected. A file that does not say,
because it was written before files did, counts as seeded: what was never sent can be drawn again without harm.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import scipy.sparse
from numpy.typing import NDArray

from privge._folder import Folder
from privge._parquet import opened_parquet, read_parquet
from privge._typing import Codes, Decoding, Indices
from privge.campaign import Campaign
from privge.errors import BadData, CampaignMismatch
from privge.ids import Ids, as_ids, as_texts
from privge.indices import indices_matrix
from privge.mechanisms import Clipped

_CAMPAIGN, _DIGEST, _SEEDED = b"privge.campaign", b"privge.digest", b"privge.seeded"
_MARKS = {b"true": True, b"false": False}


@dataclass(frozen=True, slots=True)
class Report:
    """One person's answer. The indices follow from campaign and node, so only codes are sent."""

    campaign_id: str
    node: str | int
    codes: tuple[int, ...]
    seeded: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Reports:
    """Reports of one campaign, at most one for each node.

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
        self._freeze(campaign, nodes, _checked_codes(campaign, codes, len(nodes)), indices, seeded=seeded)

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

    def __repr__(self) -> str:
        seeded = ", seeded: not private" if self.seeded else ""
        return f"Reports({len(self):,} of campaign {self.campaign.id[:12]}, k={self.campaign.k}{seeded})"

    def __iter__(self) -> Iterator[Report]:
        for node, codes in zip(self.ids.tolist(), self.codes.tolist(), strict=True):
            yield Report(self.campaign.id, node, tuple(codes), self.seeded)

    @classmethod
    def collect(cls, campaign: Campaign, reports: Iterable[Report]) -> Self:
        """Gather single reports; a report of another campaign is refused."""
        answers = list(reports)
        for answer in answers:
            _same_campaign(campaign, answer.campaign_id)
        if any(len(answer.codes) != campaign.k for answer in answers):
            raise BadData(f"every report of this campaign has {campaign.k} codes")
        for row, answer in enumerate(answers):
            if not all(type(code) is int and 0 <= code < campaign.law.outputs for code in answer.codes):
                raise BadData(f"row {row}: codes must be integers from 0 to {campaign.law.outputs - 1}")
        matrix = np.array([answer.codes for answer in answers], dtype=np.int64).reshape(len(answers), campaign.k)
        seeded = any(answer.seeded for answer in answers)
        return cls(campaign, [answer.node for answer in answers], matrix, seeded=seeded)  # type: ignore[arg-type]

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join reports of one campaign; a node that appears twice is refused.

        Where some parts have integers for ids and others text, all become text: 17 and "17" are one node.
        """
        if not parts:
            raise ValueError("there is nothing to join")
        for part in parts[1:]:
            _same_campaign(parts[0].campaign, part.campaign.id)
        names = [part.ids for part in parts if len(part)] or [parts[0].ids]
        alike = names if len({each.dtype for each in names}) == 1 else list(map(as_texts, names))
        codes, indices = (np.concatenate([getattr(part, name) for part in parts]) for name in ("codes", "indices"))
        seeded = any(part.seeded for part in parts)
        return cls.with_indices(parts[0].campaign, as_ids(np.concatenate(alike)), codes, indices, seeded=seeded)

    def decode(self, decoding: Decoding = "raw", *, clip: float | None = None) -> scipy.sparse.csr_array:
        """Return the perturbed features as a sparse ``n x d`` matrix in normalised units.

        Low bounds are -1 and high bounds 1; what was not sampled is the midpoint 0, as in Algorithm 2.
        Decoding is post-processing and costs no privacy.

        Parameters
        ----------
        decoding
            ``raw`` as in the paper, or ``unbiased``.
        clip
            Largest magnitude of a coordinate, at least 1, before the factor d/k: bounds what a false report can do
            under a law with long tails. `privge.mechanisms.Clipped` states the bias exactly.
        """
        campaign, (n, k) = self.campaign, self.codes.shape
        mechanism = campaign.sampled if clip is None else Clipped(campaign.law, campaign.k, campaign.dimensions, clip)
        values = mechanism.decode(self.codes, decoding).astype(np.float32)
        rows = np.arange(n + 1, dtype=np.int64) * k
        matrix = scipy.sparse.csr_array((values.ravel(), self.indices.ravel(), rows), shape=(n, campaign.dimensions))
        matrix.has_sorted_indices = True
        return matrix

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
        k = self.campaign.k
        table = pa.table(
            {
                "id": pa.array(self.ids, type=pa.int64() if self.ids.dtype == np.int64 else pa.string()),
                "indices": pa.FixedSizeListArray.from_arrays(pa.array(self.indices.ravel()), k),
                "codes": pa.FixedSizeListArray.from_arrays(pa.array(self.codes.ravel()), k),
            },
            metadata={
                _CAMPAIGN: self.campaign.to_json().encode(),
                _SEEDED: b"true" if self.seeded else b"false",
                _DIGEST: _seal(self, seeded=self.seeded),
            },
        )
        folder, name = Folder.containing(path)
        with folder.writing(name, once=once) as file:
            pq.write_table(table, file, compression="zstd")

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> Self:
        """Read what `to_parquet` wrote. A file that was changed, even by one bit, is refused by name."""
        folder, name = Folder.containing(path)
        try:
            return cls._from_table(read_parquet(folder, name))
        except FileNotFoundError:
            raise
        except (pa.ArrowException, OSError, BadData) as error:
            raise BadData(f"{fspath(path)}: {error}") from error

    @classmethod
    def _from_table(cls, table: pa.Table) -> Self:
        metadata = table.schema.metadata or {}
        absent = [name for name in ("id", "indices", "codes") if table.column_names.count(name) != 1]
        absent += [key.decode() for key in (_CAMPAIGN, _DIGEST) if key not in metadata]
        if absent:
            raise BadData(f"this is no file of reports: {', '.join(absent)} is missing")
        campaign = Campaign.from_json(metadata[_CAMPAIGN])
        types = [table.schema.field(name).type for name in ("id", "indices", "codes")]
        expected = [pa.list_(pa.int32(), campaign.k), pa.list_(pa.uint16(), campaign.k)]
        if types[0] not in (pa.int64(), pa.string()) or types[1:] != expected:
            raise BadData(f"the columns hold {', '.join(map(str, types))}, which are no ids, indices and codes")
        indices, codes = (_rows(table[name], campaign.k) for name in ("indices", "codes"))
        seeded = _mark(metadata)
        reports = cls(campaign, table["id"].to_numpy(), codes, seeded=seeded is not False)
        wrong = np.flatnonzero((indices != reports.indices).any(axis=1))
        if wrong.size:
            raise BadData(f"row {wrong[0]} has indices that its campaign and id do not give")
        if metadata[_DIGEST] != _seal(reports, seeded=seeded):
            raise BadData("the reports were changed after they were written: their digest differs")
        return reports


class Header(NamedTuple):
    """What a file of reports says of them: their campaign, their digest, and whether they count as seeded."""

    campaign: Campaign
    digest: str
    seeded: bool


def header_of(folder: Folder, name: str) -> Header:
    """Return what a file of reports says of them; none of them is read."""
    try:
        with opened_parquet(folder, name) as (parquet, _):
            metadata = parquet.schema_arrow.metadata or {}
        seeded = _mark(metadata) is not False
        return Header(Campaign.from_json(metadata[_CAMPAIGN]), metadata[_DIGEST].decode(), seeded)
    except KeyError as error:
        raise BadData(f"{folder.file(name)}: this is no file of reports: it has no campaign") from error
    except (pa.ArrowException, OSError, BadData) as error:
        raise BadData(f"{folder.file(name)}: {error}") from error


def _mark(metadata: Mapping[bytes, bytes]) -> bool | None:
    """Return whether a file says that its reports were drawn with a seed; None if it was written before files did."""
    if _SEEDED not in metadata:
        return None
    if metadata[_SEEDED] not in _MARKS:
        raise BadData("the file does not say in words that are known whether a seed was used")
    return _MARKS[metadata[_SEEDED]]


def _seal(reports: Reports, *, seeded: bool | None) -> bytes:
    """Return the digest that a file carries: of the reports and of the mark, if there is one."""
    if seeded is None:
        return reports.digest.encode()
    return hashlib.sha256(f"{reports.digest} {'seeded' if seeded else 'private'}".encode()).hexdigest().encode()


def _checked_codes(campaign: Campaign, codes: NDArray[np.integer], rows: int) -> Codes:
    matrix = np.asarray(codes)
    if matrix.shape != (rows, campaign.k) or matrix.dtype.kind not in "iu":
        raise BadData(f"codes must be integers of shape {(rows, campaign.k)}, got {matrix.dtype} {matrix.shape}")
    wrong = np.flatnonzero(((matrix < 0) | (matrix >= campaign.law.outputs)).any(axis=1))
    if wrong.size:
        raise BadData(f"row {wrong[0]} has a code outside 0..{campaign.law.outputs - 1}")
    return matrix.astype(np.uint16)


def _same_campaign(campaign: Campaign, other: str) -> None:
    if other != campaign.id:
        raise CampaignMismatch(f"a report answers campaign {str(other)[:12]}, not {campaign.id[:12]}")


def _rows(column: pa.ChunkedArray, k: int) -> NDArray[np.integer]:
    if column.null_count:
        raise BadData("a row is empty")
    flat: NDArray[np.integer] = pc.list_flatten(column).to_numpy()
    return flat.reshape(-1, k)

"""What devices sent: node ids and output codes, with the campaign they answer."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import scipy.sparse
from numpy.typing import NDArray

from privge._folder import Folder
from privge._typing import Codes, Decoding, Indices
from privge.campaign import Campaign
from privge.errors import BadData, CampaignMismatch
from privge.ids import Ids, as_ids
from privge.indices import indices_matrix

_CAMPAIGN, _DIGEST = b"privge.campaign", b"privge.digest"


@dataclass(frozen=True, slots=True)
class Report:
    """One person's answer. The indices follow from campaign and node, so only codes are sent."""

    campaign_id: str
    node: str | int
    codes: tuple[int, ...]


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
    """

    campaign: Campaign
    ids: Ids
    codes: Codes
    indices: Indices

    def __init__(
        self, campaign: Campaign, ids: Sequence[str] | Sequence[int] | Ids, codes: NDArray[np.integer]
    ) -> None:
        nodes = as_ids(ids)
        indices = indices_matrix(campaign.id, nodes.tolist(), campaign.dimensions, campaign.k)
        self._freeze(campaign, nodes, _checked_codes(campaign, codes, len(nodes)), indices)

    def _freeze(self, campaign: Campaign, ids: Ids, codes: Codes, indices: Indices) -> None:
        object.__setattr__(self, "campaign", campaign)
        for field, value in (("ids", ids), ("codes", codes), ("indices", indices)):
            frozen = value.view()
            frozen.flags.writeable = False
            object.__setattr__(self, field, frozen)

    @classmethod
    def with_indices(cls, campaign: Campaign, ids: Ids, codes: Codes, indices: Indices) -> Self:
        """Take arrays that are known to be right, without deriving the indices again or copying."""
        if indices.shape != codes.shape or (
            indices.size and not 0 <= indices.min() <= indices.max() < campaign.dimensions
        ):
            raise ValueError("indices must have the shape of codes and lie below dimensions")
        reports = cls.__new__(cls)
        reports._freeze(campaign, ids, codes, indices)  # noqa: SLF001 (its own)
        return reports

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Reports({len(self):,} of campaign {self.campaign.id[:12]}, k={self.campaign.k})"

    def __iter__(self) -> Iterator[Report]:
        for node, codes in zip(self.ids.tolist(), self.codes.tolist(), strict=True):
            yield Report(self.campaign.id, node, tuple(codes))

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
        return cls(campaign, [answer.node for answer in answers], matrix)  # type: ignore[arg-type]

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Join reports of one campaign; a node that appears twice is refused."""
        if not parts:
            raise ValueError("there is nothing to join")
        for part in parts[1:]:
            _same_campaign(parts[0].campaign, part.campaign.id)
        ids = as_ids(node for part in parts for node in part.ids.tolist())
        codes, indices = (np.concatenate([getattr(part, name) for part in parts]) for name in ("codes", "indices"))
        return cls.with_indices(parts[0].campaign, ids, codes, indices)

    def decode(self, decoding: Decoding = "raw") -> scipy.sparse.csr_array:
        """Return the perturbed features as a sparse ``n x d`` matrix in normalised units.

        Low bounds are -1 and high bounds 1; what was not sampled is the midpoint 0, as in Algorithm 2.
        Decoding is post-processing and costs no privacy.
        """
        campaign, (n, k) = self.campaign, self.codes.shape
        values = campaign.sampled.decode(self.codes, decoding).astype(np.float32)
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
        """Write ids, indices and codes, with the campaign inside; the file is complete or absent.

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
            metadata={_CAMPAIGN: self.campaign.to_json().encode(), _DIGEST: self.digest.encode()},
        )
        folder, name = Folder.containing(path)
        with folder.writing(name, once=once) as file:
            pq.write_table(table, file, compression="zstd")

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> Self:
        """Read what `to_parquet` wrote. A file that was changed, even by one bit, is refused by name."""
        folder, name = Folder.containing(path)
        try:
            with folder.reading(name) as file:
                return cls._from_table(pq.read_table(file))
        except FileNotFoundError:
            raise
        except (pa.ArrowException, OSError, BadData) as error:
            raise BadData(f"{fspath(path)}: {error}") from error

    @classmethod
    def _from_table(cls, table: pa.Table) -> Self:
        metadata = table.schema.metadata or {}
        absent = [name for name in ("id", "indices", "codes") if name not in table.column_names]
        absent += [key.decode() for key in (_CAMPAIGN, _DIGEST) if key not in metadata]
        if absent:
            raise BadData(f"this is no file of reports: {', '.join(absent)} is missing")
        campaign = Campaign.from_json(metadata[_CAMPAIGN])
        types = [table.schema.field(name).type for name in ("id", "indices", "codes")]
        expected = [pa.list_(pa.int32(), campaign.k), pa.list_(pa.uint16(), campaign.k)]
        if types[0] not in (pa.int64(), pa.string()) or types[1:] != expected:
            raise BadData(f"the columns hold {', '.join(map(str, types))}, which are no ids, indices and codes")
        indices, codes = (_rows(table[name], campaign.k) for name in ("indices", "codes"))
        reports = cls(campaign, table["id"].to_numpy(), codes)
        wrong = np.flatnonzero((indices != reports.indices).any(axis=1))
        if wrong.size:
            raise BadData(f"row {wrong[0]} has indices that its campaign and id do not give")
        if reports.digest.encode() != metadata[_DIGEST]:
            raise BadData("the reports were changed after they were written: their digest differs")
        return reports


def header_of(folder: Folder, name: str) -> tuple[Campaign, str]:
    """Return the campaign inside a file of reports and the digest of the reports, of which nothing is read."""
    try:
        with folder.reading(name) as file:
            metadata = pq.read_schema(file).metadata or {}
        return Campaign.from_json(metadata[_CAMPAIGN]), metadata[_DIGEST].decode()
    except KeyError as error:
        raise BadData(f"{folder.file(name)}: this is no file of reports: it has no campaign") from error
    except (pa.ArrowException, OSError, BadData) as error:
        raise BadData(f"{folder.file(name)}: {error}") from error


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

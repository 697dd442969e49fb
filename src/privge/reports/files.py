"""Reports in Parquet, with the campaign they answer and a digest of everything."""

import base64
import hashlib
from collections.abc import Mapping
from typing import BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from privge._files.folder import Folder
from privge._files.parquet import opened_parquet, read_parquet
from privge.campaign import Campaign
from privge.errors import BadData
from privge.ids import Ids

_CAMPAIGN, _DIGEST, _SEEDED = b"privge.campaign", b"privge.digest", b"privge.seeded"
_ASSIGNMENT = b"privge.assignment"  # shards one after the other; the campaign names each by its hash


_MARKS = {b"true": True, b"false": False}


class Stored(NamedTuple):
    """What a file of reports holds: the campaign, a row for each report, whether a seed was used, and the seal.

    The arrays are as they were read: whether they suit the campaign and each other is seen by `privge.Reports`.
    """

    campaign: Campaign
    ids: Ids
    indices: NDArray[np.integer]
    codes: NDArray[np.integer]
    seeded: bool | None
    seal: bytes


def write(file: BinaryIO, stored: Stored) -> None:
    """Write reports as Parquet."""
    k = stored.campaign.k
    table = pa.table(
        {
            "id": pa.array(stored.ids, type=pa.int64() if stored.ids.dtype == np.int64 else pa.string()),
            "indices": pa.FixedSizeListArray.from_arrays(pa.array(stored.indices.ravel()), k),
            "codes": pa.FixedSizeListArray.from_arrays(pa.array(stored.codes.ravel()), k),
        },
        metadata={
            _CAMPAIGN: stored.campaign.to_json().encode(),
            _SEEDED: b"true" if stored.seeded else b"false",
            _DIGEST: stored.seal,
            **_assignment(stored.campaign),
        },
    )
    pq.write_table(table, file, compression="zstd")


def read(folder: Folder, name: str) -> Stored:
    """Read a file of reports; one that does not even look like it is refused."""
    try:
        return _stored(read_parquet(folder, name))
    except FileNotFoundError:
        raise
    except pa.ArrowInvalid as error:
        raise BadData(f"this is not a file of reports, as devices or `privge perturb` make them ({error})") from error
    except (pa.ArrowException, OSError) as error:
        raise BadData(str(error)) from error


def _stored(table: pa.Table) -> Stored:
    metadata = table.schema.metadata or {}
    absent = [name for name in ("id", "indices", "codes") if table.column_names.count(name) != 1]
    absent += [key.decode() for key in (_CAMPAIGN, _DIGEST) if key not in metadata]
    if absent:
        raise BadData(f"this is not a file of reports: {', '.join(absent)} is missing")
    campaign = _campaign(metadata)
    types = [table.schema.field(name).type for name in ("id", "indices", "codes")]
    expected = [pa.list_(pa.int32(), campaign.k), pa.list_(pa.uint16(), campaign.k)]
    if types[0] not in (pa.int64(), pa.string()) or types[1:] != expected:
        raise BadData(f"the columns hold {', '.join(map(str, types))}, which are not ids, indices and codes")
    indices, codes = (_rows(table[name], campaign.k) for name in ("indices", "codes"))
    return Stored(campaign, table["id"].to_numpy(), indices, codes, _mark(metadata), metadata[_DIGEST])


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
        return Header(_campaign(metadata), metadata[_DIGEST].decode(), seeded)
    except KeyError as error:
        raise BadData(f"{folder.file(name)}: this is not a file of reports: it has no campaign") from error
    except (pa.ArrowException, OSError, BadData) as error:
        raise BadData(f"{folder.file(name)}: {error}") from error


def _assignment(campaign: Campaign) -> dict[bytes, bytes]:
    """Return the shards of a campaign that assigns classes, so that whoever has the reports can decode them."""
    if campaign.assignment is None or not campaign.assignment.complete:
        return {}
    shards = [campaign.assignment.shards[number] for number in range(len(campaign.assignment.digests))]
    lengths = b"".join(len(shard).to_bytes(4, "little") for shard in shards)
    return {_ASSIGNMENT: base64.b64encode(lengths + b"".join(shards))}


def _campaign(metadata: Mapping[bytes, bytes]) -> Campaign:
    campaign = Campaign.from_json(metadata[_CAMPAIGN])
    if campaign.assignment is None or _ASSIGNMENT not in metadata:
        return campaign
    count, packed = len(campaign.assignment.digests), base64.b64decode(metadata[_ASSIGNMENT])
    lengths = np.frombuffer(packed[: 4 * count], dtype="<u4").astype(np.int64)
    ends = 4 * count + np.cumsum(lengths)
    shards = {number: packed[ends[number] - lengths[number] : ends[number]] for number in range(len(lengths))}
    return campaign.with_assignment(campaign.assignment.with_shards(shards))


def _mark(metadata: Mapping[bytes, bytes]) -> bool | None:
    """Return whether a file says that its reports were drawn with a seed; None if it was written before files did."""
    if _SEEDED not in metadata:
        return None
    if metadata[_SEEDED] not in _MARKS:
        raise BadData("the file does not say in words that are known whether a seed was used")
    return _MARKS[metadata[_SEEDED]]


def seal(digest: str, *, seeded: bool | None) -> bytes:
    """Return what a file carries to be checked by: the digest of the reports and of the mark, if there is one."""
    if seeded is None:
        return digest.encode()
    return hashlib.sha256(f"{digest} {'seeded' if seeded else 'private'}".encode()).hexdigest().encode()


def _rows(column: pa.ChunkedArray, k: int) -> NDArray[np.integer]:
    if column.null_count:
        raise BadData("a row is empty")
    flat: NDArray[np.integer] = pc.list_flatten(column).to_numpy()
    return flat.reshape(-1, k)

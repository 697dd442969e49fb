"""The people of ``privge submit``: from one file, or piece by piece from a folder of them; and their tokens."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import click
import pyarrow as pa
import pyarrow.parquet as pq

from privge._folder import Folder
from privge.cli.options import existing, in_parts, naming
from privge.device.outbox import Outbox
from privge.errors import BadData
from privge.graph import read_features, read_ids
from privge.graph.columns import read_table
from privge.graph.readers import read_feature_names, read_features_part
from privge.ids import Ids
from privge.parts import ReportParts
from privge.reports import Reports
from privge.simulation import feature_files
from privge.tables import Features, remark_extra, remark_order

TokenOf: TypeAlias = Callable[[str | int], str]

_HOUR = 3_600


@dataclass(frozen=True)
class Piece:
    """Some of the people.

    Parameters
    ----------
    place
        The file they come from, for messages.
    people
        Their features, for whom to draw; or their finished reports.
    total
        How many people there are in all pieces.
    tokens
        Their tokens, if those stand beside the features.
    """

    place: str
    people: Features | Reports
    total: int
    tokens: Sequence[object] | None = None

    @property
    def ids(self) -> Ids:
        """Who they are."""
        return self.people.ids

    def keep(self, outbox: Outbox) -> int:
        """Put a report of each of them into the outbox; return how many were drawn."""
        with naming(self.place):
            if isinstance(self.people, Features):
                return outbox.draw(self.people.matrix, self.ids)
            outbox.take(self.people)
            return 0


def feature_pieces(place: str, wanted: Sequence[str] | None) -> Iterator[Piece]:
    """Read private features, one file at a time: the wanted columns; without names those of the first file."""
    click.echo("Simulating the devices: this reads everybody's private features.", err=True)
    if not in_parts(place):
        features = read_features(Path(place), leave_out=("token",), wanted=wanted)
        if wanted is None and features.names is not None:
            remark_order(features.names)
        yield Piece(place, features, len(features.ids), _tokens_in_file(Path(place)))
        return
    folder = Folder(place)
    names = feature_files(folder)
    total = sum(_length(folder, name) for name in names)
    columns = [column for column in read_feature_names(folder, names[0]) if column != "token"]
    if wanted is None:
        remark_order(columns)
    else:
        remark_extra([column for column in columns if column not in set(wanted)])
    for name in names:
        features = read_features_part(folder, name, leave_out=("token",), wanted=columns if wanted is None else wanted)
        yield Piece(folder.file(name), features, total, _tokens_in_part(folder, name))


def report_pieces(place: str) -> Iterator[Piece]:
    """Read finished reports, one file at a time."""
    if not in_parts(place):
        reports = Reports.from_parquet(existing(Path(place)))
        yield Piece(place, reports, len(reports))
        return
    parts = ReportParts.open(place)
    for i, name in enumerate(parts.names):
        yield Piece(parts.folder.file(name), parts.read(i), parts.reports)


def token_source(campaign: str, keys_file: Path | None, tokens_path: Path | None) -> Callable[[Piece], TokenOf]:
    """Return what gives the people of a piece their tokens: a table that has them, or the platform's key."""
    table = None
    if keys_file is None and tokens_path is not None and (column := _tokens_in_file(tokens_path)) is not None:
        table = _lookup(str(tokens_path), read_ids(tokens_path), column)

    def source(piece: Piece) -> TokenOf:
        if table is not None:
            return table
        if keys_file is None and piece.tokens is not None:
            return _lookup(piece.place, piece.ids, piece.tokens)
        return _minting(campaign, keys_file)

    return source


def _minting(campaign: str, keys_file: Path | None) -> TokenOf:
    from privge.collect.service.credentials import read_keys
    from privge.collect.tokens import mint

    key = read_keys(keys_file)[0]
    return lambda node: mint(key, node=node, campaign=campaign, expires=int(time.time()) + _HOUR)


def _lookup(place: str, ids: Ids, column: Sequence[object]) -> TokenOf:
    tokens = dict(zip(map(str, ids.tolist()), column, strict=True))

    def token_of(node: str | int) -> str:
        if not (token := tokens.get(str(node))):
            raise BadData(f"{place}: there is no token for one of the nodes")
        return str(token)

    return token_of


def _tokens_in_file(path: Path) -> list[object] | None:
    if path.suffix == ".npz":
        return None
    table = read_table(path)
    return table["token"].to_pylist() if "token" in table.column_names else None


def _tokens_in_part(folder: Folder, name: str) -> list[object] | None:
    with folder.reading(name) as file:
        parquet = pq.ParquetFile(file)
        if "token" not in parquet.schema_arrow.names:
            return None
        return parquet.read(columns=["token"])["token"].to_pylist()  # type: ignore[no-any-return]


def _length(folder: Folder, name: str) -> int:
    try:
        with folder.reading(name) as file:
            return int(pq.read_metadata(file).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{folder.file(name)}: no Parquet file ({error})") from error

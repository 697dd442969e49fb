"""The people of ``privge submit``: from one file, or piece by piece from a folder of them; and their tokens.

A token speaks for the node that is written in it. Where tokens stand in a table, each must name the node of its row:
else the report of one person would be stored as another's.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypedDict

import click
import numpy as np
from numpy.typing import NDArray

from privge._files.columns import ids_of
from privge._files.folder import Folder
from privge._files.formats import MATRICES
from privge._files.parquet import opened_parquet, read_parquet
from privge._files.tables import line_of, read_table, reading
from privge.campaign import Campaign
from privge.cli.ids import IdOptions
from privge.cli.options import existing, in_parts, naming
from privge.device.outbox import Outbox
from privge.errors import BadData, PrivacyViolation
from privge.ids import Ids, node_key
from privge.perturbation import read_features
from privge.perturbation.columns import remark_extra, remark_order
from privge.perturbation.feature_files import read_feature_names, read_features_part
from privge.perturbation.features import Features
from privge.perturbation.raw import RawFeatures, read_raw_features, read_raw_part
from privge.perturbation.simulate_parts import feature_files
from privge.reports import Reports
from privge.reports.parts import ReportParts
from privge.wire.tokens import TokenOf, mint, node_of

_HOUR = 3_600


class _Ids(TypedDict):
    """How the ids of a file are read."""

    integer_ids: bool
    id_column: str


@dataclass(frozen=True)
class Piece:
    """Some of the people: those of one file, of which a folder has many.

    One piece is in memory at a time.

    Parameters
    ----------
    place
        The file they come from, for messages.
    people
        Their features, for whom to draw; or their finished reports.
    total
        How many people there are in all pieces.
    tokens
        Their tokens by node, if those stand beside the features and count.
    """

    place: str
    people: Features | RawFeatures | Reports
    total: int
    tokens: Mapping[str, str] | None = None

    @property
    def ids(self) -> Ids:
        """Who they are."""
        return self.people.ids

    def keep(self, outbox: Outbox, rows: NDArray[np.int64]) -> int:
        """Put a report of some of them into the outbox; return how many were drawn."""
        with naming(self.place):
            if not isinstance(self.people, Reports):
                return outbox.draw(self.people.matrix[rows], self.ids[rows])
            try:
                outbox.take(self.people.take(rows))
            except PrivacyViolation as error:
                raise PrivacyViolation(f"{self.place}: {error}") from error
            return 0


def feature_pieces(place: str, campaign: Campaign, ids: IdOptions, *, beside: bool) -> Iterator[Piece]:
    """Read private features, one file at a time.

    Parameters
    ----------
    place
        A file, or a folder of Parquet files.
    campaign
        Whose columns are taken, in its order; without names, those of the first file.
    ids
        How the ids of a file are read.
    beside
        Whether tokens beside the features count: all are checked before there is a first piece.
    """
    wanted = campaign.raw_names
    click.echo("Simulating the devices: this reads everybody's private features.", err=True)
    if not in_parts(place):
        tokens = _tokens_in_file(Path(place), campaign.id, ids.column_in("batch")) if beside else None
        features = _in_file(Path(place), campaign, ids)
        yield Piece(place, features, len(features.ids), tokens)
        return
    folder = Folder(place)
    names = feature_files(folder)
    if beside:
        for name in names:
            _tokens_in_part(folder, name, campaign.id)
    total = sum(_length(folder, name) for name in names)
    columns = [column for column in read_feature_names(folder, names[0]) if column != "token"]
    if wanted is None:
        remark_order(columns)
    else:
        remark_extra([column for column in columns if column not in set(wanted)])
    for name in names:
        tokens = _tokens_in_part(folder, name, campaign.id) if beside else None
        yield Piece(folder.file(name), _in_part(folder, name, campaign, columns), total, tokens)


def _in_file(path: Path, campaign: Campaign, ids: IdOptions) -> Features | RawFeatures:
    how: _Ids = {"integer_ids": ids.integer_ids, "id_column": ids.column_in("batch")}
    if campaign.questions is not None:
        return read_raw_features(path, campaign, leave_out=("token",), **how)
    features = read_features(path, leave_out=("token",), wanted=campaign.names, **how)
    if campaign.names is None and features.names is not None:
        remark_order(features.names)
    return features


def _in_part(folder: Folder, name: str, campaign: Campaign, columns: Sequence[str]) -> Features | RawFeatures:
    if campaign.questions is not None:
        return read_raw_part(folder, name, campaign, leave_out=("token",))
    return read_features_part(folder, name, leave_out=("token",), wanted=campaign.names or columns)


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
    if tokens_path is not None:
        table = _tokens_in_file(tokens_path, campaign)
        if table is None:
            raise BadData(f"{tokens_path}: there is no column 'token'")
        return lambda _: partial(_look_up, str(tokens_path), table)

    def source(piece: Piece) -> TokenOf:
        if piece.tokens is not None:
            return partial(_look_up, piece.place, piece.tokens)
        return _minting(campaign, keys_file)

    return source


def _minting(campaign: str, keys_file: Path | None) -> TokenOf:
    from privge.collect.service.credentials import read_keys

    key = read_keys(keys_file)[0]
    return lambda node: mint(key, node=node, campaign=campaign, expires=int(time.time()) + _HOUR)


def _look_up(place: str, tokens: Mapping[str, str], node: str | int) -> str:
    if str(node) not in tokens:
        raise BadData(f"{place}: there is no token for one of the nodes")
    return tokens[str(node)]


def _tokens_in_file(path: Path, campaign: str, id_column: str = "id") -> dict[str, str] | None:
    if path.suffix in MATRICES:
        return None
    table = read_table(path, text=[id_column, "token"])
    if "token" not in table.column_names:
        return None
    line = partial(line_of, path, header=True)
    return _checked(
        ids_of(table, path, integer_ids=False, name=id_column).tolist(), table["token"].to_pylist(), campaign, line
    )


def _tokens_in_part(folder: Folder, name: str, campaign: str) -> dict[str, str] | None:
    with reading(f"{folder.file(name)}: not a Parquet file"):
        with opened_parquet(folder, name) as (parquet, _):
            if not {"id", "token"} <= set(parquet.schema_arrow.names):
                return None
        table = read_parquet(folder, name, ["id", "token"])
    ids, tokens = (table[column].to_pylist() for column in ("id", "token"))
    return _checked(ids, tokens, campaign, lambda row: f"{folder.file(name)}, row {row + 1}")


def _checked(
    ids: Iterable[object], tokens: Iterable[object], campaign: str, line: Callable[[int], str]
) -> dict[str, str]:
    """Return tokens by node; one that is not a token, or that names another node than its row, is refused by line."""
    checked: dict[str, str] = {}
    for row, (node, token) in enumerate(zip(ids, tokens, strict=True)):
        if not isinstance(token, str) or not token.strip():
            raise BadData(f"{line(row)}: there is no token")
        try:
            same = node_key(node_of(token, campaign)) == node_key(node)
        except (BadData, TypeError, ValueError) as error:
            raise BadData(f"{line(row)}: {error}") from error
        if not same:
            raise BadData(f"{line(row)}: the token is that of another node than the id")
        checked[str(node)] = token.strip()
    return checked


def _length(folder: Folder, name: str) -> int:
    with reading(f"{folder.file(name)}: not a Parquet file"), opened_parquet(folder, name) as (parquet, _):
        return int(parquet.metadata.num_rows)

"""Raw values of people for a campaign of questions: mixed tables by column names, with text where a choice is asked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from privge._files.columns import ids_of
from privge._files.folder import Folder
from privge._files.formats import MATRICES
from privge._files.parquet import read_parquet
from privge._files.tables import is_text, read_table
from privge._typing import Table, is_arrow, is_pandas
from privge.campaign import Campaign
from privge.campaign.asking import questions_of
from privge.errors import BadData
from privge.ids import Ids, as_ids
from privge.perturbation.columns import pick, remark_extra
from privge.perturbation.features import FeatureData, Features, in_order, own_ids
from privge.questions import Choice, ChoiceFeature, Encoding
from privge.questions.features import Feature
from privge.questions.people import People, people_of

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True, eq=False)
class RawFeatures:
    """Raw values of people, as a table has them, by node id.

    Parameters
    ----------
    ids
        Whose values stand in each row, by node id.
    matrix
        The values, by the raw columns of a campaign.
    """

    ids: Ids
    matrix: People

    def take(self, rows: NDArray[np.integer]) -> Self:
        """Return some of the people."""
        ids: Ids = self.ids[rows]
        return type(self)(ids, self.matrix.take(rows))


AnyFeatures: TypeAlias = FeatureData | RawFeatures | People | Mapping[str, Sequence[object]]


class Wanted(NamedTuple):
    """Raw columns of a table: their names (None for all, in order), how many, which of them are text, and whose."""

    names: tuple[str, ...] | None
    width: int
    texts: tuple[str, ...] = ()
    whose: str = "campaign"

    @classmethod
    def of(cls, encoding: Encoding, whose: str = "campaign") -> Self:
        """Return the columns that an encoding needs, which is that of a campaign or of a dataset."""
        return cls(encoding.raw_names, encoding.raw_width, tuple(_texts(encoding.features)), whose)


def raw_features_of(campaign: Campaign, data: AnyFeatures, ids: Iterable[object] | None) -> RawFeatures:
    """Read what the questions of a campaign need from whatever holds it.

    Parameters
    ----------
    campaign
        Its raw names are the columns that are taken.
    data
        A matrix with the raw columns in order; or a table, as for `privge.perturbation.features_of`, or a mapping from
        name to column, in which a choice may be text.
    ids
        Node ids, instead of the table's own.
    """
    if isinstance(data, RawFeatures):
        return data if ids is None else RawFeatures(as_ids(ids), data.matrix)
    if isinstance(data, People):
        return RawFeatures(as_ids(np.arange(data.rows) if ids is None else ids), data)
    names = campaign.raw_names
    if isinstance(data, Mapping):
        people = people_of(data, names, campaign.raw_width)
        own = data.get("id", np.arange(people.rows))
        return RawFeatures(as_ids(own if ids is None else ids), people)
    nodes = as_ids(own_ids(data) if ids is None else ids)
    if isinstance(data, Features):
        held: Any = in_order(data, names)
    elif is_pandas(data) or is_arrow(data):
        held = _wanted(data, names)
    else:
        held = data
    return RawFeatures(nodes, people_of(held, names, campaign.raw_width))


def read_raw_features(
    path: str | PathLike[str],
    campaign: Campaign,
    *,
    leave_out: Sequence[str] = (),
    integer_ids: bool = False,
    id_column: str = "id",
) -> RawFeatures:
    """Read the raw values that a campaign needs: a table with a column ``id``, or a matrix; as `read_features`.

    Parameters
    ----------
    path
        The table or matrix.
    campaign
        Its raw names are the columns that are taken.
    leave_out, integer_ids, id_column
        As for `read_features`.
    """
    path = Path(path)
    if path.suffix in MATRICES:
        matrix = MATRICES[path.suffix](path)
        people = people_of(matrix, campaign.raw_names, campaign.raw_width)
        return RawFeatures(np.arange(people.rows), people)
    wanted = Wanted(campaign.raw_names, campaign.raw_width, tuple(text_columns(campaign)))
    return read_raw_table(path, wanted, leave_out=leave_out, integer_ids=integer_ids, id_column=id_column)


def read_raw_table(
    path: Path,
    wanted: Wanted,
    *,
    leave_out: Sequence[str] = (),
    integer_ids: bool = False,
    id_column: str = "id",
) -> RawFeatures:
    """Read the wanted columns of a table; ``leave_out``, ``integer_ids`` and ``id_column`` as for `read_features`."""
    table = read_table(path, text=[id_column, *wanted.texts])
    return _of_table(table, path, wanted, (*leave_out, id_column), integer_ids=integer_ids, id_column=id_column)


def read_raw_part(folder: Folder, name: str, campaign: Campaign, *, leave_out: Sequence[str] = ()) -> RawFeatures:
    """Read raw values from one Parquet file of a folder, as `read_raw_features`."""
    try:
        wanted = Wanted(campaign.raw_names, campaign.raw_width, tuple(text_columns(campaign)))
        return _of_table(read_parquet(folder, name), Path(name), wanted, (*leave_out, "id"))
    except (pa.ArrowException, OSError) as error:
        raise BadData(f"{folder.file(name)}: not a Parquet file ({error})") from error
    except BadData as error:
        raise BadData(f"{folder.file('')}{error}") from error


def text_columns(campaign: Campaign) -> list[str]:
    """Return the raw columns that are a choice: a file of text has them as text."""
    encodings = [getattr(question, "encoding", None) for question in questions_of(campaign)]
    features = [each for one in encodings if isinstance(one, Encoding) for each in one.features]
    own = [question.feature for question in questions_of(campaign) if isinstance(question, Choice)]
    return _texts((*features, *own))


def _texts(features: Iterable[Feature]) -> list[str]:
    return sorted({each.name for each in features if isinstance(each, ChoiceFeature)})


def _of_table(
    table: pa.Table,
    path: Path,
    wanted: Wanted,
    others: Sequence[str],
    *,
    integer_ids: bool = False,
    id_column: str = "id",
) -> RawFeatures:
    ids = ids_of(table, path, integer_ids=integer_ids, name=id_column)
    names = [name for name in table.column_names if name not in others]
    try:
        held = _cell_by_cell(_wanted(table.select(names), wanted.names, wanted.whose), wanted.texts)
        return RawFeatures(ids, people_of(held, wanted.names, wanted.width))
    except BadData as error:
        raise BadData(f"{path}: {error}") from error


def _cell_by_cell(table: pa.Table, choices: Sequence[str]) -> dict[str, Any]:
    """Return the columns of a file, with numbers among text as numbers: each cell as in a file of that person alone.

    One odd word makes a whole column text. Without this, it would decide what other people's numbers are taken for.
    """
    columns: dict[str, Any] = {name: table.column(name) for name in table.column_names}
    texts = [name for name, column in columns.items() if is_text(column.type) and name not in choices]
    return columns | {name: _cells(columns[name]) for name in texts}


def _cells(column: pa.ChunkedArray) -> NDArray[np.object_]:
    cells = np.empty(len(column), dtype=np.object_)
    cells[:] = [_cell(value) for value in column.to_pylist()]
    return cells


def _cell(value: str | None) -> float | str | None:
    return float(value) if value is not None and _NUMBER.fullmatch(value) else value


def _wanted(data: Table, names: Sequence[str] | None, whose: str = "campaign") -> Any:  # noqa: ANN401 (a table, too)
    """Return a table whose columns are looked up: those that are absent are refused, others remarked on."""
    table: Any = data if is_pandas(data) else pa.table(data)
    held = list(map(str, table.columns if is_pandas(data) else table.column_names))
    if names is not None:
        remark_extra([name for name in pick([name for name in held if name != "id"], names)[1] if name != "id"], whose)
    return table

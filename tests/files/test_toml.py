"""Small TOML files: what is written is read again, whatever the names and texts are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privge._files.toml import read_toml, write_toml
from privge.errors import BadData

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
PLAIN = st.one_of(TEXT, st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False))
TABLE = st.dictionaries(TEXT, st.one_of(PLAIN, st.lists(PLAIN, max_size=3)), max_size=4)
DOCUMENT = st.dictionaries(TEXT, st.one_of(PLAIN, TABLE, st.lists(TABLE, min_size=1, max_size=2)), max_size=4)


@given(document=DOCUMENT)
def test_what_was_written_is_read_again(tmp_path_factory, document):
    path = tmp_path_factory.mktemp("toml") / "x.toml"
    write_toml(path, document, about="two\nlines")
    assert read_toml(path) == document


def test_what_is_none_is_left_out(tmp_path):
    write_toml(tmp_path / "x.toml", {"a": None, "b": {"c": None}})
    assert read_toml(tmp_path / "x.toml") == {"b": {}}


def test_a_file_that_is_not_toml_is_named(tmp_path):
    (tmp_path / "x.toml").write_text("a = = 1")
    with pytest.raises(BadData, match=r"x\.toml: this is not TOML.*line 1"):
        read_toml(tmp_path / "x.toml")

"""A kind of store is known to every command that takes the address of one."""

import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.collect.stores.opening import KINDS, kind_of, open_store
from privge.errors import BadData


@pytest.mark.parametrize("command", [["serve"], ["embed"], ["store", "stats"]], ids=" ".join)
def test_every_kind_of_store_is_in_the_help(command):
    shown = " ".join(CliRunner().invoke(main, [*command, "--help"]).output.split())
    for kind in KINDS:
        assert kind.address in shown


def test_an_address_stands_for_one_kind():
    assert [kind_of(url).called for url in ("a.db", "sqlite:///a.db")] == ["SQLite", "SQLite"]
    assert [kind_of(f"{scheme}://host/name").called for scheme in ("postgresql", "postgres")] == ["PostgreSQL"] * 2


def test_an_address_of_an_unknown_kind_is_not_repeated():
    with pytest.raises(BadData, match=r"a store is sqlite:///path.*postgresql://.*, not mysql://") as raised:
        open_store("mysql://user:secret@host/name")
    assert "secret" not in str(raised.value)

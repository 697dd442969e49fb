import os
import stat

import pytest

from collect.service.harness import KEY
from privge.collect.service import Settings
from privge.collect.service.credentials import check_private, read_admin_token, read_keys, write_keys
from privge.errors import BadData
from privge.wire.tokens import Key


def test_keys_are_read_as_they_were_written_and_only_their_owner_can(tmp_path):
    keys = (Key.new(), KEY)
    write_keys(tmp_path / "keys", keys)
    assert read_keys(tmp_path / "keys") == keys
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o610, 0o601])
def test_a_secret_that_others_can_reach_is_refused(tmp_path, mode):
    write_keys(tmp_path / "keys", [KEY])
    (tmp_path / "keys").chmod(mode)
    for read in (read_keys, read_admin_token, check_private):
        with pytest.raises(BadData, match="chmod 600"):
            read(tmp_path / "keys")


@pytest.mark.parametrize(
    "text", ["", "no colon", "name:???", "name:c2hvcnQ=", ":x", "é:x", "a:" + "A" * 44 + "\n" + "x"]
)
def test_what_is_no_key_is_refused_without_being_shown(tmp_path, text):
    path = tmp_path / "keys"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(BadData) as caught:
        read_keys(path)
    assert "???" not in str(caught.value)
    assert "c2hvcnQ" not in str(caught.value)


def test_secrets_come_from_the_environment_if_there_is_no_file(monkeypatch, tmp_path):
    write_keys(tmp_path / "keys", [KEY])
    monkeypatch.setenv("PRIVGE_TOKEN_KEYS", (tmp_path / "keys").read_text())
    monkeypatch.setenv("PRIVGE_ADMIN_TOKEN", "x" * 40)
    assert read_keys(None) == (KEY,)
    assert read_admin_token(None) == "x" * 40
    monkeypatch.delenv("PRIVGE_TOKEN_KEYS")
    monkeypatch.delenv("PRIVGE_ADMIN_TOKEN")
    assert read_admin_token(None) is None
    with pytest.raises(BadData, match="PRIVGE_TOKEN_KEYS"):
        read_keys(None)


def test_a_missing_or_unreadable_file_is_named(tmp_path):
    with pytest.raises(BadData, match="nothing"):
        read_keys(tmp_path / "nothing")
    (tmp_path / "binary").write_bytes(os.urandom(3) + b"\xff\xfe")
    (tmp_path / "binary").chmod(0o600)
    with pytest.raises(BadData):
        read_keys(tmp_path / "binary")


def test_a_short_admin_token_is_refused_and_none_is_shown():
    with pytest.raises(BadData, match="32"):
        Settings(keys=[KEY], admin_token="x" * 31)
    assert "xxx" not in repr(Settings(keys=[KEY], admin_token="x" * 40))


@pytest.mark.parametrize("text", ["a" * 40 + "\n" + "b", "\x1b" + "a" * 40, "\u00e9" * 40])
def test_an_admin_token_that_no_request_can_carry_is_refused_by_file(tmp_path, text):
    path = tmp_path / "admin"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(BadData, match=r"admin: the admin token must be one line"):
        read_admin_token(path)

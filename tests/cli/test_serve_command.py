import json
import os
import socket
import stat
import subprocess
import sys

import pytest
from click.testing import CliRunner

from privge.cli import main
from privge.cli.main import COMMANDS
from privge.collect.service.credentials import read_keys, write_keys
from privge.wire.tokens import Key, Verifier


def run(*arguments, **environment):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], env=environment)


@pytest.fixture
def keys(tmp_path):
    path = tmp_path / "keys"
    assert run("token", "keygen", "-o", path).exit_code == 0
    return path


def test_a_made_key_mints_tokens_that_the_service_believes(keys):
    result = run("token", "mint", "--keys-file", keys, "--node", "alice", "--campaign", "ab" * 32, "--days", 1)
    assert result.exit_code == 0
    verifier = Verifier(read_keys(keys), leeway=0)
    assert verifier.verify(result.stdout.strip(), now=0) == ("alice", "ab" * 32)


def test_a_number_is_minted_as_a_number_only_if_asked(keys):
    verifier = Verifier(read_keys(keys))
    for option, node in ((["--integer"], 17), ([], "17")):
        result = run("token", "mint", "--keys-file", keys, "--node", "17", *option)
        assert verifier.verify(result.stdout.strip(), now=0).node == node
    for node in ("x", "007", "+7", " 7"):
        assert run("token", "mint", "--keys-file", keys, f"--node={node}", "--integer").exit_code == 2


def test_keys_are_private_and_never_printed(keys):
    result = run("token", "keygen", "-o", keys, "--rotate")
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    for line in keys.read_text().split():
        assert line.partition(":")[2] not in result.output


def test_rotation_keeps_the_key_before_and_drops_the_one_before_that(keys):
    first = read_keys(keys)[0]
    old = run("token", "mint", "--keys-file", keys, "--node", "alice").stdout.strip()
    assert run("token", "keygen", "-o", keys, "--rotate").exit_code == 0
    second, kept = read_keys(keys)
    assert kept == first
    assert Verifier([second, kept]).verify(old, now=0).node == "alice"
    assert run("token", "keygen", "-o", keys, "--rotate").exit_code == 0
    assert [key.id for key in read_keys(keys)][1] == second.id


def test_keys_are_not_overwritten_by_accident(keys, tmp_path):
    before = keys.read_bytes()
    assert run("token", "keygen", "-o", keys).exit_code == 3
    assert keys.read_bytes() == before
    assert run("token", "keygen", "-o", tmp_path / "none", "--rotate").exit_code == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--workers", "2", "--store", "reports.db"], "one writer"),
        (["--store", "postgresql://user:sentinel@localhost/db"], "PRIVGE_STORE"),
        (["--store", "reports.db", "--tls-cert", "x"], "both"),
        (["--store", "reports.db", "--rate", "0"], "--rate"),
        (["--store", "reports.db", "--lifetime-epsilon", "0"], "above 0, or none"),
        (["--store", "reports.db", "--lifetime-epsilon", "nan"], "above 0, or none"),
        (["--store", "reports.db", "--lifetime-epsilon", "much"], "above 0, or none"),
        ([], "--store"),
    ],
)
def test_wrong_usage_is_exit_2_and_says_why(keys, options, words):
    result = run("serve", "--keys-file", keys, *options, PRIVGE_STORE=None)
    assert result.exit_code == 2
    assert words in result.output
    assert "sentinel" not in result.output


@pytest.mark.parametrize(
    ("options", "cap"), [([], 6.0), (["2.5"], 2.5), (["none"], None), (["NONE"], None), (["inf"], None)]
)
def test_the_lifetime_cap_protects_unless_it_is_turned_off(keys, monkeypatch, options, cap):
    served = {}
    monkeypatch.setattr("privge.collect.service.server.run", lambda *_, **settings: served.update(settings))
    option = ["--lifetime-epsilon", *options] if options else []
    assert run("serve", "--store", "x.db", "--keys-file", keys, *option).exit_code == 0
    assert served["lifetime_epsilon"] == cap


def test_bad_secrets_are_exit_3_and_not_shown(keys, tmp_path):
    keys.chmod(0o644)
    result = run("serve", "--store", tmp_path / "x.db", "--keys-file", keys)
    assert (result.exit_code, "chmod 600" in result.output) == (3, True)
    result = run("serve", "--store", tmp_path / "x.db", PRIVGE_TOKEN_KEYS="name:sentinel!")  # noqa: S106
    assert (result.exit_code, "sentinel" in result.output) == (3, False)
    write_keys(keys, [Key.new()])
    result = run("serve", "--store", tmp_path / "x.db", "--keys-file", keys, PRIVGE_ADMIN_TOKEN="sentinel")  # noqa: S106
    assert (result.exit_code, "32 characters" in result.output, "sentinel" in result.output) == (3, True, False)


def test_a_store_that_is_none_is_told_before_anything_is_served(keys, tmp_path):
    (tmp_path / "text.db").write_text("this is not a database, but long enough to be read as one" * 99)
    result = run("serve", "--store", tmp_path / "text.db", "--keys-file", keys, "--port", "0")
    assert result.exit_code == 3


def test_a_port_in_use_is_refused_though_it_could_be_shared(keys, tmp_path):
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as taken:
        port = taken.getsockname()[1]
        result = run("serve", "--store", tmp_path / "x.db", "--keys-file", keys, "--port", port)
    assert result.exit_code == 1
    assert "in use" in result.output


def test_every_command_is_there_and_brings_only_what_it_needs():
    for command in COMMANDS:
        assert main.get_command(None, command).name == command
    assert run("nothing").exit_code == 2
    code = (
        "import sys; sys.argv = ['privge', 'serve', '--help']\n"
        "from privge.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "import privge.collect.service.server, json\n"
        "print(json.dumps([name for name in ('numba', 'scipy', 'pyarrow', 'torch', 'pandas') if name in sys.modules]))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert json.loads(result.stdout.splitlines()[-1]) == []

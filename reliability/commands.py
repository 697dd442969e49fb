"""Erroneous commands, each in a process of its own: documented exit codes, no traceback, no private value.

``python -m reliability.commands --runs 1000`` spoils files, options, ids, services, stores and installs at random, by a
seed, and prints what every kind of error ended in.
"""

import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click

from privge.cli import main as privge
from reliability.mutations import VALUES, WORDS, by_seed, changed_bytes, changed_value, mutate
from reliability.workshop import SERVICE, Workshop, commands

DOCUMENTED = (0, 1, 2, 3)
PATIENCE = 300
"""Seconds after which a command hangs."""

_CORE = (
    "import sys\nfrom privge._imports import EXTRAS, ALONE\n"
    "class Absent:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    "        if name.partition('.')[0] in {*EXTRAS, *ALONE}: raise ModuleNotFoundError(name, name=name)\n"
    "sys.meta_path.insert(0, Absent())\nfrom privge.cli import main; main()"
)
_ODD = ("", "x", "-1", "0", "nan", "inf", "1e309", "99999999999999999999", "\x1b[2J", "é\u202e", "/", ".", "no.csv",
        "edges.csv", "texts.graph", "keys", "x" * 300, "s3://", "memory://x", "postgresql://h/d", "tcp://127.0.0.1:1",
        "local:x", "campaign.json", "z.parquet", "a\nb")  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One erroneous command."""

    kind: str
    arguments: tuple[str, ...]
    spoiled: str = ""
    core: bool = False
    closed: bool = False


@dataclass(frozen=True)
class Ended:
    """What it ended in."""

    run: Run
    code: int
    errors: str
    leaked: tuple[str, ...]

    @property
    def fault(self) -> str:
        """What must not be; nothing if all is well."""
        if self.code not in DOCUMENTED:
            return f"exit code {self.code}"
        if "Traceback" in self.errors or "Exception ignored" in self.errors:
            return "a traceback"
        if self.leaked:
            return f"a private value on stderr ({len(self.leaked)})"
        if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", self.errors):
            return "a control character on stderr"
        return ""

    @property
    def unforeseen(self) -> bool:
        """Whether the last resort was needed."""
        return "something unforeseen" in self.errors


class Commands:
    """A workshop, a service that answers anything, and erroneous commands."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.workshop = Workshop(folder / "good")
        self.good = commands(self.workshop.campaign.id)
        self.ending = [each for each in self.good if each.arguments[0] != "serve"]  # one that works goes on and on
        self.options = [each for each in _options(privge, ()) if each[0] not in (("cluster",), ("demo",))]

    def made(self, number: int) -> tuple[Run, random.Random]:
        """Return one erroneous command, always the same for the same seed and number."""
        chosen = by_seed(f"{self.seed} {number}")
        kinds = (
            "file",
            "file",
            "file",
            "file",
            "option",
            "option",
            "typo",
            "id",
            "mismatch",
            "answer",
            "install",
            "stream",
        )
        return getattr(self, f"_{chosen.choice(kinds)}")(chosen), chosen

    def run(self, number: int, service: str) -> Ended:
        """Make a command and its files, run it, and look at what it left."""
        run, chosen = self.made(number)
        place = self.workshop.copy(self.folder / f"run-{number}")
        if run.spoiled:
            mutate(chosen, place / run.spoiled)
        arguments = [argument.replace(SERVICE, service) for argument in run.arguments]
        program = ["-c", _CORE] if run.core else ["-m", "privge"]
        environment = {
            **os.environ,
            "PRIVGE_DATA": str(place / "data"),
            "XDG_DATA_HOME": str(place),
            "HOME": str(place),
        }
        for variable in ("PRIVGE_DEBUG", "PRIVGE_STORE", "PRIVGE_TOKEN", "PRIVGE_TOKEN_KEYS", "PRIVGE_ADMIN_TOKEN"):
            environment.pop(variable, None)
        command = ["nice", sys.executable, *program, *arguments]
        if run.closed:
            command = ["sh", "-c", f"exec {shlex.join(command)} >&-"]
        try:
            done = subprocess.run(
                command, cwd=place, env=environment, capture_output=True, timeout=PATIENCE, check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
            code, errors = done.returncode, done.stderr.decode(errors="backslashreplace")
        except subprocess.TimeoutExpired:
            code, errors = 124, ""
        shutil.rmtree(place, ignore_errors=True)
        typed = " ".join(arguments)
        said = errors
        for word in sorted(set(re.findall(r"zqz\d+", typed))):
            said = said.replace(word, "")
        return Ended(run, code, errors, tuple(secret for secret in self.workshop.secrets if secret in said))

    def _file(self, chosen: random.Random) -> Run:
        """A file that is almost right."""
        command = chosen.choice([each for each in self.good if each.inputs])
        return Run("spoiled file", command.arguments, chosen.choice(command.inputs))

    def _option(self, chosen: random.Random) -> Run:
        """An odd value for one option of a command that works, or of any command."""
        if chosen.random() < 0.5:
            path, parameter = chosen.choice(self.options)
            return Run("odd option", (*path, parameter, chosen.choice(_ODD)))
        arguments = list(chosen.choice(self.ending).arguments)
        values = [at for at in range(1, len(arguments)) if not arguments[at].startswith("-")]
        arguments[chosen.choice(values)] = chosen.choice(_ODD)
        return Run("odd option", tuple(arguments))

    def _typo(self, chosen: random.Random) -> Run:
        """A word too many, too few or misspelt."""
        arguments = list(chosen.choice(self.ending).arguments)
        at = chosen.randrange(len(arguments))
        match chosen.randrange(4):
            case 0:
                del arguments[at]
            case 1:
                arguments[at] += "x"
            case 2:
                arguments.insert(at, chosen.choice(("--nothing", "-Z", "--", "more")))
            case _:
                chosen.shuffle(arguments)
        return Run("typing error", tuple(arguments))

    def _id(self, chosen: random.Random) -> Run:
        """A node that is not there."""
        node = chosen.choice(("nobody", "7", "", "\x1b[2J", "x" * 600))
        return Run("unknown node", chosen.choice((
            ("similar", "z.parquet", "--node", node),
            ("similar", "vectors", "--node", node, "--json"),
            ("store", "erase", "--store", "store.db", "--node", node),
            ("token", "mint", "--keys-file", "keys", "--integer", "--node", node),
            ("embed", "--graph", "numbers.graph", "--reports", "reports.parquet", "-o", "out.parquet"),
            ("embed", "--graph", "edges.npz", "--reports", "reports.parquet", "-o", "out.parquet"),
        )))  # fmt: skip

    def _mismatch(self, chosen: random.Random) -> Run:
        """Good files that do not belong together."""
        reports = "other-reports.parquet"
        url = f"{SERVICE}/v1/campaigns/{self.workshop.campaign.id}"
        return Run("mismatch", chosen.choice((
            ("embed", "--graph", "numbers.graph", "--store", "store.db", "--update", "z.parquet", "-o", "out.parquet"),
            ("embed", "--graph", "edges.csv", "--store", "store.db", "--campaign", "0" * 64, "-o", "o.npy"),
            ("submit", "--campaign", url, "--reports", reports, "--keys-file", "keys", "--state", "state"),
            ("submit", "--campaign", url, "--reports", reports, "--tokens", "nodes.csv", "--state", "state"),
            ("perturb", "--features", "people", "--campaign", "other.json", "-o", "reports"),
            ("perturb", "--features", "edges.parquet", "--campaign", "campaign.json", "-o", "out.parquet"),
            ("perturb", "--features", "features.npz", "--campaign", "campaign.json", "-o", "texts.graph"),
            ("campaign", "show", "reports.parquet"), ("similar", "reports.parquet", "--node", "a"),
            ("embed", "--graph", "vectors", "--reports", "reports", "-o", "out"),
            ("embed", "--graph", "edges.csv", "--reports", "vectors", "-o", "out"),
            ("convert", "--edges", "reports", "-o", "out.graph"),
            ("convert", "--edges", "edges.parquet", "-o", "people"),
            ("store", "stats", "--store", "z.parquet"), ("store", "verify", "--store", "texts.graph"),
            ("store", "backup", "--store", "store.db", "-o", "z.parquet"), ("report", "reports"),
            ("serve", "--store", "z.parquet", "--keys-file", "keys"),
            ("serve", "--store", "store.db", "--keys-file", "no"),
            ("token", "keygen", "-o", "keys"), ("token", "mint", "--keys-file", "admin", "--node", "a"),
        )))  # fmt: skip

    def _answer(self, chosen: random.Random) -> Run:
        """A service that answers nonsense, or is not there."""
        command = chosen.choice([each for each in self.good if each.asks])
        if chosen.random() < 0.05:
            nobody = tuple(argument.replace(SERVICE, "http://127.0.0.1:9") for argument in command.arguments)
            return Run("no service", nobody)
        return Run("odd answer", command.arguments)

    def _install(self, chosen: random.Random) -> Run:
        """An install without extras."""
        more = (
            ("demo", "-o", "d.html"), ("reproduce", "nodes"), ("tune", "nodes", "--dataset", "cora"),
            ("cluster", "--local", "1"), ("embed", "--graph", "memory://g", "--reports", "reports", "-o", "out"),
        )  # fmt: skip
        return Run("core install", chosen.choice((*more, *(each.arguments for each in self.good))), core=True)

    def _stream(self, chosen: random.Random) -> Run:
        """Nobody to print to."""
        return Run("closed stdout", chosen.choice(self.ending).arguments, closed=True)


def _options(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every option of every command."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            yield from _options(inner, (*path, name))
        return
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_flag:
            yield path, parameter.opts[0]


@contextmanager
def odd_service(document: bytes, seed: int) -> Iterator[str]:
    """Yield the address of a service that answers nearly right, or anything, but never asks for patience."""
    chosen, lock = random.Random(seed), threading.Lock()
    about = {"node": "a", "holdings": [], "detail": "\x1b[2J", "open": True}

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                status = chosen.choice((200, 200, 200, 201, 301, 400, 403, 404, 409, 410, 413, 422))
                body = chosen.choice((
                    document, document, changed_bytes(chosen, document), chosen.choice(WORDS),
                    json.dumps(changed_value(chosen, json.loads(document))).encode(),
                    json.dumps(changed_value(chosen, about)).encode(),
                    json.dumps([{"status": 422, "reason": chosen.choice(VALUES)}] * 20).encode(),
                ))  # fmt: skip
                kind = chosen.choice(
                    ("application/json", "application/msgpack", "application/problem+json", "text/html")
                )
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 (the names that http.server asks for)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def erroneous(folder: Path, *, runs: int, seed: int, jobs: int = 2, first: int = 0) -> Iterator[Ended]:
    """Run erroneous commands and yield what each ended in."""
    made = Commands(folder, seed)
    with odd_service(made.workshop.campaign.to_json().encode(), seed) as service, ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda number: made.run(number, service), range(first, first + runs))


def main() -> None:
    """Print a table of kinds and exit codes, and every fault."""
    parser = argparse.ArgumentParser(prog="python -m reliability.commands", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first command")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    codes: dict[str, Counter[int]] = {}
    faults = unforeseen = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="privge-commands-") as folder:
        everything = erroneous(
            Path(folder) / "w", runs=options.runs, seed=options.seed, jobs=options.jobs, first=options.first
        )
        for number, ended in enumerate(everything, start=options.first):
            codes.setdefault(ended.run.kind, Counter())[ended.code] += 1
            faults += bool(ended.fault)
            unforeseen += ended.unforeseen
            if ended.fault or ended.unforeseen:
                print(
                    f"{number}: {ended.fault or 'unforeseen'}: {shlex.join(ended.run.arguments)} [{ended.run.spoiled}]"
                )
                print("    " + ended.errors.strip()[-400:].replace("\n", "\n    "), flush=True)
    for kind, counts in sorted(codes.items()):
        print(f"{kind:14} " + "  ".join(f"{count:4} x {code}" for code, count in sorted(counts.items())))
    print(f"{options.runs:,} erroneous commands in {time.monotonic() - start:.0f} s: {faults} faults, "
          f"{unforeseen} that nobody foresaw")  # fmt: skip
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

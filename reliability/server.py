"""A real `privge serve` in processes of its own, which can be stopped, killed and started again on the same port."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Self

import numpy as np

from privge.collect.service.credentials import write_keys
from privge.collect.stores import open_store
from privge.wire.tokens import Key
from reliability.people import ADMIN, CAMPAIGN, KEY

SERVICE = ("-m", "privge")
"""What Python runs; the controls in the tests run a service that lies."""

_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A service on a store that holds one campaign.

    Parameters
    ----------
    folder
        Where keys, log and, unless ``store`` says otherwise, the store are.
    store
        Address of the store.
    options
        More options of `privge serve`.
    keys
        Keys that sign tokens.
    campaign
        The campaign in the store.
    program
        What Python runs instead of `privge`.
    """

    def __init__(
        self, folder: Path, *options: str, store: str = "", keys: Sequence[Key] = (KEY,), campaign=CAMPAIGN,
        program: Sequence[str] = SERVICE,
    ):  # fmt: skip
        self.program = program
        self.folder, self.options, self.campaign = folder, options, campaign
        self.store = store or str(folder / "reports.db")
        self.log = folder / "log"
        self.port = free_port()
        self.set_keys(keys)
        (folder / "admin").write_text(ADMIN)
        (folder / "admin").chmod(0o600)
        store = open_store(self.store)
        store.add_campaign(campaign)
        store.close()
        self.process: subprocess.Popen[bytes] | None = None

    def set_keys(self, keys: Sequence[Key]) -> None:
        """Say which keys sign tokens, from the next start on."""
        (self.folder / "keys").unlink(missing_ok=True)
        write_keys(self.folder / "keys", keys)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.stop()

    def start(self, seconds: float = 180.0) -> float:
        """Start the service; return the seconds until it was ready."""
        command = [sys.executable, *self.program, "serve", "--keys-file", "keys", "--admin-token-file", "admin",
                   "--port", str(self.port), *self.options]  # fmt: skip
        begun = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, env={**os.environ, "PRIVGE_STORE": self.store}, start_new_session=True,
                stdout=subprocess.DEVNULL, stderr=log,
            )  # fmt: skip
        return self.wait(begun, seconds)

    def wait(self, begun: float, seconds: float = 180.0) -> float:
        """Wait until a report could be stored; return the seconds since a moment."""
        while time.monotonic() < begun + seconds and self.process.poll() is None:
            if self.status("/readyz") == 200:
                return time.monotonic() - begun
            time.sleep(0.02)
        raise TimeoutError(f"not ready within {seconds} s; the log ends with {self.log.read_text()[-500:]!r}")

    def stop(self) -> int:
        """Stop the service as a supervisor would; return its exit code."""
        process, self.process = self.process, None
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise

    def kill(self) -> None:
        """Kill every process of the service at once."""
        process, self.process = self.process, None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def kill_worker(self) -> None:
        """Kill only the process that works; the one above it starts another."""
        os.kill(self.pids[1], signal.SIGKILL)

    @property
    def pids(self) -> list[int]:
        """Processes of the service: the one that watches, then those that work."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    @property
    def memory(self) -> float:
        """Resident megabytes of the largest worker."""
        return max(_resident(pid) for pid in self.pids[1:])

    @property
    def processor(self) -> float:
        """Processor seconds of all processes so far."""
        return sum(_processor(pid) for pid in self.pids)

    def call(self, method: str, path: str, *, token: str = "", body: bytes = b"", kind: str = "") -> tuple[int, bytes]:
        """Send one request and return the status and the body."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body or None, headers | ({"Content-Type": kind} if kind else {}))
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def status(self, path: str) -> int:
        """Return the status of a path; 0 if nobody answers."""
        try:
            return self.call("GET", path)[0]
        except (OSError, HTTPException):
            return 0

    def close_campaign(self) -> None:
        """Close the campaign as its operator."""
        self.call("POST", f"/v1/campaigns/{self.campaign.id}/close", token=ADMIN)

    def held(self) -> dict[int | str, bytes]:
        """Read the store directly: the codes of every node; a node that is there twice is an error."""
        store = open_store(self.store)
        try:
            pairs = [
                (node, row.astype("<u2").tobytes())
                for block in store.read(self.campaign.id)
                for node, row in zip(block.ids.tolist(), np.asarray(block.codes), strict=True)
            ]
        finally:
            store.close()
        held = dict(pairs)
        if len(held) != len(pairs):
            raise AssertionError(f"{len(pairs) - len(held)} nodes are stored twice")
        return held

    def damage(self) -> list[str]:
        """Return what a look at every row finds wrong."""
        store = open_store(self.store)
        try:
            return store.verify()
        finally:
            store.close()

    def count(self) -> int:
        """Return how many reports the service says it has."""
        return json.loads(self.call("GET", f"/v1/campaigns/{self.campaign.id}/status", token=ADMIN)[1])["reports"]


def free_port() -> int:
    """Return a port on which nobody listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as probe:
        return probe.getsockname()[1]


def _resident(pid: int) -> float:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


def _processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS

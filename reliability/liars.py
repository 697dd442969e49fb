"""Services that never finish, or are not there: a device gives up in time, and whoever waits is told."""

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from device.lying_service import ENDLESS, playing
from privge.device import Patience, contribute
from privge.errors import ServiceError
from reliability.people import CAMPAIGN, Crowd
from reliability.server import free_port


@dataclass
class Waited:
    """How long a device waited for services that never finish, and when it said so."""

    timeout: float
    seconds: dict[str, float] = field(default_factory=dict)
    line: str = ""
    line_after: float = 0.0

    def __str__(self) -> str:
        worst = max(self.seconds, key=lambda name: self.seconds[name])
        return (
            f"{len(self.seconds)} kinds of service, timeout {self.timeout:g} s: gave up after at most "
            f"{self.seconds[worst]:.1f} s ({worst.replace('_', ' ')}); nobody there: told after {self.line_after:.1f} s"
        )

    @property
    def kept(self) -> bool:
        """Whether it gave up soon after the time of one exchange, always, and said a word to whoever waits."""
        return max(self.seconds.values()) < 1.5 * self.timeout and "trying again" in self.line


def wait_for_liars(folder: Path, *, timeout: float = 2.0) -> Waited:
    """Contribute to services of every kind that never finish; then, by the command line, to one that is not there."""
    person, *_ = Crowd().take(1)
    values = np.full(CAMPAIGN.dimensions, 0.5)
    result = Waited(timeout)
    for act in ENDLESS:
        with playing(act) as liar:
            url, place = f"http://127.0.0.1:{liar.port}/v1/campaigns/{CAMPAIGN.id}", folder / act.__name__
            start = time.monotonic()
            try:
                contribute(url, values, token=person.token, folder=place, patience=Patience(1, timeout=timeout))
            except ServiceError:
                result.seconds[act.__name__] = time.monotonic() - start
            else:
                raise AssertionError(f"{act.__name__} was taken for an answer")
    result.line, result.line_after = _first_word(folder, person.token)
    return result


def _first_word(folder: Path, token: str) -> tuple[str, float]:
    """Run `privge contribute` where nobody listens; return its first line on stderr, and when it came."""
    (folder / "token").write_text(token)
    (folder / "values.json").write_text(str([0.5] * CAMPAIGN.dimensions))
    url = f"http://127.0.0.1:{free_port()}/v1/campaigns/{CAMPAIGN.id}"
    command = [sys.executable, "-m", "privge", "contribute", "--campaign", url, "--features", "values.json",
               "--token-file", "token", "--folder", "nobody"]  # fmt: skip
    start = time.monotonic()
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        seconds = time.monotonic() - start
        process.terminate()
    return line, seconds

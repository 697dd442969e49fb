"""Disks that are full or have turned read-only."""

import contextlib
import resource
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from reliability.server import Server
from reliability.table import NotPossible
from reliability.traffic import Outage, Traffic, suffer

SIZE = 48 * 2**20


def _run(*command: str | Path) -> str:
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise NotPossible(f"{command[0]} is not possible here") from error


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """Mount a small file system in memory."""
    place = folder / "disk"
    place.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", place)
    try:
        yield place
    finally:
        _run("umount", "-l", place)


def fill_disk(folder: Path, *, seconds: float) -> Outage:
    """Fill the disk under the store to the last byte, under load, and free it again."""
    with small_disk(folder) as place, Server(folder, store=str(place / "reports.db")) as server:
        ballast = place / "ballast"

        def fill() -> None:
            with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
                for size in (65_536, 512, 1):
                    with contextlib.suppress(OSError):
                        while file.write(bytes(size)):
                            pass

        return suffer(server, fill, ballast.unlink, seconds=seconds)


def limit_files(folder: Path, *, seconds: float) -> Outage:
    """Forbid the service to write (a limit of 0 bytes on the size of its files), under load; any user may do that."""
    with Server(folder) as server:

        def limit(size: int) -> None:
            for pid in server.pids:
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

        return suffer(server, lambda: limit(0), lambda: limit(resource.RLIM_INFINITY), seconds=seconds)


def turn_read_only(folder: Path) -> tuple[str, bool]:
    """Let the kernel find an error in the file system and turn it read-only under load, as it does with a bad disk.

    The file system must then be checked and mounted again; the service is restarted with it.
    """
    image, place = folder / "image", folder / "disk"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(SIZE)
    _run("mkfs.ext4", "-q", "-O", "^has_journal", image)
    _run("mount", "-o", "loop,errors=remount-ro", image, place)
    try:
        trigger = Path("/sys/fs/ext4") / Path(_run("findmnt", "-no", "SOURCE", place)).name / "trigger_fs_error"
        server = Server(folder, store=str(place / "reports.db"))
        begun = time.monotonic()
        with server, Traffic(server) as traffic:
            traffic.wait_for(201, begun)
            try:
                trigger.write_text("1")
            except OSError as error:
                raise NotPossible("the kernel has no switch for errors of ext4") from error
            traffic.wait_for(503, begun)
            said = server.status("/readyz")
        answers = {status for _, status in traffic.statuses}
        _run("umount", place)
        subprocess.run(["e2fsck", "-fy", image], check=False, capture_output=True)  # noqa: S607 (wherever it is)
        _run("mount", "-o", "loop", image, place)
        seconds = server.start()
        traffic.drain()
        held, damage = server.held(), server.damage()
        lost = sum(held.get(person.node) != person.codes for person in traffic.stored)
        server.stop()
        text = f"{sorted(answers)} answered, /readyz {said}, {lost} lost, {'; '.join(damage) or 'no damage'}"
        kept = answers <= {201, 503} and said == 503 and not lost and not damage and not traffic.waiting
        return f"{text}, after the repair ready in {seconds:.1f} s", kept
    finally:
        with contextlib.suppress(NotPossible):
            _run("umount", "-l", place)

"""Kill a device at every point; afterwards there is one draw, and the same bytes are sent."""

import subprocess
import sys
import time

import pytest

from device.fake_service import token_for
from privge.device import Patience, contribute
from privge.device.memory import Memory

POINTS = [
    "before the draw",
    "after the draw",
    "after the report is kept",
    "after the ledger is written",
    "after the report is charged",
    "before sending",
    "after the answer",
]

DEVICE = """
import os, signal, sys
from pathlib import Path
from privge.device import FinishedReport, Ledger, Memory, Patience, contribute
from privge.device import folder
from privge.device.web import Client

url, token, place, point = sys.argv[1:]
contributing, memory, ledger = (sys.modules[f"privge.device.{name}"] for name in ("contribute", "memory", "ledger"))

def power_fails():
    os.kill(os.getpid(), signal.SIGKILL)

def failing(owner, name, before=None, after=None, of=lambda *arguments: True):
    \"\"\"Let the power fail before or after a step.\"\"\"
    step = getattr(owner, name)
    def then(*arguments, **options):
        chosen = of(*arguments)
        if chosen and point == before:
            power_fails()
        result = step(*arguments, **options)
        if chosen and point == after:
            power_fails()
        return result
    setattr(owner, name, then)

failing(contributing, "draw", "before the draw", "after the draw")
failing(FinishedReport, "save", after="after the report is kept")
failing(Ledger, "save", after="after the ledger is written")
failing(Memory, "charge", after="after the report is charged")
failing(Client, "ask", "before sending", "after the answer", of=lambda _service, method, *_: method == "PUT")

if point.startswith("inside "):  # the file is there under its temporary name only
    target = point.removeprefix("inside ")
    def dying(path, content, write=folder.write_durably):
        if target in str(path):
            (path.parent / f".{path.name}.0000.partial").write_bytes(content)
            power_fails()
        write(path, content)
    memory.write_durably = ledger.write_durably = dying

contribute(url, [0.5] * 6, token=token, folder=Path(place), patience=Patience(attempts=2, timeout=20))
print("done")
"""


def start(url, folder, point):
    command = [sys.executable, "-c", DEVICE, url, token_for("alice"), str(folder), point]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def resume(url, folder):
    return contribute(
        url, [0.5] * 6, token=token_for("alice"), folder=folder, patience=Patience(attempts=2, pause=0, timeout=5)
    )


@pytest.mark.parametrize("point", [*POINTS, "inside prepared", "inside ledger.json"])
def test_a_crash_leaves_one_draw(service, campaign, tmp_path, point):
    url, folder = service.add(campaign), tmp_path / "me"
    with start(url, folder, point) as device:
        assert device.communicate()[0] == ""
    assert device.returncode == -9
    places = [folder / name / f"{campaign.id}.json" for name in ("prepared", "reports")]
    before = [place.read_bytes() for place in places if place.exists()]
    drawn_before = bool(before)
    assert drawn_before == (point not in ("before the draw", "after the draw", "inside prepared"))
    spent = Memory(folder).ledger().spent
    assert spent == (0.0 if point in ("after the report is kept", "inside ledger.json") or not drawn_before else 1.0)
    assert len(service.received) == (point == "after the answer")
    done = resume(url, folder)
    assert done.drawn == (not drawn_before)
    assert done.spent == 1.0
    assert not places[0].exists()
    if drawn_before:
        assert [places[1].read_bytes()] == before
    assert len({body for *_, body in service.received}) == 1
    assert [draw.report for draw in Memory(folder).ledger().draws] == [done.report]
    assert not list(folder.rglob(".*.partial"))  # also no draw that nobody saw


def test_a_crash_between_commit_and_answer_sends_the_same_bytes_again(service, campaign, tmp_path):
    url, folder = service.add(campaign), tmp_path / "me"
    service.faults = ["hang"]
    with start(url, folder, "never") as device:
        assert service.committed.wait(20)
        device.kill()
        device.communicate()
    done = resume(url, folder)
    assert (done.drawn, done.new) == (False, False)
    assert len(service.stored) == 1
    assert len({body for *_, body in service.received}) == 1


def test_nothing_is_sent_before_ledger_and_report_are_on_the_disk(service, campaign, tmp_path, monkeypatch):
    url, folder = service.add(campaign), tmp_path / "me"
    synced = []
    from privge.device import folder as files

    real = files.sync_folder
    monkeypatch.setattr(
        files, "sync_folder", lambda path: synced.append((path.name, len(service.received))) or real(path)
    )
    resume(url, folder)
    assert [name for name, _ in synced] == ["prepared", "me", "reports", "prepared"]
    assert all(received == 0 for _, received in synced)


def test_a_process_waits_for_the_one_that_draws(service, campaign, tmp_path):
    url, folder = service.add(campaign), tmp_path / "me"
    devices = [start(url, folder, "never") for _ in range(3)]
    deadline = time.monotonic() + 60
    for device in devices:
        with device:
            assert device.communicate(timeout=deadline - time.monotonic())[0] == "done\n"
    assert len(service.received) == 3
    assert len({body for *_, body in service.received}) == 1

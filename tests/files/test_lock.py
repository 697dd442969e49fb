import os
import signal
import subprocess
import sys

import pytest

from privge._files.lock import locked

HOLD = """
import sys, time
from pathlib import Path
from privge._files.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_lock_that_another_process_holds_is_refused_or_waited_for(tmp_path, holder):
    with pytest.raises(BlockingIOError), locked(tmp_path / "lock", wait=False):
        pass
    assert holder.poll() is None


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    with locked(tmp_path / "lock"):
        pass


def test_a_lock_is_free_again_after_an_error_and_only_its_owner_can_open_it(tmp_path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path / "lock"):
        raise ZeroDivisionError
    with locked(tmp_path / "lock", wait=False):
        assert (tmp_path / "lock").stat().st_mode & 0o077 == 0

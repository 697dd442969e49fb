"""A process that is killed at any moment has lost nothing that it acknowledged."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from privge.collect.stores import open_store
from privge.testing.store_contract import campaign_of

pytestmark = pytest.mark.alone

WRITER = Path(__file__).with_name("crash_writer.py")
KILLS = 5


def test_no_acknowledged_report_is_lost_and_none_is_doubled_by_kills(tmp_path):
    path, campaign, chosen = str(tmp_path / "store.db"), campaign_of(k=20), random.Random(0)  # noqa: S311
    store = open_store(path)
    store.add_campaign(campaign)
    store.close()
    start, acknowledged = 0, set()
    for _ in range(KILLS):
        command = [sys.executable, WRITER, path, campaign.to_json(), str(start)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as writer:
            first = writer.stdout.readline()
            time.sleep(chosen.uniform(0.01, 0.25))
            writer.send_signal(signal.SIGKILL)
            lines = [first, *writer.stdout.read().splitlines(keepends=True)]
        assert writer.returncode == -signal.SIGKILL
        for line in (line for line in lines if line.endswith("\n")):
            begin, end = map(int, line.split())
            acknowledged |= set(range(begin, end))
        began = time.monotonic()
        store = open_store(path)
        assert store.ready()
        assert time.monotonic() - began < 2
        held = [node for block in store.read(campaign.id) for node in block.ids.tolist()]
        missing = acknowledged - set(held)
        assert len(held) == len(set(held))
        assert all(store.holdings(node)[0].codes is None for node in missing), "only erased ones may be missing"
        assert len(missing) <= store.campaign(campaign.id).erased
        assert store.verify() == []
        store.close()
        start = max(acknowledged) + 1 - 37  # the last one again, as a device would send it
        if start % (37 * 50) == 0:
            start += 37  # that one may be erased
    assert len(acknowledged) > KILLS * 37

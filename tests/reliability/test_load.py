"""Short forms of `make load`: everything but the speed, which a shared machine cannot promise."""

import pytest

from reliability.attacks import attack, overload
from reliability.throughput import batch_uploads, single_uploads

pytestmark = pytest.mark.alone


def test_single_uploads_are_all_stored_in_little_memory(tmp_path):
    measured = single_uploads(tmp_path, seconds=0.5, slice_size=1_000)  # it counts what is stored
    assert max(measured.memory) < 150


def test_batches_are_all_stored_in_little_space(tmp_path):
    measured = batch_uploads(tmp_path, reports=10_000)  # it counts what is stored
    assert measured.memory < 150
    assert measured.size / measured.reports < 130


def test_an_overload_meets_only_polite_refusals_and_loses_nothing(tmp_path):
    result = overload(tmp_path, connections=900, reports=2_000)
    assert set(result.counts) <= {200, 201, 429, 503}
    assert result.counts[429] > 0
    assert result.lost == 0
    assert result.recovered < 30


def test_attackers_are_refused_and_honest_reports_stored(tmp_path):
    result = attack(tmp_path, crawlers=40, rounds=1, reports=300, timeout=0.5)
    assert result.polite, str(result)

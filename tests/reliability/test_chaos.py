"""Short forms of `make chaos`."""

import pytest

from collect.stores.postgres_server import required
from reliability import databases
from reliability.clocks import rotate_keys, skew_platform
from reliability.crashes import kill_on_sqlite
from reliability.delivery import lose_answers, speak_at_once
from reliability.disks import fill_disk, limit_files, turn_read_only
from reliability.erasing import erase_under_load
from reliability.fuzz import decoders, spoiled_requests
from reliability.liars import wait_for_liars
from reliability.model import services_agree
from reliability.postgres import available, postgres
from reliability.reading import read_among_many
from reliability.siege import besiege, dripping_bodies, idle_batches, idle_singles
from reliability.table import NotPossible


@pytest.fixture(scope="module")
def database():
    if not available() and not required():
        pytest.skip("no PostgreSQL on this machine")
    with postgres() as server:
        yield server


def test_kills_lose_and_double_nothing(tmp_path):
    result = kill_on_sqlite(tmp_path, kills=2, people=600)
    assert result.safe, str(result)
    assert result.acknowledged > 100


def test_people_converge_though_answers_are_swallowed(tmp_path):
    result = lose_answers(tmp_path, devices=8, proxied=2_000)
    assert result.kept, str(result)


def test_of_a_hundred_reports_at_once_one_is_stored(tmp_path):
    assert speak_at_once(tmp_path) == "1 stored, 99 × 409, 1 row"


def test_of_a_hundred_reports_at_two_workers_one_is_stored(tmp_path, database):
    assert speak_at_once(tmp_path, store=database.empty(), workers=2) == "1 stored, 99 × 409, 1 row"


def test_a_full_disk_is_503_and_passes(tmp_path):
    try:
        result = fill_disk(tmp_path, seconds=0.3)
    except NotPossible as reason:
        pytest.skip(str(reason))
    assert result.kept, str(result)
    assert result.ready == 503


def test_forbidden_writes_are_503_and_pass(tmp_path):
    result = limit_files(tmp_path, seconds=0.2)
    assert result.kept, str(result)


def test_a_file_system_that_turns_read_only_is_503(tmp_path):
    try:
        text, kept = turn_read_only(tmp_path)
    except NotPossible as reason:
        pytest.skip(str(reason))
    assert kept, text


def test_a_database_that_turns_read_only_is_503_and_passes(tmp_path, database):
    result = databases.refuse_writes(tmp_path, database, seconds=0.3)
    assert result.kept, str(result)


@pytest.mark.alone
@pytest.mark.parametrize("besiegers", [idle_batches, idle_singles, dripping_bodies], ids=lambda each: each.__name__)
def test_under_siege_every_honest_report_is_stored(tmp_path, besiegers):
    result = besiege(tmp_path, besiegers, drip=besiegers is dripping_bodies, rounds=1, reports=500)
    assert result.polite, str(result)


@pytest.mark.alone
def test_a_device_gives_up_on_services_that_never_finish_and_says_that_it_waits(tmp_path):
    result = wait_for_liars(tmp_path, timeout=0.5)
    assert max(result.seconds.values()) / result.timeout < 4
    assert "trying again" in result.line


def test_both_services_answer_beside_large_campaigns(tmp_path):
    result = read_among_many(tmp_path, campaigns=3, size=100_000, times=3)
    assert set(result.one) == set(result.many) == {"/v1/me", "/v1/campaigns"}


def test_no_valid_token_is_refused_by_clocks_a_day_off(tmp_path):
    assert skew_platform(tmp_path, people=20) == {201: 60}


def test_no_valid_token_is_refused_by_rotation(tmp_path):
    assert rotate_keys(tmp_path, rotations=1, people=50) == {201: 100, 200: 50}


def test_erased_bytes_are_found_nowhere(tmp_path):
    result = erase_under_load(tmp_path, people=90, kills=1)
    assert result.kept, str(result)


def test_spoiled_requests_meet_no_5xx_and_leave_no_bytes(tmp_path):
    result = spoiled_requests(tmp_path, requests=1_500)
    assert result.kept, f"{result} {result.counts}"


def test_decoders_raise_only_what_is_answered():
    assert decoders(examples=100).startswith("300 ")


def test_the_service_agrees_with_the_model():
    services_agree(None, examples=2, steps=12)

import io
import time
import urllib.request
from http.client import HTTPMessage
from types import SimpleNamespace

import pytest

from datasets.samples import left_in, sha256
from datasets.web_server import (
    endless,
    error,
    hanging_up,
    in_turn,
    redirect,
    send,
    stalling,
    whole,
)
from privge.datasets import Archive
from privge.datasets.download import Retries, SafeRedirects, download
from privge.errors import DatasetCorrupt, DatasetMissing

DATA = bytes(range(256)) * 1000
SIZE = len(DATA)
HASTE = Retries(timeout=0.3, attempts=3, pause=0.0)


def get(site, folder, *, size=SIZE, largest=SIZE, **options):
    file = SimpleNamespace(url=f"{site.base}/file", size=size, largest=largest, sha256=sha256(DATA))
    download(file, folder / "file", **{"retries": HASTE, **options})


def elsewhere(url):
    return Archive(url, 1, "")


def test_a_file_is_downloaded_and_nothing_else_is_left(site, tmp_path):
    site.routes["/file"] = whole(DATA)
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    assert left_in(tmp_path) == ["file"]


def test_a_server_that_hangs_up_is_asked_for_the_rest(site, tmp_path):
    site.routes["/file"] = hanging_up(DATA, 100_000)
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    assert site.ranges == [None, "bytes=100000-", "bytes=200000-"]


def test_an_interrupted_download_goes_on_where_it_stopped(site, tmp_path):
    site.routes["/file"] = hanging_up(DATA, 70_000)
    with pytest.raises(DatasetMissing, match=r"ended after 210,000 bytes; run it again"):
        get(site, tmp_path)
    assert left_in(tmp_path) == [".file.partial"]
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    assert site.ranges[-1] == "bytes=210000-"
    assert left_in(tmp_path) == ["file"]


def test_a_server_that_hangs_up_before_the_first_byte_leaves_nothing(site, tmp_path):
    site.routes["/file"] = hanging_up(DATA, 0)
    with pytest.raises(DatasetMissing, match="ended after 0 bytes"):
        get(site, tmp_path)
    assert left_in(tmp_path) == []


@pytest.mark.alone
def test_a_server_that_falls_silent_is_asked_again(site, tmp_path):
    site.routes["/file"] = stalling(DATA, 1000)
    began = time.monotonic()
    get(site, tmp_path)
    assert time.monotonic() - began < 5
    assert (tmp_path / "file").read_bytes() == DATA
    assert site.ranges == [None, "bytes=1000-"]


def test_a_server_without_ranges_begins_anew(site, tmp_path):
    (tmp_path / ".file.partial").write_bytes(b"x" * 500)
    site.routes["/file"] = whole(DATA, ranges=False)
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    assert site.ranges == ["bytes=500-"]


def test_a_rest_that_is_complete_is_not_asked_for(site, tmp_path):
    (tmp_path / ".file.partial").write_bytes(DATA)
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    assert site.requests == []


def test_a_rest_that_is_too_long_is_thrown_away(site, tmp_path):
    (tmp_path / ".file.partial").write_bytes(DATA + b"more")
    site.routes["/file"] = whole(DATA)
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    assert site.ranges == [f"bytes={len(DATA) + 4}-", None]


def test_a_rest_of_something_else_is_thrown_away(site, tmp_path):
    (tmp_path / ".file.partial").write_bytes(b"x" * 500)
    site.routes["/file"] = whole(DATA)
    with pytest.raises(DatasetCorrupt, match=rf"checksum.*instead of {sha256(DATA)}"):
        get(site, tmp_path)
    assert left_in(tmp_path) == []
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA


def test_another_part_than_the_one_asked_for_is_refused(site, tmp_path):
    (tmp_path / ".file.partial").write_bytes(DATA[:500])
    site.routes["/file"] = lambda handler: send(
        handler, DATA[400:], total=len(DATA), start=400, announced=len(DATA) - 400
    )
    with pytest.raises(DatasetMissing, match="another part"):
        get(site, tmp_path)
    assert (tmp_path / ".file.partial").read_bytes() == DATA[:500]


WRONG = {
    "other bytes": (whole(DATA[:-1] + b"?"), "checksum"),
    "a shorter file": (whole(DATA[:-1]), "sends 255,999 bytes instead of 256,000"),
    "an empty file": (whole(b""), "sends 0 bytes"),
    "a longer file": (whole(DATA + b"?"), "sends 256,001 bytes instead of 256,000"),
    "a body without end": (endless, "more than 256,000 bytes"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused_and_nothing_is_left(name, site, tmp_path):
    site.routes["/file"], problem = WRONG[name]
    with pytest.raises(DatasetCorrupt, match=problem):
        get(site, tmp_path)
    assert left_in(tmp_path) == []
    assert len(site.requests) == 1


@pytest.mark.parametrize("route", [whole(DATA), endless])
def test_a_file_of_unknown_size_is_bounded_too(route, site, tmp_path):
    site.routes["/file"] = route
    with pytest.raises(DatasetCorrupt, match="bytes"):
        get(site, tmp_path, size=None, largest=1000)
    assert left_in(tmp_path) == []


def test_a_file_of_unknown_size_is_downloaded(site, tmp_path):
    site.routes["/file"] = whole(DATA)
    get(site, tmp_path, size=None, largest=10**6)
    assert (tmp_path / "file").read_bytes() == DATA


def test_a_file_that_is_not_there_is_asked_for_once(site, tmp_path):
    with pytest.raises(DatasetMissing, match="404"):
        get(site, tmp_path)
    assert len(site.requests) == 1
    assert left_in(tmp_path) == []


def test_a_busy_server_is_asked_again_and_not_for_ever(site, tmp_path):
    site.routes["/file"] = in_turn(error(503), error(429), whole(DATA))
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    site.routes["/busy"] = error(503)
    with pytest.raises(DatasetMissing, match="503"):
        download(elsewhere(f"{site.base}/busy"), tmp_path / "busy", retries=HASTE)
    assert len(site.requests) == 3 + HASTE.attempts


def test_attempts_are_further_and_further_apart(site, tmp_path):
    site.routes["/file"] = error(503)
    began = time.monotonic()
    with pytest.raises(DatasetMissing):
        get(site, tmp_path, retries=Retries(timeout=1, attempts=3, pause=0.05))
    assert time.monotonic() - began >= 0.05 + 0.1


def test_a_redirect_on_this_machine_is_followed_with_the_range(site, tmp_path):
    (tmp_path / ".file.partial").write_bytes(DATA[:500])
    site.routes["/file"] = redirect("/elsewhere")
    site.routes["/elsewhere"] = whole(DATA)
    get(site, tmp_path)
    assert (tmp_path / "file").read_bytes() == DATA
    assert site.requests == [("/file", "bytes=500-"), ("/elsewhere", "bytes=500-")]


@pytest.mark.parametrize("place", ["http://192.0.2.1/file", "ftp://127.0.0.1/file", "file:///etc/passwd"])
def test_a_redirect_to_an_unsafe_address_is_refused(place, site, tmp_path):
    site.routes["/file"] = redirect(place)
    with pytest.raises(DatasetMissing):
        get(site, tmp_path)
    assert left_in(tmp_path) == []
    assert len(site.requests) == 1


def test_a_redirect_away_from_https_is_refused_even_to_this_machine():
    request = urllib.request.Request("https://example.invalid/file")
    with pytest.raises(Exception, match="only https"):
        SafeRedirects().redirect_request(request, io.BytesIO(), 302, "", HTTPMessage(), "http://127.0.0.1/file")
    allowed = SafeRedirects().redirect_request(request, io.BytesIO(), 302, "", HTTPMessage(), "https://example.org/")
    assert allowed.full_url == "https://example.org/"


def test_a_redirect_without_end_is_refused(site, tmp_path):
    site.routes["/file"] = redirect("/file")
    with pytest.raises(DatasetMissing, match="302"):
        get(site, tmp_path)


@pytest.mark.parametrize("url", ["http://192.0.2.1/file", "ftp://127.0.0.1/file", "file:///etc/passwd", "file"])
def test_an_unsafe_address_is_never_asked(url, tmp_path):
    with pytest.raises(DatasetMissing, match="only https"):
        download(elsewhere(url), tmp_path / "file")


def test_progress_counts_every_byte_up(site, tmp_path):
    site.routes["/file"] = hanging_up(DATA, 150_000)
    seen = []
    get(site, tmp_path, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == len(DATA)

import io
import stat
import tracemalloc
import zipfile

import pytest

from datasets.samples import describe, left_in, musae_files
from datasets.web_server import hanging_up, whole
from privge.datasets import load
from privge.datasets.cache import DataDirectory
from privge.datasets.download import Retries
from privge.datasets.fetch import fetch
from privge.errors import DatasetCorrupt, DatasetMissing

FILES = musae_files()


def zipped(members, *, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def members(folder="lasftm_asia/", **changes):
    return [(f"{folder}tiny.{role}", changes.get(role, data)) for role, data in FILES.items()]


def serve(site, archive):
    site.routes["/tiny.zip"] = whole(archive)
    return describe(FILES, base=site.base, archive=archive)


def test_a_dataset_comes_out_of_an_archive_and_the_archive_goes(site, tmp_path):
    description = serve(site, zipped([("lasftm_asia/README.txt", b"read me"), *members()]))
    dataset = load(description, data_dir=tmp_path)
    assert dataset.graph.nodes == 6
    assert left_in(tmp_path) == ["tiny", "tiny/tiny.edges", "tiny/tiny.features", "tiny/tiny.target"]
    assert len(site.requests) == 1


def test_only_missing_files_are_taken_and_others_stay(site, tmp_path):
    description = serve(site, zipped(members()))
    load(description, data_dir=tmp_path)
    (tmp_path / "tiny" / "tiny.features").unlink()
    (tmp_path / "tiny" / "tiny.zip").write_bytes(b"somebody's own")
    stamp = (tmp_path / "tiny" / "tiny.edges").stat().st_mtime_ns
    load(description, data_dir=tmp_path)
    assert (tmp_path / "tiny" / "tiny.edges").stat().st_mtime_ns == stamp
    assert (tmp_path / "tiny" / "tiny.zip").read_bytes() == b"somebody's own"


def test_an_interrupted_archive_goes_on_where_it_stopped(site, tmp_path):
    archive = zipped(members(), method=zipfile.ZIP_STORED)
    description = serve(site, archive)
    site.routes["/tiny.zip"] = hanging_up(archive, len(archive) // 3)
    with pytest.raises(DatasetMissing, match="run it again"):
        fetch(description, DataDirectory(tmp_path, ours=True), retries=Retries(1, 1, 0))
    assert left_in(tmp_path) == ["tiny", "tiny/.tiny.zip.partial"]
    site.routes["/tiny.zip"] = whole(archive)
    load(description, data_dir=tmp_path)
    assert site.ranges[-1] == f"bytes={len(archive) // 3}-"


def link(name):
    member = zipfile.ZipInfo(name)
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


def encrypted(data):
    """Set the bit that says so, in every header."""
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = -1
        while (start := data.find(signature, start + 1)) >= 0:
            data = data[: start + offset] + b"\x01" + data[start + offset + 1 :]
    return data


HOSTILE = {
    "a path upwards": zipped([("../../escaped", b"x"), *members()]),
    "a path upwards to a file that is wanted": zipped(members(folder="../")),
    "a path upwards in the middle": zipped([("a/../../escaped", b"x"), *members()]),
    "an absolute path": zipped([("/tmp/escaped", b"x"), *members()]),  # noqa: S108
    "a path of Windows": zipped([("..\\..\\escaped", b"x"), *members()]),
    "a drive of Windows": zipped([("C:/escaped", b"x"), *members()]),
    "a link": zipped([(link("lasftm_asia/escape"), b"/etc"), *members()]),
    "other bytes": zipped(members(edges=bytes(len(FILES["edges"])))),
    "a truncated file": zipped(members(edges=FILES["edges"][:-1])),
    "a bomb": zipped(members(edges=bytes(2**24))),
    "a file twice": zipped([*members(), *members(folder="again/")]),
    "a file missing": zipped(members()[:-1]),
    "truncated": zipped(members())[:-30],
    "damaged inside": zipped(members(), method=zipfile.ZIP_STORED).replace(b"id_1,id_2", b"id_1;id_2"),
    "encrypted": encrypted(zipped(members())),
    "no archive": b"<html>moved</html>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_or_damaged_archive_is_refused_and_nothing_is_left(name, site, tmp_path):
    cache = tmp_path / "a" / "b" / "c"
    with pytest.raises(DatasetCorrupt, match=r"tiny\.zip"):
        load(serve(site, HOSTILE[name]), data_dir=cache)
    assert left_in(tmp_path) == ["a", "a/b", "a/b/c"]


@pytest.mark.parametrize("name", [name for name in HOSTILE if "path" in name or "drive" in name or "link" in name])
def test_a_path_that_leads_out_is_what_is_refused(name, site, tmp_path):
    with pytest.raises(DatasetCorrupt, match="leads out of the folder"):
        load(serve(site, HOSTILE[name]), data_dir=tmp_path)


def test_a_bomb_is_not_unpacked(site, tmp_path):
    description = serve(site, zipped(members(edges=bytes(2**26))))
    tracemalloc.start()
    with pytest.raises(DatasetCorrupt, match=r"tiny\.edges: larger than the published file"):
        load(description, data_dir=tmp_path)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**24


def test_an_archive_with_the_wrong_checksum_is_not_even_opened(site, tmp_path):
    description = serve(site, zipped(members()))
    right = zipped(members())
    site.routes["/tiny.zip"] = whole(right[:-1] + b"x")
    with pytest.raises(DatasetCorrupt, match=r"tiny: tiny\.zip: the checksum"):
        load(description, data_dir=tmp_path)
    assert left_in(tmp_path) == []

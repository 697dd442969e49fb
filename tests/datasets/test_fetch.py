"""All files of a dataset: fetched once, and nothing left of what went wrong."""

import threading
import time

import pytest

from datasets.samples import describe, left_in, planetoid_files
from datasets.web_server import whole
from privge.datasets import load
from privge.datasets.cache import DataDirectory
from privge.datasets.download import Retries
from privge.datasets.fetch import fetch
from privge.errors import DatasetCorrupt, DatasetMissing

HASTE = Retries(timeout=0.3, attempts=3, pause=0.0)


def serve(site, files, **options):
    for role, data in files.items():
        site.routes[f"/tiny.{role}"] = whole(data)
    return describe(files, base=site.base, **options)


def test_a_dataset_is_downloaded_once(site, tmp_path):
    description = serve(site, planetoid_files())
    seen = []
    load(description, data_dir=tmp_path, progress=lambda *both: seen.append(both))
    total = sum(map(len, planetoid_files().values()))
    assert seen[-1] == (total, total)
    assert [done for done, _total in seen] == sorted(done for done, _total in seen)
    assert left_in(tmp_path) == sorted(["tiny", *(f"tiny/tiny.{role}" for role in planetoid_files())])
    asked = len(site.requests)
    load(description, data_dir=tmp_path)
    assert len(site.requests) == asked


def test_only_what_is_missing_is_downloaded(site, tmp_path):
    description = serve(site, planetoid_files())
    load(description, data_dir=tmp_path)
    site.requests.clear()
    (tmp_path / "tiny" / "tiny.tx").unlink()
    load(description, data_dir=tmp_path)
    assert site.requests == [("/tiny.tx", None)]


def test_nothing_is_downloaded_unasked(site, tmp_path):
    with pytest.raises(
        DatasetMissing, match=r"^tiny: 6 of 6 files are missing; run .*put tiny\.allx .*, 3 more, .* into "
    ):
        load(serve(site, planetoid_files()), data_dir=tmp_path, download=False)
    assert site.requests == []
    assert left_in(tmp_path) == []


def test_a_wrong_file_of_a_dataset_is_named(site, tmp_path):
    description = serve(site, planetoid_files())
    site.routes["/tiny.allx"] = whole(bytes(len(planetoid_files()["allx"])))
    with pytest.raises(DatasetCorrupt, match=r"^tiny: tiny\.allx: the checksum is not .*nothing of it was kept"):
        load(description, data_dir=tmp_path)
    assert left_in(tmp_path) == []


def test_a_file_that_cannot_be_had_is_named_with_its_place(site, tmp_path):
    description = serve(site, planetoid_files())
    del site.routes["/tiny.graph"]
    with pytest.raises(DatasetMissing) as caught:
        load(description, data_dir=tmp_path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("tiny: cannot download")
    assert f"put tiny.graph (from {site.base}/tiny.graph)" in message
    assert str(tmp_path / "tiny") in message


def test_without_a_network_nothing_is_left(tmp_path):
    description = describe(planetoid_files(), base="http://127.0.0.1:9")  # nobody listens there
    with pytest.raises(DatasetMissing, match=r"^tiny: cannot download .*without a network: put tiny\.allx"):
        fetch(description, DataDirectory(tmp_path, ours=True), retries=HASTE)
    assert left_in(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_named(site, tmp_path):
    (tmp_path / "tiny").write_text("a file where the folder belongs")
    with pytest.raises(DatasetMissing, match="cannot be written"):
        load(serve(site, planetoid_files()), data_dir=tmp_path)


def test_two_at_once_download_everything_once(site, tmp_path):
    description = serve(site, planetoid_files())
    for path, route in list(site.routes.items()):
        site.routes[path] = lambda handler, route=route: (time.sleep(0.02), route(handler))
    threads = [threading.Thread(target=load, args=(description,), kwargs={"data_dir": tmp_path}) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path for path, _range in site.requests) == sorted(f"/tiny.{role}" for role in planetoid_files())

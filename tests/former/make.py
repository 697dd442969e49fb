"""Write ``files`` and ``expected.json``: what the version of commit fac4ce1 wrote, computed and read.

It was run once, at the commit that added it, whose ``src`` is that of fac4ce1; it is kept to say how the files came
about. Run at a later commit it would freeze that one instead, and the tests beside it would show nothing::

    PYTHONPATH=src:tests python tests/former/make.py
"""

import hashlib
import json
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

from privge._folder import Folder
from privge.vectors import begin_parts, finish_parts, write_part

import privge as pg
from former import current, inputs
from former.computing import COMPUTED
from former.inputs import FILES
from former.reading import READ, private_copy
from former.writing import WRITERS, run

COMMIT = "fac4ce1"
PUBLISHED = Path(__file__).parents[2] / "docs" / "results" / "links-cora.jsonl"
LIBRARIES = ("numpy", "scipy", "numba", "pyarrow", "msgspec", "rfc8785", "click")


def write_embeddings(folder):
    """Embeddings with what they were made from: it holds the seconds that it took, so no run writes the same again."""
    graph, reports = FILES / "graphs", FILES / "reports" / "private.parquet"
    source = ("--reports", reports)
    run("embed", "--graph", graph / "saved-texts.graph", *source, "-o", folder / "vectors.parquet")
    run(
        "embed",
        "--graph",
        graph / "saved-texts.graph",
        *source,
        "--decoding",
        "unbiased",
        "--clip",
        2,
        "--alpha",
        0.3,
        "--r",
        0.25,
        "--tolerance",
        1e-9,
        "-o",
        folder / "clipped.parquet",
    )
    whole = pg.Embedding.from_parquet(folder / "vectors.parquet")
    numbers = inputs.campaign("laplace").simulate(inputs.features(), seed=1)
    pg.embed(inputs.graph(integers=True), numbers).to_parquet(folder / "integers.parquet")
    parts = Folder.of(folder / "parts")
    begin_parts(parts)
    for number, rows in enumerate((slice(0, 10), slice(10, 20), slice(20, 24))):
        write_part(parts, number, whole.ids[rows], whole.matrix[rows], whole.provenance)
    finish_parts(parts, 3, len(whole))
    store = private_copy(Path(tempfile.mkdtemp()) / "copy") / "stores" / "after.db"
    run(
        "embed",
        "--graph",
        graph / "saved-texts.graph",
        "--store",
        store,
        "--campaign",
        inputs.campaign(inputs.PRIVATE).id,
        "-o",
        folder / "from-store.parquet",
    )


def write_results(folder):
    """Published lines of the former version: two repeats of a cell and of all its controls."""
    wanted = {("hds", 1, 1), ("structure", None, 1), ("none", None, None), ("ppr_score", None, None)}
    lines = [(line, json.loads(line)) for line in PUBLISHED.read_text().splitlines(keepends=True)]
    kept = [
        line
        for line, record in lines
        if (record["mechanism"], record["epsilon"], record["k"]) in wanted
        and record["repeat"] < 2
        and record.get("form", "scaled") == "scaled"
    ]
    (folder / PUBLISHED.name).write_text("".join(kept))


def hashes():
    files = sorted(path for path in FILES.rglob("*") if path.is_file())
    return {path.relative_to(FILES).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def in_lines(document):
    """JSON with a line for each entry of each section, so that a difference is one line."""
    sections = []
    for name, section in document.items():
        lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in section.items())
        sections.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def main():
    for name, write in (WRITERS | {"embeddings": write_embeddings, "results": write_results}).items():
        folder = FILES / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        write(folder)
        for lock in folder.rglob(".lock"):
            lock.unlink()
        print(f"{sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()):8,} bytes in {folder}")  # noqa: T201
    with tempfile.TemporaryDirectory() as place:
        read = {name: function(private_copy(Path(place) / name)) for name, function in READ.items()}
    exact = current.embed(inputs.graph(), inputs.reports(), engine="exact")
    expected = {
        "made": {
            "commit": COMMIT,
            "libraries": {name: version(name) for name in LIBRARIES},
            "exact certificate": current.meaning(exact)["certificate"],
        },
        "files": hashes(),
        "computed": {name: function() for name, function in COMPUTED.items()},
        "read": read,
    }
    path = Path(__file__).with_name("expected.json")
    path.write_text(in_lines(expected))
    print(f"{path.stat().st_size:8,} bytes in {path}")  # noqa: T201


if __name__ == "__main__":
    main()

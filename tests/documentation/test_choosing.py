"""The tables of docs/choosing.md that follow from the laws are computed again."""

import math
import re
from pathlib import Path

from privge.mechanisms import Sampled, law_for

PAGE = (Path(__file__).parent.parent.parent / "docs/choosing.md").read_text(encoding="utf-8")


def rows_after(heading):
    """Return the cells of the first table after some words, without its heading."""
    table = re.search(r"(?:^\|.*\n)+", PAGE[PAGE.index(heading) :], flags=re.MULTILINE)[0]
    return [[cell.strip(" *%") for cell in line.strip("|\n ").split("|")] for line in table.splitlines()[2:]]


def test_the_table_of_epsilon_is_that_of_the_laws():
    rows = rows_after("at most this sure; and one reported value")
    assert [row[0] for row in rows] == ["0.1", "0.5", "1", "2", "3", "5"]
    for epsilon, sure, *noises in rows:
        assert sure == f"{100 / (1 + math.exp(-float(epsilon))):.1f}"
        for mechanism, noise in zip(("hds", "piecewise", "multibit", "laplace"), noises, strict=True):
            if mechanism == "laplace" and epsilon != "1":
                continue  # its thousand rows take ten seconds to enumerate
            law = law_for(mechanism, float(epsilon))
            assert noise == f"{math.sqrt(law.worst_case_variance('unbiased')):.2f}"


def test_the_table_of_k_is_that_of_the_laws():
    rows = rows_after("contributes to the estimate")
    assert [row[0] for row in rows] == ["ε = 1", "ε = 3", "ε = 8"]
    for name, *noises in rows:
        epsilon = float(name.removeprefix("ε = "))
        for k, noise in zip((1, 2, 3, 5, 10, 20), noises, strict=True):
            sampled = Sampled(law_for("multibit", epsilon, k), k, 500)
            assert noise == f"{math.sqrt(sampled.worst_case_variance('unbiased')):.0f}"

"""The table of recommendations is the one that the stored lines give, each number beside its controls."""

import json
import re

import recommend_table


def test_the_page_has_the_table_of_the_stored_runs():
    page = recommend_table.PAGE.read_text(encoding="utf-8")
    assert recommend_table.written(page) == page
    assert len(re.findall("<!-- recommend: (?:begin|end)", page)) == 2


def test_facebook_was_judged_on_ten_splits_beside_the_graph_alone():
    lines = [json.loads(line) for line in recommend_table.LINES.read_text(encoding="utf-8").splitlines()]
    judged = [line for line in lines if line["dataset"] == "facebook" and "hds, ε = 1" in line["kinds"]]
    assert {line["seed"] for line in judged} == set(range(100, 110))
    assert all({"common friends", "personalized PageRank"} <= line["scores"].keys() for line in judged)


def test_a_gain_is_that_over_the_best_part_of_each_split(tmp_path):
    def line(seed, fused):
        scores = {name: 0.2 + 0.1 * place for place, name in enumerate(recommend_table._PARTS)}
        scores |= {"structure": 0.1, "vectors (x)": 0.3, "fused (x)": fused}
        shown = {name: dict.fromkeys(("hits", "reciprocal", "area"), value) for name, value in scores.items()}
        shown["fused (x)"]["open"] = True
        return json.dumps({"dataset": "d", "seed": seed, "kinds": ["x"], "scores": shown})

    (tmp_path / "lines.jsonl").write_text(line(0, 0.5) + "\n" + line(1, 0.52) + "\n")
    table = recommend_table.tables(tmp_path / "lines.jsonl")
    assert "fused (x) minus the best of its parts in each split, hits@10: +11.00 points" in table
    assert "| fused (x) | 51.00 ± 1.00 (2 splits) |" in table
    assert "2 of 2" in table

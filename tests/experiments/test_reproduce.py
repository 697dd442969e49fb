"""`privge reproduce`: a killed run continues, repeats nothing, and ends with the same table."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from privge.cli import main

ASK = ["-q", "reproduce", "nodes", "--dataset", "synthetic", "--mechanism", "hds", "--epsilon", "1", "--k", "3"]
FIELDS = {"task", "dataset", "mechanism", "epsilon", "k", "repeats", "metric", "mean", "std", "paper"}
FIELDS |= {"structure_only", "shuffled", "label_propagation", "no_privacy"}
FIELDS |= {
    f"{lift}{end}" for lift in ("lift", "lift_over_shuffled", "lift_over_graph_alone") for end in ("", "_low", "_high")
}


def lines(folder):
    path = folder / "nodes-synthetic.jsonl"
    return path.read_text().splitlines() if path.exists() else []


def reproduce(folder, *more):
    result = CliRunner().invoke(main, [*ASK, "--repeats", "2", "--json", "--results", str(folder), *more])
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    summary.pop("seconds")
    return summary


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    return folder, reproduce(folder)


def test_a_cell_comes_with_its_controls(unbroken):
    _, summary = unbroken
    assert summary.keys() >= FIELDS
    assert summary["repeats"] == 2
    assert None not in [summary[name] for name in ("structure_only", "shuffled", "label_propagation", "no_privacy")]
    assert summary["lift_low"] <= summary["lift"] <= summary["lift_high"]


def test_a_killed_run_continues_and_repeats_nothing(unbroken, tmp_path):
    folder, expected = unbroken
    command = [sys.executable, "-m", "privge", *ASK, "--repeats", "2", "--results", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(lines(tmp_path)) < 3 and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = lines(tmp_path)
    assert 3 <= len(before) < len(lines(folder))
    assert reproduce(tmp_path) == expected
    after = lines(tmp_path)
    assert after[: len(before)] == before
    assert len(after) == len(lines(folder))


def test_a_finished_run_runs_nothing(unbroken):
    folder, expected = unbroken
    before = lines(folder)
    assert reproduce(folder) == expected
    assert lines(folder) == before


def test_two_jobs_give_a_record_for_every_repeat(unbroken, tmp_path):
    _, expected = unbroken
    summary = reproduce(tmp_path, "--jobs", "2")
    assert summary["repeats"] == expected["repeats"]
    assert {json.loads(line)["threads"] for line in lines(tmp_path)} == {1}


def test_the_table_has_every_control_and_all_lifts(unbroken):
    folder, summary = unbroken
    result = CliRunner().invoke(main, [*ASK, "--repeats", "2", "--results", str(folder)])
    header, row = result.stdout.splitlines()
    for name in ("structure-only", "shuffled", "graph alone", "no privacy", "largest class"):
        assert name in header
    for name in ("structure-only", "shuffled", "graph alone"):
        assert f"over {name}" in header
    for name in ("mean", "structure_only", "shuffled", "label_propagation", "no_privacy"):
        assert f"{summary[name]:.1f}" in row
    for name in ("lift", "lift_over_shuffled", "lift_over_graph_alone"):
        low, high = (f"{summary[f'{name}_{end}']:+.1f}" for end in ("low", "high"))
        assert f"{summary[name]:+.1f} ({low} to {high})" in row


def test_one_repeat_is_printed_without_a_spread(unbroken):
    folder, _ = unbroken
    ask = [*ASK, "--repeats", "1", "--results", str(folder)]
    result, as_json = CliRunner().invoke(main, ask), CliRunner().invoke(main, [*ask, "--json"])
    assert result.exit_code == as_json.exit_code == 0
    assert "nan" not in result.stdout
    assert not re.search(r"\d ±", result.stdout)
    assert "one repeat, no spread" in result.stdout
    summary = json.loads(as_json.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert summary["std"] is summary["lift_low"] is summary["lift_over_graph_alone_high"] is None
    assert summary["mean"] is not None
    assert summary["lift"] is not None


def test_an_unknown_dataset_is_bad_data():
    result = CliRunner().invoke(main, ["reproduce", "nodes", "--dataset", "nowhere"])
    assert result.exit_code == 3
    assert "nowhere" in result.stderr


def test_a_cell_that_the_paper_does_not_have_is_bad_data():
    result = CliRunner().invoke(
        main, ["reproduce", "nodes", "--dataset", "synthetic", "--epsilon", "7", "--mechanism", "hds"]
    )
    assert result.exit_code == 3
    assert "epsilon" in result.stderr


def test_variance_prints_the_crossings():
    result = CliRunner().invoke(main, ["reproduce", "variance", "--json"])
    found = {(line["kind"], line["rival"]): line["epsilon"] for line in map(json.loads, result.stdout.splitlines())}
    assert found["variance", "piecewise"] == 3.68
    assert found["variance", "laplace"] == 6.73
    assert found["variance", "multibit"] is None
    assert found["mean squared error", "piecewise"] == 3.18
    assert found["mean squared error", "laplace"] == 5.98
    assert found["variance without bias", "laplace"] == 4.17
    assert found["variance without bias", "multibit"] == 1.59


def test_the_report_shows_results_controls_and_what_follows(unbroken, tmp_path):
    folder, summary = unbroken
    page, markdown = tmp_path / "report.html", tmp_path / "report.md"
    result = CliRunner().invoke(main, ["report", str(folder), "-o", str(page), "--markdown", str(markdown)])
    assert result.exit_code == 0, result.output
    html = page.read_text()
    assert html.count("data:image/png;base64,") >= 3
    for text in ("structure-only", "label propagation", "no privacy", f"{summary['mean']:.1f}"):
        assert text in html
        assert text in markdown.read_text()
    assert "http://" not in html
    assert "https://" not in html


def test_a_report_of_nothing_says_so(tmp_path):
    result = CliRunner().invoke(main, ["report", str(tmp_path)])
    assert result.exit_code == 3
    assert "no results" in result.stderr
    assert not list(tmp_path.iterdir())

"""Finished seeds on disk, such as ``beyond-demo.jsonl``, and running those that are not finished yet."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from privge._typing import Progress
from privge.errors import BadData
from privge.experiments.beyond.methods import METHODS
from privge.experiments.beyond.plan import Trial, measured_in
from privge.experiments.beyond.run import FRIENDS, run_trial
from privge.experiments.beyond.situation import Situation
from privge.experiments.lines import append_line, complete_lines, locked

Record: TypeAlias = dict[str, Any]


def path_of(folder: Path, dataset: str) -> Path:
    """Return the file of a dataset."""
    return folder / f"beyond-{dataset}.jsonl"


def read(folder: Path, dataset: str) -> dict[tuple[Trial, int], Record]:
    """Return the finished seeds of a dataset; of two records of a seed, the last. Other methods are not counted."""
    path, found = path_of(folder, dataset), {}
    for number, line in complete_lines(path):
        try:
            record: Record = json.loads(line)
            name, epsilon, seed = record["method"], record["epsilon"], int(record["seed"])
            complete = record["dataset"] == dataset and all(group in record for group in FRIENDS)
        except (ValueError, KeyError, TypeError) as error:
            raise BadData(f"{path}, line {number}: not a result") from error
        if not complete:
            raise BadData(f"{path}, line {number}: not a result of this dataset")
        if name in METHODS:
            found[Trial(dataset, METHODS[name], epsilon), seed] = record
    return found


def run_all(
    folder: Path,
    wanted: list[Trial],
    repeats: int,
    *,
    situation_of: Callable[[str, int], Situation],
    progress: Progress | None = None,
) -> int:
    """Run every unfinished seed and save each when it is done; return how many were run.

    Parameters
    ----------
    folder
        Where finished seeds are, and are added.
    wanted, repeats
        What to have at the end, for so many seeds.
    situation_of
        Makes the situation of a dataset and a seed.
    progress
        Called with the seeds done and the seeds in all.
    """
    with locked(folder):
        work = unfinished(folder, wanted, repeats)
        done, total = 0, sum(map(len, work.values()))
        for (dataset, seed), mine in work.items():
            situation = situation_of(dataset, seed)
            for trial in mine:
                append_line(path_of(folder, dataset), run_trial(trial, situation))
                done += 1
                if progress is not None:
                    progress(done, total)
    return total


def unfinished(folder: Path, wanted: list[Trial], repeats: int) -> dict[tuple[str, int], list[Trial]]:
    """Return what is still to be run, by dataset and seed, whose people and structure are made once."""
    work: dict[tuple[str, int], list[Trial]] = {}
    plan = measured_in(folder)
    done = {key for dataset in {trial.dataset for trial in wanted} for key in read(folder, dataset)}
    for repeat in range(repeats):
        for trial in wanted:
            seed = plan[trial.dataset].first_seed + repeat
            if (trial, seed) not in done:
                work.setdefault((trial.dataset, seed), []).append(trial)
    return work

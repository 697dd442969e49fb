"""Does the forecast of `privge plan` hold? Beside measured lifts, on networks and splits that nothing was fitted to.

    PRIVGE_DATA=... python benchmarks/forecast.py run --workers 2     # appends to docs/results/forecast.jsonl
    python benchmarks/forecast.py judge -o docs/results/forecast.svg  # the table, the criteria and the plot

Each network is seen twice. A plan sees its graph, the labels of training and validation people, and a panel of 500
training people; it never sees the test people's labels or anybody else's profile. The measured lift is that of
`privge.teaching.two_step` on the test people: of `docs/results/two-step-*.jsonl` where it was stored (seeds from 150
on), else computed here. A *setting* is a world with an epsilon of answers and of teachers; lifts and forecasts are
means over its seeds. Constants of the forecast were chosen by reasoning and on
seeds 100 and 101; `docs/plan.md` says what was changed after a first look at some of these settings.
"""

import argparse
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from privge.datasets.synthetic import social_network
from privge.datasets.worlds import World, world
from privge.planning.gain import Asking
from privge.planning.measured import taught_by_reports
from privge.planning.outlook import Outlook
from privge.planning.panel import Panel
from privge.questions import Encoding
from privge.questions.people import people_of
from privge.tasks import split_nodes
from privge.tasks.friends import by_friends
from privge.teaching import Design, Roles, public_prior, two_step

RESULTS = Path(__file__).parent.parent / "docs" / "results"
OUTPUT = RESULTS / "forecast.jsonl"
KEPT = Path(tempfile.gettempdir()) / "privge-forecast-measured.json"
"""Measured lifts of an earlier run, with --again."""

PANEL = 500
STORED = {  # world: seeds, and (epsilon, teachers' epsilon)
    "demo": (range(150, 156), [(1, None), (2, None), (4, None)]),
    "platform": (range(150, 156), [(1, None), (2, None), (4, None), (1, 4), (2, 4)]),
    "platform-4": (range(150, 154), [(1, None), (2, None), (4, None)]),
    "pubmed": (range(150, 153), [(1, None), (2, None), (3, None), (5, None)]),
    "wikipedia": (range(150, 153), [(1, None), (2, None), (3, None)]),
}
EASY = [(1, None), (2, None), (4, None)]
OWN = {
    "cora": (range(150, 153), EASY),
    "citeseer": (range(150, 153), EASY),
    "made: little homophily": (range(150, 153), EASY),
    "made: few friends": (range(150, 153), EASY),
    "made: very homophilous": (range(150, 153), EASY),
    "made: few interests": (range(150, 153), EASY),
    "made: 12 communities": (range(150, 153), EASY),
    "made: 2 communities": (range(150, 153), EASY),
}
MADE = {
    "made: little homophily": {"homophily": 0.4},
    "made: few friends": {"degree": 4.0},
    "made: very homophilous": {"homophily": 0.85},
    "made: few interests": {"interests": 6, "homophily": 0.6},
    "made: 12 communities": {"communities": 12, "people": 4000},
    "made: 2 communities": {"communities": 2, "homophily": 0.5, "interests": 8},
}


def world_named(name, seed):
    if name not in MADE:
        return world(name, seed)
    made = social_network(seed=seed, **MADE[name])
    split = split_nodes(made.labels, seed=seed, shares=(0.35, 0.15, 0.5))
    encoding = Encoding.numbers(made.features.shape[1], 0.0, 1.0)
    return World(name, made.graph, made.features, made.labels, encoding, split)


def kept_lifts(name, seed):
    """Return what an earlier run of this benchmark measured."""
    found = {}
    for record in json.loads(KEPT.read_text()) if KEPT.exists() else []:
        if (record["world"], record["seed"]) == (name, seed):
            friends = [{"people": people, "lift": lift} for people, lift in record["measured by friends"].items()]
            measured = {"lift": record["measured"], "structure": record["structure"], "by friends": friends}
            found[record["epsilon"], record["teacher epsilon"]] = measured
    return found


def stored_lifts(name, seed):
    """Return the stored lifts of a world and seed by their design, with how many test people there were."""
    found = {}
    for line in (RESULTS / f"two-step-{name}.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["method"] == "taught" and record["seed"] == seed and record["panel"] == 0:
            found[record["epsilon"], record["teacher epsilon"]] = record
    return found


def measured_lifts(place, seed, designs):
    """Run the two steps here."""
    split = place.split
    train, validation = np.asarray(split.train), np.asarray(split.validation)
    structure = public_prior(place.graph, place.labels, train=train, validation=validation, seed=seed)
    return {
        (epsilon, teachers): two_step(
            place.graph,
            place.features,
            place.labels,
            encoding=place.encoding,
            split=split,
            design=Design(epsilon=epsilon, teacher_epsilon=teachers),
            structure=structure,
            seed=1000 * seed,
        ).to_dict()
        for epsilon, teachers in designs
    }


def run(job):
    """Forecast and measure one world of one seed; return a record for each design."""
    name, seed, designs = job
    place = world_named(name, seed)
    split = np.asarray(place.split.train), np.asarray(place.split.validation)
    known = np.full(place.graph.nodes, -1)
    for part in split:
        known[part] = place.labels[part]
    hidden = [int(label) if label >= 0 else None for label in known]
    outlook = Outlook.of(place.graph, hidden, split=split, prior="structure", seed=seed)
    chosen = np.sort(np.random.default_rng([seed, 50]).choice(split[0], PANEL, replace=False))
    people = people_of(place.features, place.encoding.raw_names, place.encoding.raw_width)
    panel = Panel.of(place.encoding, people.take(chosen), chosen, outlook.labels)
    asked_for = np.asarray(place.split.test)
    records = []
    for epsilon, teachers in designs:
        asking = Asking.of(outlook.prior.probabilities[asked_for], epsilon)
        roles = Roles.of(outlook.prior.log, train=split[0], validation=split[1], epsilon=epsilon, seed=seed)
        forecast = taught_by_reports(panel, outlook, asking, roles.teachers, teachers or epsilon, seed=seed)
        low, high = forecast.interval(outlook.doubt)
        groups = dict(by_friends(outlook.friends[asked_for]))
        records.append(
            {
                "world": name,
                "seed": seed,
                "epsilon": epsilon,
                "teacher epsilon": teachers,
                "forecast": 100 * float(forecast.gains.mean()),
                "low": low,
                "high": high,
                "delta": forecast.delta,
                "ceiling": 100 * float(asking.ceiling.mean()),
                "by friends": {
                    group: 100 * float(forecast.gains[inside].mean())
                    for group, inside in groups.items()
                    if inside.any()
                },
                "controls": outlook.controls._asdict(),
            }
        )
    lifts = stored_lifts(name, seed) if name in STORED else kept_lifts(name, seed)
    lifts = lifts or measured_lifts(place, seed, designs)
    for record in records:
        lift = lifts[record["epsilon"], record["teacher epsilon"]]
        record["measured"] = lift["lift"]
        record["structure"] = lift["structure"]
        record["measured by friends"] = {row["people"]: row["lift"] for row in lift["by friends"]}
    return records


def jobs(done):
    """Yield what is not done yet, seed by seed, so that every world has something early."""
    wanted = [(name, seed, designs) for name, (seeds, designs) in {**OWN, **STORED}.items() for seed in seeds]
    yield from sorted((job for job in wanted if job[:2] not in done), key=lambda job: job[1])


def run_all(workers):
    done = {(record["world"], record["seed"]) for record in read()}
    todo = list(jobs(done))
    with ProcessPoolExecutor(workers) as pool:
        for number, records in enumerate(pool.map(run, todo), start=1):
            with OUTPUT.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in records)
            print(f"{number} of {len(todo)}: {records[0]['world']} {records[0]['seed']}", file=sys.stderr, flush=True)


def read():
    return [json.loads(line) for line in OUTPUT.read_text().splitlines()] if OUTPUT.exists() else []


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "judge"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="Forecast anew; keep what was measured.")
    parser.add_argument("-o", "--output", type=Path, help="Where the plot goes.")
    options = parser.parse_args()
    if options.what == "run" and options.again:
        KEPT.write_text(json.dumps(read()))
        OUTPUT.unlink()
    elif options.what == "run":
        KEPT.unlink(missing_ok=True)  # measured by other code, perhaps
    if options.what == "run":
        run_all(options.workers)
    else:
        from forecast_judged import judge

        judge(read(), options.output)

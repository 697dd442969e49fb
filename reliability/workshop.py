"""A folder with one good file of every kind that a command reads, and a good command for each of them."""

import gzip
import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse

import privge as pg
from privge.cli import main as privge
from privge.collect.service.credentials import write_keys
from privge.collect.stores import Upload, open_store
from privge.datasets import Dataset
from privge.datasets.export import write_folder
from privge.device.memory import Memory
from privge.experiments.cell import Cell
from privge.experiments.plan import HDS, task_plan
from privge.experiments.results import Results
from privge.graph import read_graph, save_graph, write_graph
from privge.perturbation.features import Features
from privge.perturbation.simulate_parts import simulate_parts
from privge.tasks import SteadyClassifier
from privge.tasks.classification.candidates import Logistic
from privge.tasks.settings import Settings
from privge.wire.tokens import Key, mint

ID, VALUE = "zqz", "7391"
"""What every node id and every private value here has in it, and nothing else."""

SERVICE = "{service}"
"""Stands in a command for the address of a service."""


@dataclass(frozen=True)
class Command:
    """A command that works, the files that it reads, and whether it asks a service."""

    arguments: tuple[str, ...]
    inputs: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """Whether it asks a service."""
        return any(SERVICE in argument for argument in self.arguments)


class Workshop:
    """The folder, and what must not turn up on stderr."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        generator = np.random.default_rng(0)
        self.ids = [f"{ID}{i:02d}" for i in range(20)]
        self.features = np.round(0.7391 + generator.random((20, 4)) / 1e5, 12)
        self.names = [f"f{j}" for j in range(4)]
        fields = {"low": 0, "high": 1, "mechanism": "hds", "epsilon": 1.0, "k": 2, "levels": 33}
        self.campaign = pg.Campaign(dimensions=4, names=self.names, purpose="Why?", **fields)
        self.other = pg.Campaign(dimensions=4, names=self.names, purpose="Another", **fields)
        self.key = Key.new()
        self.token = mint(self.key, node=self.ids[0], expires=2**40)
        self._graphs(generator)
        self._people()
        self._campaigns()
        self._lessons(generator)
        self._answers(generator)
        self._store()
        self._results()

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no message may hold."""
        secret = (self.folder / "keys").read_text().partition(":")[2].strip()
        return (ID, VALUE, secret, self.token, self.token.partition(".")[0], "administrator" * 3)

    def copy(self, place: Path) -> Path:
        """Return a fresh copy."""
        shutil.copytree(self.folder, place)
        (place / "keys").chmod(0o600)
        (place / "admin").chmod(0o600)
        return place

    def _graphs(self, generator: np.random.Generator) -> None:
        pairs = [(self.ids[a], self.ids[b]) for a, b in generator.integers(0, 20, (60, 2)).tolist()]
        self.graph = graph = pg.Graph.from_edges(pairs, nodes=self.ids)
        text = "source,target\n" + "".join(f"{a},{b}\n" for a, b in pairs)
        (self.folder / "edges.csv").write_text(text)
        (self.folder / "edges.tsv").write_text(text.replace(",", "\t"))
        (self.folder / "edges.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        (self.folder / "nodes.csv").write_text("id\n" + "\n".join(self.ids) + "\n")
        write_graph(graph, self.folder / "edges.parquet")
        pq.write_table(pa.table({"id": self.ids}), self.folder / "nodes.parquet")
        scipy.sparse.save_npz(self.folder / "edges.npz", graph.to_scipy())
        save_graph(graph, self.folder / "texts.graph")
        save_graph(pg.Graph.from_edges(generator.integers(0, 20, (60, 2))), self.folder / "numbers.graph")
        shutil.copytree(self.folder / "texts.graph", self.folder / "other.graph")

    def _people(self) -> None:
        header = ",".join(["id", *self.names])
        rows = [",".join([node, *map(repr, row)]) for node, row in zip(self.ids, self.features.tolist(), strict=True)]
        (self.folder / "features.csv").write_text("\n".join([header, *rows, ""]))
        table = pa.table({"id": self.ids, **{name: self.features[:, j] for j, name in enumerate(self.names)}})
        pq.write_table(table, self.folder / "features.parquet")
        scipy.sparse.save_npz(self.folder / "features.npz", scipy.sparse.csr_array(self.features))
        (self.folder / "people").mkdir()
        for part in range(2):
            pq.write_table(table.slice(10 * part, 10), self.folder / "people" / f"{part}.parquet")
        (self.folder / "me.json").write_text(json.dumps(dict(zip(self.names, self.features[0].tolist(), strict=True))))
        (self.folder / "me.token").write_text(self.token)
        tokens = [mint(self.key, node=node, expires=2**40) for node in self.ids]
        lines = (f"{node},{token}\n" for node, token in zip(self.ids, tokens, strict=True))
        (self.folder / "tokens.csv").write_text("id,token\n" + "".join(lines))
        write_keys(self.folder / "keys", [self.key])
        (self.folder / "admin").write_text("administrator" * 3)
        (self.folder / "admin").chmod(0o600)
        Memory(self.folder / "device").set_caps(1.0, 5.0)

    def _campaigns(self) -> None:
        self.campaign.save(self.folder / "campaign.json")
        self.other.save(self.folder / "other.json")
        (self.folder / "names.txt").write_text("\n".join(self.names) + "\n")
        (self.folder / "campaign.toml").write_text(
            'purpose = "Why?"\nmechanism = "hds"\nepsilon = 1.0\nk = 2\nlevels = 33\n'
            + "".join(f'[[features]]\nname = "{name}"\nlow = 0\nhigh = 1\n' for name in self.names)
        )
        self.reports = reports = self.campaign.simulate(self.features, ids=self.ids)
        reports.to_parquet(self.folder / "reports.parquet")
        self.other.simulate(self.features, ids=self.ids).to_parquet(self.folder / "other-reports.parquet")
        simulate_parts(self.campaign, self.folder / "people", self.folder / "reports")
        pg.embed(self.graph, reports).to_parquet(self.folder / "vectors")

    def _lessons(self, generator: np.random.Generator) -> None:
        """Write more people than the others, because teaching and judging need some of each class."""
        ids, classes = [f"{ID}{i:02d}" for i in range(90)], np.arange(90) % 2
        pairs = generator.integers(0, 45, (240, 2)) * 2 + generator.integers(0, 2, (240, 1))  # friends are of one class
        edges = "".join(f"{ids[a]},{ids[b]}\n" for a, b in pairs.tolist())
        (self.folder / "friends.csv").write_text("source,target\n" + edges)
        (self.folder / "everybody.csv").write_text("id\n" + "\n".join(ids) + "\n")
        labels = [f"{node},{group}\n" for node, group in zip(ids, classes, strict=True)]
        (self.folder / "labels.csv").write_text("".join(["id,label\n", *labels]))
        (self.folder / "known.csv").write_text("".join(["id,label\n", *labels[:60]]))
        values = np.round(0.7391 + (generator.random((90, 4)) + classes[:, None]) / 1e5, 12)
        rows = [",".join([node, *map(repr, row)]) for node, row in zip(ids, values.tolist(), strict=True)]
        heading = ",".join(["id", *self.names])
        (self.folder / "profiles.csv").write_text("\n".join([heading, *rows, ""]))
        (self.folder / "panel.csv").write_text("\n".join([heading, *rows[:40], ""]))
        (self.folder / "direction.toml").write_text(
            'epsilon = 1.0\n[[questions]]\nkind = "direction"\n'
            + "".join(
                f'[[questions.features]]\nkind = "number"\nname = "{name}"\nlow = 0.739\nhigh = 0.7392\n'
                for name in self.names
            )
        )

    def _answers(self, generator: np.random.Generator) -> None:
        """Write what answers are made of: reports of the people of the lessons, vectors, groups, a model, a dataset."""
        graph = read_graph(self.folder / "friends.csv", nodes=self.folder / "everybody.csv")
        ids, labels = graph.ids.tolist(), np.arange(90) % 2
        values = np.round(0.7391 + (generator.random((90, 4)) + labels[:, None]) / 1e5, 12)
        reports = self.campaign.simulate(values, ids=ids, seed=0)
        reports.to_parquet(self.folder / "friends-reports.parquet")
        vectors = pg.embed(graph, reports)
        vectors.to_parquet(self.folder / "friends-z.parquet")
        (self.folder / "groups.csv").write_text("id,group\n" + "".join(f"{n},{'xy'[n < ids[45]]}\n" for n in ids))
        (self.folder / "blocked.csv").write_text(f"source,target\n{ids[0]},{ids[9]}\n{ids[3]},{ids[1]}\n")
        (self.folder / "left.csv").write_text(f"id\n{ids[5]}\n{ids[6]}\n")
        known = {node: int(label) for node, label in zip(ids[:40], labels, strict=False)}
        head = SteadyClassifier(candidates=(Logistic(1.0),)).fit(vectors, known)
        head.model_.save(self.folder / "model.npz")
        people = Features(graph.ids, values, tuple(self.names))
        classes = dict(zip(ids, labels.tolist(), strict=True))
        data = Dataset.from_frames(graph, people, classes, name="own")
        quick = {"nodes": Settings(k=2, head={"epochs": 2, "hidden": 8})}
        write_folder(data, self.folder / "own", quick)
        (self.folder / "settings.toml").write_bytes((self.folder / "own" / "settings.toml").read_bytes())

    def _store(self) -> None:
        store = open_store(str(self.folder / "store.db"))
        store.add_campaign(self.campaign)
        rows = zip(self.ids, self.reports.codes, strict=True)
        uploads = [Upload(node, codes.astype("<u2").tobytes()) for node, codes in rows]
        store.put(self.campaign.id, uploads, day=date(2027, 1, 1))
        store.close()
        place = {name: str(self.folder / name) for name in ("texts.graph", "store.db", "z.parquet")}
        command = ["embed", "--graph", place["texts.graph"], "--store", place["store.db"], "-o", place["z.parquet"]]
        with redirect_stdout(None):
            privge.main(command, standalone_mode=False)

    def _results(self) -> None:
        plan, results = task_plan("nodes"), Results(self.folder / "results")
        results.folder.mkdir()
        hds = Cell("nodes", "cora", HDS, 1.0, 20)
        for cell in (hds, plan.structure_of(hds), plan.shuffled_of(hds), plan.no_privacy_of(hds)):
            for repeat in range(3):
                figures = {"accuracy": 70.0 + repeat, "seconds": {"train": 1.0}, "versions": {"privge": "0"}}
                results.append(
                    {**cell.identity(), "repeat": repeat, "settings": plan.settings(cell).to_dict(), **figures}
                )


def commands(campaign: str) -> list[Command]:
    """Return good commands, whose inputs can be spoiled; the address of a service is filled in later."""
    url = f"{SERVICE}/v1/campaigns/{campaign}"
    made = []

    def add(text: str, *inputs: str) -> None:
        made.append(Command(tuple(text.split()), inputs))

    for edges in ("edges.csv", "edges.tsv", "edges.csv.gz", "edges.parquet", "texts.graph"):
        add(f"embed --graph {edges} --reports reports.parquet -o out.parquet", edges, "reports.parquet")
    add("embed --graph edges.csv --nodes nodes.csv --reports reports -o out", "nodes.csv", "reports")
    add("embed --graph edges.csv --nodes nodes.parquet --reports reports.parquet -o out.npy", "nodes.parquet")
    add("embed --graph edges.npz --features features.npz --epsilon 1 -o out.parquet", "edges.npz", "features.npz")
    add("embed --graph numbers.graph --features features.npz --epsilon 1 -o out.parquet", "numbers.graph")
    add("embed --graph edges.csv --features features.csv --epsilon 1 --k 2 -o out.parquet", "features.csv")
    add("embed --graph edges.csv --features features.csv --campaign campaign.toml -o out.npy", "campaign.toml")
    add("embed --graph edges.csv --store store.db -o out.parquet --engine push", "store.db")
    add("embed --graph texts.graph --store store.db --update z.parquet -o out.parquet", "z.parquet", "store.db")
    add("perturb --features features.csv --campaign campaign.toml -o out.parquet", "features.csv", "campaign.toml")
    add(
        "perturb --features features.parquet --campaign campaign.json -o out.parquet",
        "features.parquet",
        "campaign.json",
    )
    add("perturb --features people --campaign campaign.json -o out", "people", "campaign.json")
    add("perturb --features people --campaign campaign.json -o reports", "reports", "people")
    add("campaign new --from campaign.toml -o out.json", "campaign.toml")
    add("campaign new --names-file names.txt --epsilon 1 -o out.json", "names.txt")
    add("campaign show campaign.json", "campaign.json")
    add("similar z.parquet --node zqz00", "z.parquet")
    add("similar vectors --node zqz00", "vectors")
    add("convert --edges edges.parquet --nodes nodes.parquet -o out.graph", "edges.parquet", "nodes.parquet")
    add("convert --edges edges.parquet -o other.graph", "other.graph")
    for action in ("stats", "verify", "backup -o out.db", "migrate", "retire", "log", "erase --node zqz00"):
        add(f"store {action} --store store.db", "store.db")
    add(f"campaign close {campaign} --store store.db", "store.db")
    add(f"campaign close {campaign} --service {SERVICE} --admin-token-file admin", "admin")
    add("report results -o out.html --markdown out.md", "results")
    add("token mint --keys-file keys --node zqz00", "keys")
    add("token keygen --rotate -o keys", "keys")
    add(f"contribute --campaign {url} --features me.json --token-file me.token --folder device", "me.json", "me.token")
    add(f"submit --campaign {url} --batch features.csv --keys-file keys --state state", "features.csv", "keys")
    add(f"submit --campaign {url} --batch people --tokens tokens.csv --state state", "people", "tokens.csv")
    add(f"submit --campaign {url} --reports reports.parquet --keys-file keys --state state", "reports.parquet")
    add(f"campaign publish campaign.json --service {SERVICE} --admin-token-file admin", "campaign.json", "admin")
    _add_answers(add)
    teach = "teach plan --graph friends.csv --nodes everybody.csv --labels labels.csv --epsilon 1 -o out.parquet"
    add(teach, "friends.csv", "everybody.csv", "labels.csv")
    own = "--graph friends.csv --nodes everybody.csv --features profiles.csv --labels labels.csv"
    add(f"simulate two-step {own} --campaign direction.toml --epsilon 1 --no-nulls", "profiles.csv", "direction.toml")
    add("serve --store store.db --keys-file keys --admin-token-file admin --tls-cert keys --tls-key keys", "keys")
    return made


def _add_answers(add: Callable[..., None]) -> None:
    """Add the commands that answer a question of a curator, and those that say what is promised."""
    asked = "--graph friends.csv --nodes everybody.csv --reports friends-reports.parquet"
    task = "--task nodes --repeats 1 --head paper --settings settings.toml --results out"
    add(f"evaluate {asked} --labels labels.csv {task}", "friends-reports.parquet", "labels.csv", "settings.toml")
    add("evaluate --dataset own --task nodes --repeats 1 --head paper --results out", "own")
    add("classify --embedding friends-z.parquet --model model.npz -o out.parquet", "model.npz", "friends-z.parquet")
    add(f"classify {asked} --labels labels.csv --settings settings.toml -o out.csv", "labels.csv", "friends.csv")
    without = "--blocked blocked.csv --erased left.csv --no-evaluate"
    add(f"recommend {asked} {without} -o out.csv", "blocked.csv", "left.csv", "friends-reports.parquet")
    add("recommend --graph friends.csv --people left.csv --no-evaluate", "friends.csv", "left.csv")
    add("profile --reports friends-reports.parquet --groups groups.csv -o out.csv", "groups.csv")
    add("profile --campaign campaign.toml --groups groups.csv --json", "campaign.toml", "groups.csv")
    add("analyse nodes --graph edges.csv --campaign campaign.json -o out.csv", "edges.csv", "campaign.json")
    add("audit campaign.json --store store.db --draws 0", "campaign.json", "store.db")
    add("audit --embedding friends-z.parquet --attribute labels.csv", "friends-z.parquet", "labels.csv")
    public = "--graph friends.csv --nodes everybody.csv --labels known.csv"
    add(f"plan {public} --campaign direction.toml --epsilon 1", "friends.csv", "known.csv", "direction.toml")
    add(f"plan {public} --campaign direction.toml --panel panel.csv --epsilon 1 -o out.html", "panel.csv")
    add("explain campaign.json --earlier other.json", "campaign.json", "other.json")
    add("explain campaign.json --assessment --store store.db -o out.md", "store.db")

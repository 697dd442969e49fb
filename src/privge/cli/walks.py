"""Options about the computation of an embedding: the walk, how reports are read, and where it is computed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import click

from privge._files.folder import Folder
from privge.cli.cluster import cluster_option, opened_cluster
from privge.cli.declared import file_option, flag, option, place_option
from privge.cli.one_of import OneOf
from privge.cli.options import Finite, FiniteOrAuto, given, refuse_given
from privge.embedding.join import Joining
from privge.embedding.smoothed import SMOOTHERS, Automatic
from privge.propagation import DEFAULT_ALPHA, DEFAULT_R, DEFAULT_TOLERANCE, HERE, Local, OnCluster, Place, Walk, engines
from privge.tasks.settings import TASKS, Settings, read_all_settings, read_settings


@dataclass(frozen=True, kw_only=True)
class WalkOptions:
    """What is computed."""

    alpha: Any = option(
        "--alpha",
        type=FiniteOrAuto(0, 1, min_open=True, max_open=True),
        metavar="FLOAT|auto",
        default=DEFAULT_ALPHA,
        help="Decay: near 1 stays local, near 0 reaches far. auto: by Stein's unbiased risk, from reports and known "
        "noise.",
    )
    r: float = option("--r", type=Finite(0, 1), default=DEFAULT_R, help="Convolution coefficient.")
    tolerance: float = option(
        "--tolerance",
        type=Finite(0, min_open=True),
        default=DEFAULT_TOLERANCE,
        help="Largest error of any entry, certified.",
    )
    dimensions: int | None = option(
        "--dimensions",
        type=click.IntRange(1),
        help="Compact vectors: so many leading directions instead of a column for each feature.  [default: all]",
    )
    smoother: Any = option(
        "--smoother",
        type=click.Choice(SMOOTHERS),
        help="Instead of --alpha and --r: estimate the clean features by the smoother of the smallest risk.",
    )

    settings_path: Path | None = file_option(
        "--settings", about="Take alpha, r and tolerance from what `privge tune` wrote (.toml), unless given here."
    )
    settings_for: Any = option(
        "--settings-for", type=click.Choice(TASKS), help="Of settings for both tasks, whose.  [default: the only one]"
    )

    def settled(self) -> Self:
        """Return this with what a file of settings says, where the command line says nothing."""
        if self.settings_path is None:
            refuse_given(("settings_for",), "without --settings")
            return self
        found = self._settings(self.settings_path)
        stated = {name: getattr(found, name) for name in ("alpha", "r", "tolerance") if not given(name)}
        return replace(self, **stated)

    def _settings(self, path: Path) -> Settings:
        if self.settings_for is not None:
            return read_settings(path, self.settings_for)
        found = list(read_all_settings(path).values())
        if len({one.walk for one in found}) > 1:
            raise click.UsageError(f"{path} has settings for {' and '.join(TASKS)}: say whose with --settings-for.")
        return found[0]

    @property
    def walk(self) -> Walk:
        """The walk; where alpha is chosen later, with the default."""
        return Walk(DEFAULT_ALPHA if self.alpha == "auto" else self.alpha, self.r, self.tolerance)

    @property
    def automatic(self) -> Automatic:
        """What of it is chosen later."""
        return Automatic(alpha=self.alpha == "auto", smoother=self.smoother, dimensions=self.dimensions)

    def check(self) -> None:
        """Refuse options that have no effect together."""
        if self.smoother is not None:
            refuse_given(
                ("alpha", "r", "tolerance", "dimensions", "engine", "settings_path"), "with --smoother, which chooses"
            )


@dataclass(frozen=True, kw_only=True)
class JoiningOptions:
    """How reports become rows of the graph."""

    decoding: Any = option(
        "--decoding",
        type=click.Choice(["raw", "unbiased"]),
        default="raw",
        help="raw as in the paper; unbiased divides by the gain.",
    )
    clip: float | None = option(
        "--clip",
        type=Finite(1),
        help="Largest size of a decoded value; a feature goes from -1 to 1. For laws with long tails, against false "
        "reports.  [default: none]",
    )
    drop_unknown: bool = flag(
        "--drop-unknown", about="Drop reports of nodes that are not in the graph, and count them."
    )

    @property
    def joining(self) -> Joining:
        """The joining."""
        return Joining(self.decoding, self.clip, "drop" if self.drop_unknown else "refuse")


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """Where it is computed."""

    engine: str = option("--engine", type=OneOf(engines), default=HERE.engine, help="How to solve it.")
    threads: int | None = option("--threads", type=click.IntRange(1), help="By default one for each processor.")
    memory: int | None = option(
        "--memory", type=click.IntRange(0), help="Bytes the result may take; more goes through a temporary file."
    )
    cluster: str | None = cluster_option()
    regime: Any = option(
        "--regime",
        type=click.Choice(["auto", "columns", "edges"]),
        default="auto",
        help="On a cluster: a block of columns a task, or the graph cut in shards.",
    )
    work_folder: str | None = place_option(
        "--work-folder", about="On a cluster: a folder that all workers share.  [default: OUTPUT.work]"
    )

    def check(self) -> None:
        """Refuse options that only one of the two ways knows."""
        if self.cluster is None:
            refuse_given(("regime", "work_folder"), "without --cluster")
        else:
            refuse_given(("engine", "threads", "memory", "update_path", "smoother", "dimensions"), "with --cluster")

    @contextmanager
    def opened(self, output: str) -> Iterator[Place]:
        """Yield where to compute; a folder for the workers that nobody asked for is removed after success."""
        if self.cluster is None:
            yield Local(threads=self.threads, memory=self.memory, engine=self.engine)
            return
        with opened_cluster(self.cluster) as address:
            work = _work(self.work_folder, output)
            yield OnCluster(address, work, self.regime)
            if self.work_folder is None:
                work.clear()


def _work(place: str | None, output: str) -> Folder:
    """Return the folder that the workers share; one that nobody asked for is marked as ours, because it is removed."""
    if place is not None:
        return Folder.of(place)
    work = Folder.of(f"{output.rstrip('/')}/_work" if "://" in output else f"{output.rstrip('/')}.work")
    work.claim("work")
    return work

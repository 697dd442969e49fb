"""`Situation`: a world of one seed with what the structure says of everybody in it, made once for all methods."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privge._typing import Floats
from privge.datasets.worlds import World
from privge.graph.labelled import Rows
from privge.structure import NodeChannel
from privge.tasks import Fusion
from privge.tasks.settings import Settings
from privge.teaching import public_prior


@dataclass(frozen=True, eq=False)
class Situation:
    """A world, and its structural channel, which is made when it is first asked for.

    Parameters
    ----------
    world
        The graph, private profiles, labels and who is labelled.
    seed
        Of the world or of its split.
    settings
        How the paper's vectors are made; by default those of the paper's experiments for this world.
    """

    world: World
    seed: int
    settings: Settings | None = None

    @property
    def train(self) -> Rows:
        """Rows of those whose labels are there to learn from."""
        return np.asarray(self.world.split.train, dtype=np.int64)

    @property
    def validation(self) -> Rows:
        """Rows of those whose labels are there to choose by."""
        return np.asarray(self.world.split.validation, dtype=np.int64)

    @property
    def test(self) -> Rows:
        """Rows of those who are to be found."""
        return np.asarray(self.world.split.test, dtype=np.int64)

    @property
    def known(self) -> NDArray[np.int64]:
        """The labels that anybody may know, and -1 for everybody else."""
        known = np.full(self.world.graph.nodes, -1)
        for rows in (self.train, self.validation):
            known[rows] = self.world.labels[rows]
        return known

    @cached_property
    def prior(self) -> NodeChannel:
        """What the graph and all known labels say."""
        return public_prior(self.world.graph, self.known, train=self.train, validation=self.validation, seed=self.seed)

    def fused(self, evidence: Floats) -> Floats:
        """Return probabilities of structure and some evidence."""
        return Fusion.fit(
            self.prior.log, {"private": evidence}, self.known, self.validation, seed=self.seed
        ).probabilities

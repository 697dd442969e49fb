"""Simulated devices of ``perturb`` and ``embed``: features from a file, a campaign from another or from options."""

import logging
from dataclasses import dataclass, fields
from pathlib import Path

import click
import numpy as np

from privge._files.folder import Folder
from privge.campaign import Campaign
from privge.cli.declared import option
from privge.cli.fields import campaign_field
from privge.cli.ids import IdOptions
from privge.cli.options import existing, naming, refuse_given
from privge.cli.progress import progress_bar
from privge.errors import InvalidCampaign, NotAsked
from privge.mechanisms import laws
from privge.perturbation import read_features
from privge.perturbation.bounds import assumed, check_features, check_parts
from privge.perturbation.feature_files import read_feature_names
from privge.perturbation.features import Features
from privge.perturbation.raw import RawFeatures, read_raw_features
from privge.perturbation.simulate_parts import feature_files
from privge.reports import Reports

logger = logging.getLogger(__name__)
_BOUNDS = {"low": 0.0, "high": 1.0}  # if none are stated
_HOW = "--low and --high for all features, or a campaign file with bounds for each (--campaign)"


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """A campaign for a simulation, as the command line describes it."""

    mechanism: str = campaign_field("mechanism", help="none, structure: controls.")
    epsilon: float | None = campaign_field(
        "epsilon", help="Privacy budget of a person's whole report; not for the controls."
    )
    k: int | None = campaign_field("k")
    low: float | None = campaign_field(
        "low", default=None, help="Public lower bound of every feature.  [default: 0, if no value lies below]"
    )
    high: float | None = campaign_field(
        "high", default=None, help="Public upper bound of every feature.  [default: 1, if no value lies above]"
    )
    levels: int | None = campaign_field("levels")
    missing: str = campaign_field("missing", help="What a missing value counts as; an even grid has no midpoint.")
    seed: int | None = option("--seed", type=click.IntRange(0), help="Repeat the noise. NOT PRIVATE; for research.")


DESCRIBING = tuple(field.name for field in fields(SimulationOptions) if field.name != "seed")
"""The options that a campaign in a file already decides."""


@dataclass(frozen=True)
class Simulation:
    """Devices to simulate: of which campaign, described by a file or else by options, and how ids are read."""

    campaign_path: Path | None
    described: SimulationOptions
    ids: IdOptions

    def __post_init__(self) -> None:
        described = self.described
        if self.campaign_path is not None:
            refuse_given(DESCRIBING, "with --campaign, which brings its own campaign")
        elif described.epsilon is None and laws()[described.mechanism].fixed_epsilon is None:
            raise click.UsageError("Give --epsilon, the privacy budget of a person's whole report.")

    def for_file(self, path: Path) -> tuple[Campaign, Features | RawFeatures]:
        """Read features from a file; return them with their campaign, which without a file has the names of columns."""
        if self.campaign_path is not None:
            campaign = Campaign.load(existing(self.campaign_path))
            return campaign, read_features_for(path, campaign, self.ids)
        ids = self.ids.of("features")
        features = read_features(path, integer_ids=ids.integer_ids, id_column=ids.id_column)
        with naming(path):
            check_features(features, assumed(self.described.low, self.described.high), _HOW)
        return self._campaign(features.matrix.shape[1], features.names), features

    def for_folder(self, folder: Folder) -> Campaign:
        """Return the campaign for a folder of features, of which no value is read if its files have statistics."""
        if self.campaign_path is not None:
            return Campaign.load(existing(self.campaign_path))
        files = feature_files(folder)
        names = read_feature_names(folder, files[0])
        with naming(folder.address):
            check_parts(folder, files, names, assumed(self.described.low, self.described.high), _HOW)
        return self._campaign(len(names), names)

    def reports(self, path: Path) -> Reports:
        """Simulate the devices of everybody in a file."""
        campaign, features = self.for_file(path)
        warn()
        with naming(path):
            features = _of_asked(campaign, features)
        with naming(path), progress_bar("Perturbing") as progress:
            return campaign.simulate(features, seed=self.described.seed, progress=progress)

    def _campaign(self, dimensions: int, names: tuple[str, ...] | None) -> Campaign:
        stated = {name: getattr(self.described, name) for name in DESCRIBING}
        bounds = {name: bound for name, bound in _BOUNDS.items() if stated[name] is None}
        try:
            return Campaign(
                dimensions=dimensions, names=names, purpose="simulation on the command line", **stated | bounds
            )
        except InvalidCampaign as error:
            raise click.UsageError(str(error)) from error


def read_features_for(path: Path, campaign: Campaign, ids: IdOptions) -> Features | RawFeatures:
    """Read from a file what a campaign asks for, by the names of columns."""
    column = ids.column_in("features")
    if campaign.questions is not None:
        return read_raw_features(path, campaign, integer_ids=ids.integer_ids, id_column=column)
    return read_features(path, integer_ids=ids.integer_ids, id_column=column, wanted=campaign.names)


def _of_asked(campaign: Campaign, features: Features | RawFeatures) -> Features | RawFeatures:
    """Leave out those whom a campaign does not ask, which is public: their devices would not report either."""
    if campaign.assignment is None or not isinstance(features, RawFeatures):
        return features
    asked = campaign.assignment.asks(features.ids.tolist())
    if not asked.any():
        raise NotAsked("nobody here is asked in this campaign; see whether ids are written alike: 007 is not 7")
    if not asked.all():
        logger.info("%s of %s people are not asked, and do not report", f"{(~asked).sum():,}", f"{len(asked):,}")
    return features.take(np.flatnonzero(asked))


def warn() -> None:
    """Say what a simulation reads."""
    click.echo("Simulating the devices: this reads everybody's private features.", err=True)

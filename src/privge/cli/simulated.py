"""Simulated devices of ``perturb`` and ``embed``: features from a file, a campaign from another or from options."""

from dataclasses import dataclass
from pathlib import Path

import click

from privge._files.folder import Folder
from privge.campaign import Campaign
from privge.cli.options import existing, naming, refuse_campaign_options
from privge.cli.progress import progress_bar
from privge.errors import InvalidCampaign
from privge.mechanisms import laws
from privge.perturbation import read_features
from privge.perturbation.bounds import assumed, check_features, check_parts
from privge.perturbation.feature_files import read_feature_names
from privge.perturbation.features import Features
from privge.perturbation.simulate_parts import feature_files
from privge.reports import Reports

_HOW = "--low and --high for all features, or a campaign file with bounds for each (--campaign)"


@dataclass(frozen=True, kw_only=True)
class CampaignOptions:
    """A campaign as the command line describes it.

    Parameters
    ----------
    path
        A file that decides everything below.
    mechanism
        As for `privge.Campaign`, like all that follow.
    epsilon
        Needed, unless the mechanism is a control.
    k
        Left out, the default of a campaign.
    low
        Left out, 0, if no value lies below.
    high
        Left out, 1, if no value lies above.
    levels
        Left out, the default of a campaign.
    missing
        What a missing value counts as.
    integer_ids
        Whether ids in a text file of features are integers.
    """

    path: Path | None
    mechanism: str
    epsilon: float | None
    k: int | None
    low: float | None
    high: float | None
    levels: int | None
    missing: str = "midpoint"
    integer_ids: bool = False

    def __post_init__(self) -> None:
        if self.path is not None:
            refuse_campaign_options("--campaign", allowed=("seed",))
        elif self.epsilon is None and laws()[self.mechanism].fixed_epsilon is None:
            raise click.UsageError("Give --epsilon, the privacy budget of a person's whole report.")

    def for_file(self, path: Path) -> tuple[Campaign, Features]:
        """Read features from a file; return them with their campaign, which without a file has the names of columns."""
        if self.path is not None:
            campaign = Campaign.load(existing(self.path))
            return campaign, read_features(path, wanted=campaign.names, integer_ids=self.integer_ids)
        features = read_features(path, integer_ids=self.integer_ids)
        with naming(path):
            check_features(features, assumed(self.low, self.high), _HOW)
        return self._campaign(features.matrix.shape[1], features.names), features

    def for_folder(self, folder: Folder) -> Campaign:
        """Return the campaign for a folder of features, of which no value is read if its files have statistics."""
        if self.path is not None:
            return Campaign.load(existing(self.path))
        files = feature_files(folder)
        names = read_feature_names(folder, files[0])
        with naming(folder.address):
            check_parts(folder, files, names, assumed(self.low, self.high), _HOW)
        return self._campaign(len(names), names)

    def _campaign(self, dimensions: int, names: tuple[str, ...] | None) -> Campaign:
        try:
            return Campaign(
                dimensions=dimensions,
                low=0.0 if self.low is None else self.low,
                high=1.0 if self.high is None else self.high,
                mechanism=self.mechanism,
                epsilon=self.epsilon,
                k=self.k,
                levels=self.levels,
                missing=self.missing,
                names=names,
                purpose="simulation on the command line",
            )
        except InvalidCampaign as error:
            raise click.UsageError(str(error)) from error


def simulated_reports(path: Path, options: CampaignOptions, seed: int | None) -> Reports:
    """Simulate the devices of everybody in a file."""
    campaign, features = options.for_file(path)
    warn()
    with naming(path), progress_bar("Perturbing") as progress:
        return campaign.simulate(features, seed=seed, progress=progress)


def warn() -> None:
    """Say what a simulation reads."""
    click.echo("Simulating the devices: this reads everybody's private features.", err=True)

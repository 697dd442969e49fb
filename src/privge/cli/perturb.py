"""``privge perturb``: simulate every device and write the reports."""

import json
from pathlib import Path

import click

from privge._memory import peak_bytes
from privge.campaign import Campaign
from privge.cli.options import (
    INPUT,
    OUTPUT,
    campaign_options,
    check_output,
    existing,
    json_option,
    naming,
    refuse_campaign_options,
    simulated_campaign,
)
from privge.cli.progress import progress_bar
from privge.graph import read_features


@click.command()
@click.option("--features", "features_path", type=INPUT, required=True, help="Table with a column id, or sparse .npz.")
@click.option("--campaign", "campaign_path", type=INPUT, help="Campaign in TOML or JSON, instead of the options below.")
@campaign_options
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the reports go (.parquet).")
@json_option
def perturb(
    features_path: Path, campaign_path: Path | None, mechanism: str, epsilon: float | None, k: int | None, low: float,
    high: float, levels: int | None, seed: int | None, output: Path, *, as_json: bool,
) -> None:  # fmt: skip
    """Perturb everybody's features at once, as their devices would.

    This is a simulation for research: it reads the private features of everybody. In a real collection each device
    perturbs its own, and nobody has this file.

    \b
    Example:
      privge perturb --features features.csv --epsilon 1 --k 5 -o reports.parquet
    """
    check_output(output, ".parquet")
    features = read_features(features_path)
    if campaign_path is None:
        campaign = simulated_campaign(features.matrix.shape[1], mechanism, epsilon, k, low, high, levels)
    else:
        refuse_campaign_options("--campaign", allowed=("seed",))
        campaign = Campaign.load(existing(campaign_path))
    click.echo("Simulating the devices: this reads everybody's private features.", err=True)
    with naming(features_path), progress_bar("Perturbing") as progress:
        reports = campaign.simulate(features.matrix, ids=features.ids, seed=seed, progress=progress)  # type: ignore[arg-type]
    reports.to_parquet(output)
    if as_json:
        result = {
            "reports": len(reports), "campaign": campaign.id, "mechanism": campaign.mechanism, "k": campaign.k,
            "epsilon": campaign.to_document()["epsilon"], "peak_bytes": peak_bytes(), "output": str(output),
        }  # fmt: skip
        click.echo(json.dumps(result))
    else:
        click.echo(f"{len(reports):,} reports of campaign {campaign.id[:12]} are in {output}")

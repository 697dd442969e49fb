"""``privge perturb``: simulate every device and write the reports."""

import json
from pathlib import Path
from typing import Any

import click

from privge._files.folder import Folder
from privge._machine import peak_bytes
from privge.campaign import Campaign
from privge.cli.cluster import opened_cluster
from privge.cli.options import (
    INPUT,
    PLACE,
    campaign_options,
    check_output,
    cluster_option,
    in_parts,
    integer_ids_option,
    json_option,
    refuse_integer_ids,
)
from privge.cli.progress import progress_bar
from privge.cli.simulated import CampaignOptions, simulated_reports, warn
from privge.perturbation.simulate_parts import simulate_parts


@click.command()
@click.option("--features", "features_place", type=PLACE, required=True, metavar="PLACE",
              help="Table with a column id, or sparse .npz; or a folder or address of Parquet files.")  # fmt: skip
@integer_ids_option
@click.option("--campaign", "campaign_path", type=INPUT, help="Campaign in TOML or JSON, instead of the options below.")
@campaign_options
@cluster_option
@click.option("-o", "--output", type=PLACE, required=True, metavar="PLACE",
              help="Where the reports go (.parquet; for a folder of features, a folder or address).")  # fmt: skip
@json_option
def perturb(
    features_place: str, campaign_path: Path | None, mechanism: str, epsilon: float | None, k: int | None,
    low: float | None, high: float | None, levels: int | None, missing: str, seed: int | None,
    cluster: str | None, output: str, *, integer_ids: bool, as_json: bool,
) -> None:  # fmt: skip
    """Perturb everybody's features at once, as their devices would.

    This is a simulation for research: it reads the private features of everybody. In a real collection each device
    perturbs its own, and nobody has this file.

    Columns go by name: those that the campaign names, in its order, whatever else the file has. Without --campaign all
    columns but id are features. What lies outside the bounds or is missing is counted and said, by feature.

    A folder of features, of any size, becomes a folder of reports, one part for each file. Run the command again after
    any failure: finished parts stay as they are, because nobody may be drawn twice.

    \b
    Examples:
      privge perturb --features features.csv --epsilon 1 --k 5 -o reports.parquet
      privge perturb --features features.csv --campaign campaign.toml -o reports.parquet
      privge perturb --features s3://lab/features --epsilon 1 --k 5 -o s3://lab/reports --cluster tcp://lab:8786
    """
    if integer_ids:
        refuse_integer_ids(features_place)
    options = CampaignOptions(
        path=campaign_path,
        mechanism=mechanism,
        epsilon=epsilon,
        k=k,
        low=low,
        high=high,
        levels=levels,
        missing=missing,
        integer_ids=integer_ids,
    )
    if in_parts(features_place):
        _check_folder(output)
        source = Folder(features_place)
        campaign = options.for_folder(source)
        warn()
        with opened_cluster(cluster) as address, progress_bar("Perturbing") as progress:
            parts = simulate_parts(campaign, source, output, seed=seed, cluster=address, progress=progress)
        reports, more = parts.reports, {"parts": len(parts)}
    else:
        if cluster is not None:
            raise click.UsageError("--cluster needs a folder or an address of Parquet files: one file is one task.")
        check_output(Path(output), ".parquet")
        made = simulated_reports(Path(features_place), options, seed)
        made.to_parquet(output)
        campaign, reports, more = made.campaign, len(made), {}
    click.echo(_summary(campaign, reports, more, output) if as_json else _sentence(campaign, reports, more, output))


def _check_folder(output: str) -> None:
    """Refuse, before the work, a file where a folder of reports must be."""
    if "://" not in output and (Path(output).is_file() or not Path(output).absolute().parent.is_dir()):
        raise click.BadParameter("a folder of features needs a folder for the reports, or an address",
                                 param_hint="--output")  # fmt: skip


def _summary(campaign: Campaign, reports: int, more: dict[str, int], output: str) -> str:
    result: dict[str, Any] = {
        "reports": reports, "campaign": campaign.id, "mechanism": campaign.mechanism, "k": campaign.k,
        "epsilon": campaign.to_document()["epsilon"], "peak_bytes": peak_bytes(), "output": output, **more,
    }  # fmt: skip
    return json.dumps(result)


def _sentence(campaign: Campaign, reports: int, more: dict[str, int], output: str) -> str:
    parts = f" ({more['parts']:,} parts)" if more else ""
    return f"{reports:,} reports of campaign {campaign.id[:12]} are in {output}{parts}"

"""``privge perturb``: simulate every device and write the reports."""

import json
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from privge._files.folder import Folder
from privge._files.formats import MATRIX_NAMES
from privge._machine import peak_bytes
from privge.campaign import Campaign
from privge.cli.cluster import cluster_option, opened_cluster
from privge.cli.declared import file_option, flag, options_into, place_option
from privge.cli.ids import IdOptions
from privge.cli.options import check_output, in_parts, json_option
from privge.cli.progress import progress_bar
from privge.cli.simulated import Simulation, SimulationOptions, warn
from privge.errors import SecondDraw
from privge.perturbation.simulate_parts import simulate_parts


@dataclass(frozen=True, kw_only=True)
class FeatureOptions:
    """Whose features are perturbed, and for which campaign."""

    features_place: str = place_option(
        "--features",
        about=f"Table with a column id, or sparse {MATRIX_NAMES}; or a folder or address of Parquet files.",
        required=True,
    )
    campaign_path: Path | None = file_option(
        "--campaign", about="Campaign in TOML or JSON, instead of the options below."
    )


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Where the reports go, and who draws them."""

    cluster: str | None = cluster_option()
    output: str = place_option(
        "-o",
        "--output",
        about="Where the reports go (.parquet; for a folder of features, a folder or address).",
        required=True,
    )
    overwrite: bool = flag(
        "--overwrite", about="Replace a file of reports: everybody is drawn, and spends epsilon, again."
    )


@click.command()
@options_into(features=FeatureOptions, ids=IdOptions, simulated=SimulationOptions, where=OutputOptions)
@json_option
def perturb(
    features: FeatureOptions, ids: IdOptions, simulated: SimulationOptions, where: OutputOptions, *, as_json: bool
) -> None:
    """Perturb everybody's features at once, as their devices would.

    This is a simulation for research: it reads the private features of everybody. In a real collection each device
    perturbs its own, and nobody has this file.

    Columns go by name: those that the campaign names, in its order, whatever else the file has. Without --campaign all
    columns but id are features. What lies outside the bounds or is missing is counted and said, by feature.

    A folder of features, of any size, becomes a folder of reports, one part for each file. Run the command again after
    any failure: finished parts stay as they are, because nobody may be drawn twice. A file of reports is not replaced
    either, unless --overwrite says so: whoever sees both draws of a person learns more than epsilon allows.

    \b
    Examples:
      privge perturb --features features.csv --epsilon 1 --k 5 -o reports.parquet
      privge perturb --features features.csv --campaign campaign.toml -o reports.parquet
      privge perturb --features s3://lab/features --epsilon 1 --k 5 -o s3://lab/reports --cluster tcp://lab:8786
    """
    ids.refuse_for(features.features_place)
    simulation = Simulation(features.campaign_path, simulated, ids)
    if in_parts(features.features_place):
        campaign, reports, more = _perturb_folder(features.features_place, simulation, where)
    else:
        campaign, reports, more = _perturb_file(Path(features.features_place), simulation, where)
    said = _summary if as_json else _sentence
    click.echo(said(campaign, reports, more, where.output))


def _perturb_file(path: Path, simulation: Simulation, where: OutputOptions) -> tuple[Campaign, int, dict[str, int]]:
    if where.cluster is not None:
        raise click.UsageError("--cluster needs a folder or an address of Parquet files: one file is one task.")
    check_output(Path(where.output), ".parquet")
    if not where.overwrite and Path(where.output).exists():
        raise _second_draw(where.output)
    made = simulation.reports(path)
    try:
        made.to_parquet(where.output, once=not where.overwrite)
    except FileExistsError:  # somebody else wrote it meanwhile
        raise _second_draw(where.output) from None
    return made.campaign, len(made), {}


def _perturb_folder(place: str, simulation: Simulation, where: OutputOptions) -> tuple[Campaign, int, dict[str, int]]:
    if where.overwrite:
        raise click.UsageError("--overwrite has no effect with a folder, of which finished parts always stay.")
    _check_folder(where.output)
    source = Folder(place)
    campaign = simulation.for_folder(source)
    warn()
    seed = simulation.described.seed
    cluster = nullcontext(None) if where.cluster is None else opened_cluster(where.cluster)
    with cluster as address, progress_bar("Perturbing") as progress:
        parts = simulate_parts(campaign, source, where.output, seed=seed, cluster=address, progress=progress)
    return campaign, parts.reports, {"parts": len(parts)}


def _second_draw(output: str) -> SecondDraw:
    return SecondDraw(
        f"{output}: there are reports here already, and a second draw of the same people spends epsilon again; "
        "use another name, or --overwrite if nobody has seen them"
    )


def _check_folder(output: str) -> None:
    """Refuse, before the work, a file where a folder of reports must be."""
    if "://" not in output and (Path(output).is_file() or not Path(output).absolute().parent.is_dir()):
        raise click.BadParameter(
            "a folder of features needs a folder for the reports, or an address", param_hint="--output"
        )


def _summary(campaign: Campaign, reports: int, more: dict[str, int], output: str) -> str:
    result: dict[str, Any] = {
        "reports": reports,
        "campaign": campaign.id,
        "mechanism": campaign.mechanism,
        "k": campaign.k,
        "epsilon": campaign.to_document()["epsilon"],
        "peak_bytes": peak_bytes(),
        "output": output,
        **more,
    }
    return json.dumps(result)


def _sentence(campaign: Campaign, reports: int, more: dict[str, int], output: str) -> str:
    parts = f" ({more['parts']:,} parts)" if more else ""
    return f"{reports:,} reports of campaign {campaign.id[:12]} are in {output}{parts}"

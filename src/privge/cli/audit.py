"""``privge audit``: say whether the system holds what it promised."""

import json
import math
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from privge.campaign import Campaign
from privge.cli.declared import file_option, option, options_into, place_option
from privge.cli.fields import campaign_field
from privge.cli.graphs import EdgeListOptions, nodes_option
from privge.cli.ids import IdOptions
from privge.cli.law import budget_of
from privge.cli.options import INPUT, OUTPUT, Finite, check_output, existing, json_option, naming, refuse_given
from privge.cli.passwords import warn_of_password
from privge.cli.progress import progress_bar
from privge.cli.sources import read_embedding
from privge.cli.terminal import one_line
from privge.collect.stores import Store, open_store
from privge.collect.stores.opening import ADDRESSES
from privge.collect.stores.rules import LIFETIME_EPSILON
from privge.errors import PrivacyViolation

if TYPE_CHECKING:
    from privge.audit import Audit, Claim, Leakage, OverTime, StoreAudit

DRAWS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SubjectOptions:
    """What is audited beside campaign files: a mechanism, or a table of weights."""

    mechanism: str | None = campaign_field("mechanism", default=None, help="A mechanism, instead of a campaign.")
    epsilon: float | None = option("--epsilon", type=float, help="Its budget for a whole report.")
    k: int = option("--k", type=click.IntRange(1), default=1, help="Features that a report has.")
    dimensions: int | None = option("--dimensions", type=click.IntRange(1), help="Features there are.  [default: k]")
    levels: int = campaign_field("levels", default=1025, help="Input levels of the grid.")
    law_path: Path | None = file_option("--law", about="Weights as `privge law --json` prints them: any table.")
    draws: int = option(
        "--draws", type=click.IntRange(0), default=DRAWS, help="Draws of each law in the attack; 0 leaves it out."
    )


@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """A store, and what people spend over time."""

    url: str | None = option("--store", envvar="PRIVGE_STORE", callback=warn_of_password, help=f"{ADDRESSES}.")
    metrics: Path | None = file_option("--metrics", about="What GET /metrics of the service said: refused reports.")
    planned: tuple[Path, ...] = option(
        "--planned", type=INPUT, multiple=True, help="A campaign that is planned: what would people's total be?"
    )
    lifetime_epsilon: float = option(
        "--lifetime-epsilon",
        type=Finite(0, min_open=True),
        default=LIFETIME_EPSILON,
        help="The most that a person may spend over all campaigns.",
    )
    node: str | None = option("--node", help="Say what repeats and adds up for this person alone.")


@dataclass(frozen=True, kw_only=True)
class PublishedOptions(EdgeListOptions):
    """What is published, and what an attacker has anyway."""

    embedding_place: str | None = place_option("--embedding", about="A published embedding.")
    attribute: Path | None = file_option("--attribute", about="Table of ids and classes: what to infer.")
    label_column: str = option("--label-column", metavar="NAME", default="label", help="Column of the classes.")
    graph_path: Path | None = file_option("--graph", about="Edges: what an attacker has without the embedding.")
    nodes_path: Path | None = nodes_option()


@click.command()
@click.argument("campaigns", nargs=-1, type=INPUT, metavar="[CAMPAIGN]...")
@options_into(subject=SubjectOptions, stored=StoreOptions, published=PublishedOptions, ids=IdOptions)
@click.option("-o", "--output", type=OUTPUT, help="Write a certificate (.html) that can be checked again.")
@click.option("--check", "certificate", type=INPUT, help="Verify a certificate again, instead of an audit.")
@json_option
def audit(
    campaigns: tuple[Path, ...],
    subject: SubjectOptions,
    stored: StoreOptions,
    published: PublishedOptions,
    ids: IdOptions,
    output: Path | None,
    certificate: Path | None,
    *,
    as_json: bool,
) -> None:
    """Say whether the system holds what it promised; the exit code is 1 if anything does not.

    Every weight of every law is read, and what a whole report can reveal is compared with epsilon in exact fractions.
    A million draws of the shipped sampler bound epsilon from below. A store is read whole: one report a node, caps,
    codes that no honest device sends (an honest store is accused at most once in 1,000), refused reports, and who did
    what. Several campaigns are added up. An embedding is attacked beside what the graph says without it.

    \b
    Examples:
      privge audit campaign.json
      privge audit --mechanism hds --epsilon 1 --k 5 --dimensions 500 --json
      privge audit campaign.json --store app.db -o certificate.html
      privge audit --check certificate.html
      privge audit campaign.json --check certificate.html --store app.db
      privge audit last-year.json --planned next-year.json --node alice
      privge audit --embedding z.parquet --attribute labels.csv --graph edges.csv
    """
    if certificate is not None:
        _refuse_beside_check()
        _check(existing(certificate), campaigns, stored, as_json=as_json)
        return
    if output is not None:
        check_output(output, ".html")
    done = _audited(campaigns, subject, stored, published, ids)
    if output is not None:
        from privge.audit import write_certificate

        write_certificate(done, output)
    _show(done, output, as_json=as_json)
    if not done.holds:
        click.get_current_context().exit(PrivacyViolation.exit_code)


def _audited(
    paths: tuple[Path, ...],
    subject: SubjectOptions,
    stored: StoreOptions,
    published: PublishedOptions,
    ids: IdOptions,
) -> "Audit":
    from privge.audit import Audit, attack, claim_of, prove

    claims, campaigns = _claims(paths, subject)
    found, of_store = _store(stored, [each.id for each in campaigns])
    everything = [*campaigns, *(each for each in of_store if each.id not in {one.id for one in campaigns})]
    claims += [claim_of(each) for each in everything[len(campaigns) :]]
    leak = _leakage(published, ids)
    if not (claims or found or leak or stored.planned):
        raise click.UsageError("Say what to audit: a campaign, --mechanism, --law, --store or --embedding.")
    proofs = [prove(claim) for claim in claims]
    with progress_bar("Drawing") as progress:
        attacks = [attack(each, draws=subject.draws, progress=progress) for each in proofs] if subject.draws else []
    return Audit(proofs, attacks, found, _over_time(everything, stored), leak)


def _claims(paths: tuple[Path, ...], subject: SubjectOptions) -> tuple[list["Claim"], list[Campaign]]:
    from privge.audit import claim_of_mechanism, load_claim, load_table

    claims, campaigns = [], []
    for path in paths:
        claim, campaign = load_claim(existing(path))
        claims.append(claim)
        campaigns += [] if campaign is None else [campaign]
    if subject.law_path is not None:
        claims.append(load_table(existing(subject.law_path)))
    if subject.mechanism is not None:
        budget = budget_of(subject.mechanism, subject.epsilon)
        try:
            claims.append(claim_of_mechanism(subject.mechanism, budget, subject.k, subject.dimensions, subject.levels))
        except ValueError as error:
            raise click.UsageError(str(error)) from error
    return claims, campaigns


def _store(stored: StoreOptions, named: list[str]) -> tuple["StoreAudit | None", list[Campaign]]:
    from privge.audit import audit_store, read_rejects
    from privge.audit.stored import looked_for

    if stored.url is None:
        if stored.metrics is not None:
            raise click.UsageError("--metrics has no effect without --store.")
        return None, []
    rejects = None
    if stored.metrics is not None:
        with naming(stored.metrics):
            rejects = read_rejects(existing(stored.metrics).read_text(encoding="utf-8"))
    opened: Store
    with closing(open_store(stored.url, stored.lifetime_epsilon, create=False)) as opened:
        with progress_bar("Reading the store") as progress:
            found = audit_store(opened, rejects=rejects, progress=progress)
        found = looked_for(found, named)
        return found, [] if found.problems else [state.campaign for state in opened.campaigns()]


def _over_time(campaigns: list[Campaign], stored: StoreOptions) -> "OverTime | None":
    from privge.audit import Entry, over_time

    planned = [Campaign.load(existing(path)) for path in stored.planned]
    if len(campaigns) + len(planned) < 2 and stored.node is None:
        return None
    entries = [*(Entry(each) for each in campaigns), *(Entry(each, planned=True) for each in planned)]
    return over_time(entries, cap=stored.lifetime_epsilon, node=stored.node)


def _leakage(published: PublishedOptions, ids: IdOptions) -> "Leakage | None":
    if (published.embedding_place is None) != (published.attribute is None):
        raise click.UsageError("Give both --embedding and --attribute, or neither.")
    if published.embedding_place is None or published.attribute is None:
        return None
    from privge.audit import leakage
    from privge.graph import as_graph
    from privge.graph.labels import read_labels

    labels = read_labels(
        existing(published.attribute),
        integer_ids=ids.integer_ids,
        id_column=ids.column_in("attribute"),
        label_column=published.label_column,
    )
    place = published.graph_path
    graph = None if place is None else as_graph(published.opened(str(existing(place)), published.nodes_path, ids))
    with progress_bar("Inferring") as progress:
        return leakage(read_embedding(published.embedding_place), labels, graph, progress=progress)


def _refuse_beside_check() -> None:
    """Refuse what a check would pass over: whoever gives it expects that it counts."""
    counts = {"certificate", "campaigns", "url", "metrics", "lifetime_epsilon", "as_json"}
    names = {parameter.name or "" for parameter in click.get_current_context().command.params}
    refuse_given(names - counts, "with --check")


def _check(certificate: Path, paths: tuple[Path, ...], stored: StoreOptions, *, as_json: bool) -> None:
    from privge.audit import check_certificate, load_claim
    from privge.audit.certificate import proven_again, remarks_on

    problems, payload = check_certificate(certificate)
    subjects = [proof.get("campaign") for proof in payload["audit"]["proofs"]]
    for path in paths:
        if (claim := load_claim(existing(path))[0]).campaign not in {each for each in subjects if each}:
            problems.append(f"{path}: the certificate is not about this campaign ({claim.title})")
    store, _ = _store(stored, [each for each in subjects if each])
    problems += [] if store is None else store.violations
    remarks = remarks_on(payload)
    remarks += [f"campaign {each[:12]} is not in the store" for each in ([] if store is None else store.absent)]
    if as_json:
        told = {
            "holds": not problems,
            "problems": problems,
            "remarks": remarks,
            "proven": [] if problems else proven_again(payload),
        }
        click.echo(json.dumps({**told, "made": payload["made"], "sha256": payload["sha256"]}))
    else:
        for remark in remarks:
            click.echo(f"Note: {one_line(remark)}", err=True)
        good = f"The certificate of {payload['made']} holds: every proof was made again."
        for line in problems or [*proven_again(payload), good]:
            click.echo(one_line(line))
    if problems:
        click.get_current_context().exit(PrivacyViolation.exit_code)


def _show(done: "Audit", output: Path | None, *, as_json: bool) -> None:
    from privge.audit.lines import lines

    if as_json:
        page = {} if output is None else {"certificate": str(output.resolve())}
        click.echo(json.dumps({**_finite(done.to_dict()), **page}))
        return
    for line in lines(done.to_dict()):
        click.echo(one_line(line))
    if output is not None:
        click.echo(f"Certificate: {output.resolve()}")


def _finite(value: Any) -> Any:  # noqa: ANN401 (plain values)
    """Return plain values in which what is not finite is null, as JSON has no word for it."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

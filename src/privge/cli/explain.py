"""``privge explain``: a campaign in plain words, for the person who is asked."""

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from privge.campaign import Campaign
from privge.cli.options import INPUT, OUTPUT, check_output, existing, json_option
from privge.cli.passwords import warn_of_password
from privge.cli.shown import warn
from privge.cli.terminal import one_line
from privge.collect.stores import open_store
from privge.collect.stores.opening import ADDRESSES

if TYPE_CHECKING:
    from privge.audit import StoreAudit
    from privge.explanation import Explanation


@click.command()
@click.argument("campaign_path", metavar="CAMPAIGN", type=INPUT)
@click.option("--node", help="A person's id: say what just they are asked.")
@click.option("--earlier", type=INPUT, multiple=True, help="Another campaign of the same people: what adds up?")
@click.option("--strings", "strings_path", type=INPUT, help="Texts in another language; english.toml is the model.")
@click.option(
    "--assessment", "as_assessment", is_flag=True, help="Print a data protection impact assessment to fill in."
)
@click.option("--store", "url", callback=warn_of_password, help=f"With --assessment, its counts: {ADDRESSES}.")
@click.option("-o", "--output", type=OUTPUT, help="Write a page with pictures (.html), or the assessment (.md).")
@json_option
def explain(
    campaign_path: Path,
    node: str | None,
    earlier: tuple[Path, ...],
    strings_path: Path | None,
    url: str | None,
    output: Path | None,
    *,
    as_assessment: bool,
    as_json: bool,
) -> None:
    """Explain a campaign: odds, what a report looks like, who is asked what, what adds up, and texts of consent.

    Everything follows from the public campaign and from ids. The texts of consent (a sentence, a paragraph, a page) are
    true for this very campaign; let a lawyer read them all the same.

    \b
    Examples:
      privge explain campaign.json
      privge explain campaign.json --node alice -o alice.html
      privge explain campaign.json --earlier last-year.json
      privge explain campaign.json --assessment --store app.db -o assessment.md
    """
    from privge import explanation

    if output is not None:
        check_output(output, ".md" if as_assessment else ".html")
    if url is not None and not as_assessment:
        raise click.UsageError("--store has no effect without --assessment.")
    campaign, others = Campaign.load(existing(campaign_path)), [Campaign.load(existing(path)) for path in earlier]
    strings = explanation.english() if strings_path is None else explanation.load_strings(existing(strings_path))
    warn(campaign)
    if as_assessment:
        _write(
            explanation.assessment(campaign, _audited(url), strings=strings, earlier=others), output, as_json=as_json
        )
        return
    told = explanation.explain(campaign, node=node, earlier=others, strings=strings)
    if output is not None:
        explanation.write_page(told, output, strings=strings)
    if as_json:
        page = {} if output is None else {"page": str(output.resolve())}
        click.echo(json.dumps({**told.to_dict(), **page}))
        return
    _show(told)
    if output is not None:
        click.echo(f"Open this page in a browser: {output.resolve()}")


def _audited(url: str | None) -> "StoreAudit | None":
    if url is None:
        return None
    from privge.audit import audit_store

    with closing(open_store(url, create=False)) as store:
        return audit_store(store)


def _write(text: str, output: Path | None, *, as_json: bool) -> None:
    from privge._files.atomic import atomic_path

    if output is not None:
        with atomic_path(output) as partial:
            partial.write_text(text, encoding="utf-8")
    if as_json:
        click.echo(json.dumps({"assessment": text}))
    elif output is None:
        click.echo(text)
    else:
        click.echo(f"The assessment is in {output}")


def _show(told: "Explanation") -> None:
    for title, sentences in told.sections:
        click.secho(one_line(title), bold=True)
        for sentence in sentences:
            click.echo(f"  {one_line(sentence)}")
        if title == told.sections[0][0]:
            for each in told.odds:
                bar = "█" * round(20 * each.most)
                click.echo(f"  {100 * each.before:5.3g} % → at most {100 * each.most:5.3g} %  {bar}")
    for length, text in told.consent.items():
        click.secho(length, bold=True)
        for line in text.splitlines():
            click.echo(f"  {one_line(line)}")

"""``privge recommend``: new friends for one person, for some, or for everybody."""

import json
from pathlib import Path

import click

from privge.cli.declared import options_into
from privge.cli.graphs import OneGraphOptions
from privge.cli.ids import IdOptions
from privge.cli.options import OUTPUT, check_output, in_parts, json_option
from privge.cli.progress import progress_bar
from privge.cli.recommend_options import ExclusionOptions, JudgingOptions, VectorOptions, WhomOptions
from privge.cli.recommended import about, summary, told, who
from privge.cli.terminal import one_line
from privge.recommendation import Recommendations, Recommender, Watch, write_recommendations


@click.command()
@options_into(
    graph=OneGraphOptions,
    ids=IdOptions,
    whom=WhomOptions,
    vectors=VectorOptions,
    excluded=ExclusionOptions,
    judging=JudgingOptions,
)
@click.option("-o", "--output", type=OUTPUT, help="Where they go: .parquet or .csv.")
@json_option
def recommend(
    graph: OneGraphOptions,
    ids: IdOptions,
    whom: WhomOptions,
    vectors: VectorOptions,
    excluded: ExclusionOptions,
    judging: JudgingOptions,
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Recommend new friends: people who are near in the graph and, if that helps, whose private vectors fit.

    Nobody is recommended a friend they have, themselves, somebody blocked or somebody erased. Some edges are hidden
    first: what finds them again decides how the graph is read, and whether vectors are used at all. It says which,
    beside its controls: chance, popularity, the graph alone, other people's reports, noise as reports, and no privacy
    if --features has it; and whether the result is better than chance.

    Everybody is all nodes of the graph. Whoever has no edge is not in an edge list: --nodes is the table of everybody.

    \b
    Examples:
      privge recommend --graph edges.csv --node alice
      privge recommend --graph friends.csv --source person --target friend --node alice --count 5
      privge recommend --graph edges.csv --embedding z.parquet --node alice
      privge recommend --graph edges.csv --reports reports.parquet --people people.csv -o recommendations.csv
      privge recommend --graph edges.csv --blocked blocked.csv --erased left.csv -o recommendations.parquet
      privge recommend --graph edges.csv --store sqlite:///app.db --json -o recommendations.parquet
    """
    whom.check(output)
    vectors.check()
    if output is not None:
        check_output(output, ".parquet", ".csv")
    known = graph.read_here(ids)
    asked = whom.asked(known, ids)
    blocked = excluded.blocked(graph.edge_columns(id_column=ids.column_in("nodes")), ids)
    left = [*excluded.erased(ids), *vectors.erased(known)]
    settings = judging.settings(known, vectors.walk)
    with progress_bar("Learning") as progress:
        recommender = Recommender.fit(
            known,
            vectors.read(known),
            blocked=blocked,
            erased=left,
            clean=vectors.clean(known, ids),
            settings=settings,
            progress=progress,
        )
    watch = Watch(known)
    with progress_bar("Recommending") as progress:
        parts = watch.over(recommender.batches(asked, whom.count, progress))
        if output is not None:
            write_recommendations(output, parts)
        found = Recommendations.together(list(parts)) if output is None else None
    if as_json:
        click.echo(json.dumps(summary(recommender, watch, found, output)))
        return
    lines = [f"{watch} are in {output}"] if found is None else told(recommender, found)
    edges_alone = asked is None and graph.nodes_path is None and not in_parts(graph.graph_place)
    click.echo("\n".join([*map(one_line, lines), who(known, edges_alone=edges_alone), *about(recommender, watch)]))

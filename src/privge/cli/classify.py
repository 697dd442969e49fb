"""``privge classify``: a class for every node without a label, how sure it is, and what to expect of it."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from privge._files.atomic import atomic_path
from privge._imports import require
from privge.cli.classified import ending, learnt_figure, plain, report, summary
from privge.cli.classify_controls import ControlOptions
from privge.cli.declared import file_option, flag, option, options_into
from privge.cli.known import LabelOptions
from privge.cli.options import OUTPUT, Finite, check_output, existing, json_option, naming, refuse_given
from privge.cli.progress import progress_bar
from privge.cli.vectors import VectorOptions
from privge.cli.walks import JoiningOptions, WalkOptions

if TYPE_CHECKING:
    from privge.embedding.embedding import Embedding
    from privge.graph import Graph


@dataclass(frozen=True, kw_only=True)
class AnswerOptions(ControlOptions):
    """How answers are given and compared, and what is kept of what was learnt."""

    abstain: float = option(
        "--abstain",
        type=Finite(0, 1),
        default=0.0,
        help="Leave the class empty where its probability is below this; the share of answers and their expected "
        "accuracy are said.",
    )
    balanced: bool = flag(
        "--balanced",
        about="Answer the class that is likeliest compared with its share: finds rare classes, at the price of "
        "accuracy.",
    )
    save_path: Path | None = option(
        "--save", type=OUTPUT, help="Keep what was learnt from vectors alone, for --model (.npz of plain arrays)."
    )
    model_path: Path | None = file_option(
        "--model", about="Instead of --labels: what --save kept, for an embedding with the same columns."
    )
    seed: int = option("--seed", type=click.IntRange(0), default=0, help="Of the heads and the parts of the labels.")

    def check(self, labels: Path | None, graph: str | None, *, embedded: bool) -> None:
        """Refuse options that do not go together."""
        if (labels is None) == (self.model_path is None):
            raise click.UsageError("Give either --labels, the known classes, or --model, what was learnt before.")
        if self.model_path is not None:
            refuse_given(
                ("save_path", "seed", "label_column", "controls", "features_path"),
                "with --model, which has learnt already",
            )
            if graph is not None and embedded:
                raise click.UsageError("--graph has no effect with --model, which was learnt from vectors alone.")
        if self.save_path is not None:
            check_output(self.save_path, ".npz")


@click.command()
@options_into(
    vectors=VectorOptions, known=LabelOptions, walk=WalkOptions, joining=JoiningOptions, answers=AnswerOptions
)
@click.option("-o", "--output", type=OUTPUT, required=True, help="Where the classes go (.parquet or .csv).")
@json_option
def classify(
    vectors: VectorOptions,
    known: LabelOptions,
    walk: WalkOptions,
    joining: JoiningOptions,
    answers: AnswerOptions,
    output: Path,
    *,
    as_json: bool,
) -> None:
    """Find the class of every node whose label is not known: one row each, with a calibrated probability a class.

    The graph and known labels are enough: its structure and the labels of friends say what can be had for nothing.
    Vectors come from --embedding; or from --reports or --store, and then they are embedded first, as `privge embed`
    does. Beside a graph they count as much as labels that were held out say they are worth, which may be nothing.

    What to expect stands beside the answer: cross-validated accuracy and macro-F1, the share of the largest class,
    label propagation, the structure channel and vectors alone, the same from other people's reports, from noise and,
    with --features, without privacy; and how well the probabilities are calibrated.

    Labels are a table with a column of ids and one of classes, numbers or text; an empty class is an unknown one.

    \b
    Examples:
      privge classify --graph edges.csv --labels known.csv -o predicted.parquet
      privge classify --embedding z.parquet --graph edges.csv --labels known.csv -o predicted.parquet
      privge classify --graph edges.csv --store sqlite:///app.db --labels known.csv -o predicted.parquet
      privge classify --graph follows.csv --source follower --target followed --reports reports.parquet \\
          --labels known.csv --id-column user --label-column team -o predicted.csv
      privge classify --embedding z.parquet --labels known.csv --abstain 0.8 --save model.npz -o sure.parquet
      privge classify --embedding z2.parquet --model model.npz -o predicted.parquet
    """
    require("a class", "torch", "sklearn")
    check_output(output, ".parquet", ".csv")
    vectors.check()
    answers.check(known.labels_path, vectors.graph_place, embedded=vectors.embedding_place is not None)
    answers.check_controls(vectors)
    walk.check()
    if walk.settings_path is not None:
        walk = replace(walk, settings_for=walk.settings_for or "nodes")
    walk = walk.settled()
    embedding, graph = vectors.read(known.ids, walk, joining)
    if answers.model_path is not None and embedding is not None:
        _apply(answers, embedding, output, as_json=as_json)
        return
    from privge.tasks import classify as find

    labels = known.read(cast("Graph", graph) if embedding is None else embedding)
    with progress_bar("Learning") as progress:
        found = find(embedding, labels, graph=graph, seed=answers.seed, progress=progress)
    absent: dict[str, str] = {}
    if embedding is not None:
        found, absent = answers.controlled(found, labels, embedding, graph, vectors, known.ids, answers.seed)
    _write(found.to_arrow(abstain=answers.abstain, balanced=answers.balanced), output)
    if answers.save_path is not None and found.model is not None:
        found.model.save(answers.save_path)
    if as_json:
        click.echo(json.dumps(summary(found, answers.abstain, balanced=answers.balanced, absent=absent, output=output)))
        return
    for line in report(found, answers.abstain, absent, balanced=answers.balanced):
        click.echo(line)
    click.echo(ending(found, output, answers.save_path, answers.abstain, balanced=answers.balanced))


def _apply(answers: AnswerOptions, embedding: "Embedding", output: Path, *, as_json: bool) -> None:
    """Use what was learnt before for everybody in an embedding."""
    from privge.tasks import VectorModel
    from privge.tasks.classification.decisions import as_table, decide

    model = VectorModel.load(existing(answers.model_path or Path()))
    with naming(str(answers.model_path)):
        probabilities = model.probabilities(embedding)
    decided = decide(probabilities, model.shares, abstain=answers.abstain, balanced=answers.balanced)
    _write(as_table(embedding.ids, model.classes, probabilities, decided), output)
    learnt = None if answers.balanced else model.expected(answers.abstain)  # of --balanced nothing was counted
    said = {
        "nodes": len(embedding),
        "answered": decided.share,
        "expected_accuracy": None if learnt is None else plain(learnt.value),
        "mean_confidence": plain(decided.expected_accuracy),
    }
    if as_json:
        click.echo(json.dumps({**said, "output": str(output)}))
        return
    click.echo(f"{len(embedding):,} nodes by a model that was learnt elsewhere; classes are in {output}")
    click.echo(f"  {decided.share:.1%} are answered; {learnt_figure(learnt, answers.abstain)}")
    click.echo("  the same holds here if these nodes are like those it was learnt from; nothing here can tell")


def _write(table: pa.Table, output: Path) -> None:
    with atomic_path(output) as partial:
        if output.suffix == ".csv":
            pyarrow.csv.write_csv(table, partial)
        else:
            pyarrow.parquet.write_table(table, partial)

"""Options about the channels of an embedding, and putting them beside each other."""

from dataclasses import dataclass
from pathlib import Path

import click

from privge.cli.declared import file_option, option
from privge.cli.ids import IdOptions
from privge.cli.options import existing, in_parts, naming, refuse_given
from privge.cli.progress import progress_bar
from privge.cli.sources import opened_store, read_reports
from privge.collect.snapshot import take_snapshot
from privge.curator import find_campaign
from privge.embedding.channel import ANSWERS, NAMES, PRIVATE, STRUCTURE
from privge.embedding.embed_channels import answers_channel, in_order, structure_channel, together
from privge.embedding.embedding import Embedding
from privge.embedding.join import Joining, Unknown
from privge.graph import Graph
from privge.graph.labels import read_labels
from privge.reports import Reports
from privge.reports.parts import ReportParts


@dataclass(frozen=True, kw_only=True)
class ChannelOptions:
    """Which channels an embedding gets."""

    channels: str = option(
        "--channels",
        metavar="NAMES",
        default=PRIVATE,
        help=f"Some of {', '.join(NAMES)}, separated by commas: the graph itself, vectors of reports, and answers to "
        "questions.",
    )
    answers: str | None = option(
        "--answers",
        metavar="PLACE|ID",
        help="For the channel answers: reports of a campaign; with --store, the id of a campaign, or how it begins.",
    )
    labels_path: Path | None = file_option(
        "--labels",
        about="For the channel structure: public labels, columns id and label; its columns are then those of classes.",
    )

    @property
    def wanted(self) -> list[str]:
        """The channels, in the order of their columns."""
        try:
            return in_order({name.strip() for name in self.channels.split(",")})
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--channels") from error

    @property
    def private_alone(self) -> bool:
        """Whether there is but the channel that every embedding has."""
        return self.wanted == [PRIVATE]

    def check(self) -> None:
        """Refuse options that do not go together."""
        wanted = self.wanted
        if STRUCTURE not in wanted:
            refuse_given(("labels_path",), f"without the channel {STRUCTURE}")
        if ANSWERS not in wanted:
            refuse_given(("answers",), f"without the channel {ANSWERS}")
        elif self.answers is None:
            raise click.UsageError(f"The channel {ANSWERS} needs --answers, the reports of a campaign that asks.")
        if not self.private_alone:
            refuse_given(("cluster", "update_path"), "with several channels, which are made at once and here")

    def beside(
        self, private: Embedding | None, graph: Graph, ids: IdOptions, store: str | None, unknown: Unknown
    ) -> Embedding:
        """Put the other channels beside the private one, if that is wanted too."""
        made: dict[str, Embedding] = {}
        for name in self.wanted:
            if name == STRUCTURE:
                made[name] = self._structure(graph, ids)
            elif name == ANSWERS:
                joining = Joining("unbiased", unknown=unknown)
                with naming(str(self.answers)):
                    made[name] = answers_channel(graph, self._answers(store), joining)
            elif private is not None:
                made[name] = private
        return together(made)

    def _structure(self, graph: Graph, ids: IdOptions) -> Embedding:
        labels = None
        if self.labels_path is not None:
            labels = read_labels(
                existing(self.labels_path), integer_ids=ids.integer_ids, id_column=ids.column_in("labels")
            )
        with progress_bar("Structure") as progress:
            return structure_channel(graph, labels, progress=progress)

    def _answers(self, store: str | None) -> Reports:
        if store is not None and not in_parts(str(self.answers)) and not Path(str(self.answers)).is_file():
            with opened_store(store) as opened:
                return take_snapshot(opened, find_campaign(opened, self.answers)).reports
        reports = read_reports(str(self.answers))
        return reports.whole() if isinstance(reports, ReportParts) else reports

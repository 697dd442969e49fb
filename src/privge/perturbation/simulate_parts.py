"""Every device at once, over features that do not fit in memory: part by part, here or on a Dask cluster.

Why nobody is drawn twice. A second draw of the same person is a second report, and whoever sees both has spent epsilon
twice. So a part that is finished is kept, whatever happened since, and a part gets its name in one step that fails if
the name is taken: of two workers that draw the same part, because one of them was given up too early, the second loses
its draw before anybody could read it. An object store does the same if its fsspec file system can create an object only
where there is none, as those of S3, Google and Azure can. What a worker that died left half-written is removed before
the folder is called finished.

Nothing that depends on a private value is written beside the reports or handed to the scheduler, which logs what tasks
are given: not even sizes or digests of the files of features. A folder of reports knows its features by the names of
their files and by the ids in them, which the reports hold anyway. One thing goes back as the result of a task, to the
process that asked for the simulation and could read the features itself: how many values were outside their bounds or
missing. It is said there, in the log, and kept nowhere (`privge.perturbation.tally`).
"""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike

from privge._dask import Cluster, completed, connected
from privge._files.finished import finish, is_finished
from privge._files.folder import Folder
from privge._typing import Progress
from privge.campaign import Campaign
from privge.errors import BadData, PrivgeError
from privge.perturbation.answers import AnswerTally
from privge.perturbation.columns import remark_extra, remark_order
from privge.perturbation.feature_files import read_feature_names, read_features_part
from privge.perturbation.features import Features
from privge.perturbation.raw import RawFeatures, read_raw_part
from privge.perturbation.simulate import simulate_counted
from privge.perturbation.tally import Tally
from privge.random import named_seed
from privge.reports import Reports
from privge.reports.parts import ReportParts

logger = logging.getLogger(__name__)

_MANIFEST = "_manifest.json"


def simulate_parts(
    campaign: Campaign,
    features: str | PathLike[str] | Folder,
    output: str | PathLike[str] | Folder,
    *,
    seed: int | None = None,
    cluster: "Cluster | None" = None,
    progress: Progress | None = None,
) -> ReportParts:
    """Perturb a folder of features into a folder of reports, one part for each file; for research.

    Run it again after any failure: parts that are finished stay as they are, the others are drawn. How many values of
    those were outside their bounds or missing is logged, by feature.

    Parameters
    ----------
    campaign
        The public contract.
    features
        Folder or address of Parquet files, each with a column ``id`` and the same number columns. Columns are taken by
        the campaign's names; if it names none, by those of the first file, in its order. Others are left out.
    output
        Folder or address for the reports: new, or begun by the same call.
    seed
        None draws from the operating system, as devices do. A seed makes the result repeatable, whatever the order and
        the number of workers, and therefore NOT PRIVATE.
    cluster
        Address or client of a Dask scheduler; its workers must see both folders. None works through the parts here.
    progress
        Called with the parts done and the parts in all.

    Notes
    -----
    A node that is twice in one file is refused. A node in two files is not noticed here, where no more than one part is
    in memory; the embedding, which joins the parts, refuses it.
    """
    source, target = Folder.of(features), Folder.of(output)
    names = feature_files(source)
    _claim(target, campaign, names, seed)
    parts = [] if is_finished(target) else list(_finished(source, target, names, cluster, progress))
    if parts:
        target.remove_leftovers()  # each is a draw, and must not stay beside the one that counts
        finish(target, campaign=campaign.id, parts=len(names), reports=sum(part.reports for part in parts))
        _remark(campaign, parts, read_feature_names(source, names[0]))
    return ReportParts.open(target)


def feature_files(folder: Folder) -> list[str]:
    """Return the Parquet files of a folder of features."""
    names = folder.names(".parquet")
    if not names:
        raise BadData(f"{folder.address}: there are no Parquet files in this folder")
    return names


def _claim(target: Folder, campaign: Campaign, names: list[str], seed: int | None) -> None:
    """Tie the folder of reports to campaign, features and seed, or see that it is tied to them."""
    manifest = {"campaign": campaign.to_json(), "features": names, "seed": seed}
    if not target.exists(_MANIFEST):
        if target.names():
            raise BadData(f"{target.address}: there are other files in this folder; give one of its own")
        target.make()
        try:
            with target.writing(_MANIFEST, once=True) as file:
                file.write(json.dumps(manifest).encode())
        except FileExistsError:  # another run was faster: it must be the same
            _claim(target, campaign, names, seed)
        return
    for key, value in target.document(_MANIFEST).items():
        if manifest.get(key) != value:
            raise BadData(f"{target.address}: this folder was begun with another {key}; give one of its own")


@dataclass(frozen=True, slots=True)
class Part:
    """What a task says of its part; the reports themselves stay in the file that it wrote.

    Parameters
    ----------
    reports, extra
        How many reports the file of the part has, and which of its columns are not features.
    tally
        What was outside bounds or missing; None if the part was finished before.
    """

    reports: int
    extra: tuple[str, ...]
    tally: Tally | AnswerTally | None


def _finished(
    source: Folder, target: Folder, names: list[str], cluster: "Cluster | None", progress: Progress | None
) -> Iterator[Part]:
    """Finish every part and yield what it says."""
    tasks = [(source.address, target.address, name, names[0]) for name in names]
    if cluster is None:
        yield from _noting((simulate_part(*task) for task in tasks), len(tasks), progress)
        return
    with connected(cluster) as client:
        yield from _noting(completed(client, simulate_part, tasks), len(tasks), progress)


def _noting(parts: Iterator[Part], total: int, progress: Progress | None) -> Iterator[Part]:
    for done, part in enumerate(parts, start=1):
        if progress is not None:
            progress(done, total)
        yield part


def _remark(campaign: Campaign, parts: list[Part], first: tuple[str, ...]) -> None:
    """Say once, of all parts together, what was left out, assumed and changed."""
    if campaign.raw_names is None:
        remark_order(first)
    remark_extra(list(dict.fromkeys(name for part in parts for name in part.extra)))
    tallies = [part.tally for part in parts]
    numbers = Tally.joined(each for each in tallies if isinstance(each, Tally))
    answers = AnswerTally.joined(each for each in tallies if isinstance(each, AnswerTally))
    for sentence in (*numbers.sentences(campaign), *answers.sentences(campaign)):
        logger.warning(sentence)


def simulate_part(features: str, output: str, name: str, first: str) -> Part:
    """Finish one part, unless it is finished, and say what it has. Runs on a worker.

    Everything beyond places and names is read here, so that the cluster never handles it. For the same reason an error
    of another library, whose message may quote what it stumbled over, is replaced by its kind.
    """
    source, target = Folder(features), Folder(output)
    try:
        manifest = target.document(_MANIFEST)
        campaign = Campaign.from_json(manifest["campaign"])
        wanted = read_feature_names(source, first) if campaign.raw_names is None else campaign.raw_names
        people: Features | RawFeatures = (
            read_features_part(source, name, wanted=wanted)
            if campaign.questions is None
            else read_raw_part(source, name, campaign)
        )
        tally = None if target.exists(name) else _draw(campaign, manifest["seed"], source, target, name, people)
        extra = [column for column in read_feature_names(source, name) if column not in set(wanted)]
        return Part(_checked(source, target, name, people), tuple(extra), tally)
    except (PrivgeError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is, its message stays here)
        problem = f"{source.file(name)}: the part could not be perturbed ({type(error).__name__})"
    raise PrivgeError(problem)


def _draw(
    campaign: Campaign, seed: int | None, source: Folder, target: Folder, name: str, people: Features | RawFeatures
) -> Tally | AnswerTally | None:
    """Draw a part, and say what was changed; None if another worker was faster."""
    own_seed = None if seed is None else named_seed(seed, name)
    try:
        reports, tally = simulate_counted(campaign, people.matrix, ids=people.ids, seed=own_seed)  # type: ignore[arg-type]
    except BadData as error:
        raise BadData(f"{source.file(name)}: {error}") from error
    try:
        reports.to_parquet(target.file(name), once=True)
    except FileExistsError:  # its draw counts, and this one is forgotten
        return None
    return tally


def _checked(source: Folder, target: Folder, name: str, people: Features | RawFeatures) -> int:
    """Return how many reports a finished part has; one that is damaged, or of other people, is refused, not redrawn."""
    kept = Reports.from_parquet(target.file(name))
    if kept.ids.tolist() != people.ids.tolist():
        raise BadData(f"{target.file(name)}: these are reports of other people than {source.file(name)} has")
    return len(kept)

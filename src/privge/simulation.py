"""Every device at once, over features that do not fit in memory: part by part, here or on a Dask cluster.

Why nobody is drawn twice. A second draw of the same person is a second report, and whoever sees both has spent epsilon
twice. So a part that is finished is kept, whatever happened since, and a part gets its name in one step that fails if
the name is taken: of two workers that draw the same part, because one of them was given up too early, the second loses
its draw before anybody could read it. An object store does the same if its fsspec file system can create an object only
where there is none, as those of S3, Google and Azure can. What a worker that died left half-written is removed before
the folder is called finished.

Nothing that depends on a private value is written beside the reports or handed to the scheduler, which logs what tasks
are given: not even sizes or digests of the files of features. A folder of reports knows its features by the names of
their files and by the ids in them, which the reports hold anyway.
"""

import json
from collections.abc import Iterator
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from privge._cluster import Cluster, completed, connected
from privge._finished import finish, is_finished
from privge._folder import Folder
from privge._typing import Progress
from privge.campaign import Campaign
from privge.errors import BadData, PrivgeError
from privge.graph.readers import Features, read_feature_names, read_features_part
from privge.parts import ReportParts
from privge.perturbation import simulate
from privge.random import named_seed
from privge.reports import Reports

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

    Run it again after any failure: parts that are finished stay as they are, the others are drawn.

    Parameters
    ----------
    campaign
        The public contract.
    features
        Folder or address of Parquet files, each with a column ``id`` and the same number columns. Columns are taken by
        the campaign's names; if it names none, as they stand in the first file.
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
    counts = [] if is_finished(target) else list(_counted(source, target, names, cluster, progress))
    if counts:
        target.remove_leftovers()  # each is a draw, and must not stay beside the one that counts
        finish(target, campaign=campaign.id, parts=len(names), reports=sum(counts))
    return ReportParts.open(target)


def feature_files(folder: Folder) -> list[str]:
    """Return the Parquet files of a folder of features."""
    names = folder.names(".parquet")
    if not names:
        raise BadData(f"{folder.address}: there are no Parquet files in this folder")
    return names


def in_order(features: Features, names: tuple[str, ...] | None) -> NDArray[np.float64]:
    """Return the columns in the order of some names; without names on either side, as they stand."""
    if features.names is None or names is None or features.names == names:
        return features.matrix
    if set(features.names) != set(names):
        raise BadData("the columns are not the features that the campaign asks for")
    return features.matrix[:, [features.names.index(name) for name in names]]


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


def _counted(
    source: Folder, target: Folder, names: list[str], cluster: "Cluster | None", progress: Progress | None
) -> Iterator[int]:
    """Finish every part and yield how many reports each has."""
    tasks = [(source.address, target.address, name, names[0]) for name in names]
    if cluster is None:
        yield from _noting((simulate_part(*task) for task in tasks), len(tasks), progress)
        return
    with connected(cluster) as client:
        yield from _noting(completed(client, simulate_part, tasks), len(tasks), progress)


def _noting(counts: Iterator[int], total: int, progress: Progress | None) -> Iterator[int]:
    for done, count in enumerate(counts, start=1):
        if progress is not None:
            progress(done, total)
        yield count


def simulate_part(features: str, output: str, name: str, first: str) -> int:
    """Finish one part, unless it is finished, and return how many reports it has. Runs on a worker.

    Everything beyond places and names is read here, so that the cluster never handles it. For the same reason an error
    of another library, whose message may quote what it stumbled over, is replaced by its kind.
    """
    source, target = Folder(features), Folder(output)
    try:
        people = read_features_part(source, name)
        if not target.exists(name):
            _draw(source, target, name, first, people)
        return _checked(source, target, name, people)
    except (PrivgeError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (whatever it is, its message stays here)
        problem = f"{source.file(name)}: the part could not be perturbed ({type(error).__name__})"
    raise PrivgeError(problem)


def _draw(source: Folder, target: Folder, name: str, first: str, people: Features) -> None:
    manifest = target.document(_MANIFEST)
    campaign, seed = Campaign.from_json(manifest["campaign"]), manifest["seed"]
    columns = campaign.names
    if columns is None and name != first:
        columns = read_feature_names(source, first)
    own_seed = None if seed is None else named_seed(seed, name)
    try:
        reports = simulate(campaign, in_order(people, columns), ids=people.ids, seed=own_seed)  # type: ignore[arg-type]
    except BadData as error:
        raise BadData(f"{source.file(name)}: {error}") from error
    try:
        reports.to_parquet(target.file(name), once=True)
    except FileExistsError:  # another worker was faster: its draw counts, and this one is forgotten
        return


def _checked(source: Folder, target: Folder, name: str, people: Features) -> int:
    """Return how many reports a finished part has; one that is damaged, or of other people, is refused, not redrawn."""
    kept = Reports.from_parquet(target.file(name))
    if kept.ids.tolist() != people.ids.tolist():
        raise BadData(f"{target.file(name)}: these are reports of other people than {source.file(name)} has")
    return len(kept)

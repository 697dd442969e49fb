"""Embeddings in a folder: what each was made from, whether the store has moved on since, and what to run then."""

from dataclasses import dataclass
from pathlib import Path
from shlex import join

from privge.collect.stores.store import CampaignState, Store
from privge.embedding.embedding import Embedding
from privge.embedding.files import read_provenance
from privge.embedding.provenance import Provenance, Source
from privge.errors import PrivgeError

SUFFIXES = (".parquet", ".npy")
"""How the files of embeddings end that are looked for."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a folder that is an embedding, or that cannot be read as one."""

    name: str
    size: int
    provenance: Provenance | None
    trouble: str = ""  # why it could not be read
    state: str = "unknown"  # fresh, behind, stale, unknown or broken
    reasons: tuple[str, ...] = ()
    command: str = ""  # what to run


def find_embeddings(folder: Path, store: Store, *, graph: str | None, store_name: str) -> list[Found]:
    """Look at every embedding of a folder and ask the store whether it is up to date.

    Parameters
    ----------
    folder
        Where they are; folders in it are not looked into.
    store, store_name
        Where the reports are, and its address for a command line (without a password).
    graph
        The file of the graph, for a command line.
    """
    paths = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file())
    return [_found(path, store, graph or "GRAPH", store_name) for path in paths]


def _found(path: Path, store: Store, graph: str, store_name: str) -> Found:
    size = path.stat().st_size
    try:
        told = read_provenance(str(path)) if path.suffix == ".parquet" else None
        provenance = Embedding.load(path).provenance if told is None else Provenance.from_json(told)
    except (PrivgeError, ValueError, TypeError, KeyError) as error:
        return Found(path.name, size, None, trouble=f"{error}"[:300], state="broken")
    states = [_compared(source, store) for source in provenance.sources]
    worst = next((kind for kind in ("stale", "unknown", "behind") if kind in [state for state, _ in states]), "fresh")
    reasons = tuple(reason for _, reason in states)
    command = ""
    if worst in ("stale", "behind") and len(provenance.sources) == 1:
        campaign = provenance.sources[0].campaign
        update = [] if worst == "stale" else ["--update", str(path)]
        which = ["--campaign", campaign[:12]] if worst == "stale" else []
        command = join(["privge", "embed", "--graph", graph, "--store", store_name, *which, *update, "-o", str(path)])
    return Found(path.name, size, provenance, state=worst, reasons=reasons, command=command)


def _compared(source: Source, store: Store) -> tuple[str, str]:
    state = store.campaign(source.campaign)
    short = source.campaign[:12]
    if state is None or source.store_sequence is None:
        return "unknown", f"Campaign {short}: it was not made from this store, so nothing can be said."
    if erased := store.stale_since(source.campaign, source.store_sequence):
        people = "1 person was" if erased == 1 else f"{erased:,} people were"
        return "stale", f"Campaign {short}: {people} erased since; the vectors still hold their reports. Make it anew."
    if not state.reports:
        return "stale", f"Campaign {short}: its reports were deleted; the vectors still hold them. Delete the file."
    if new := _new(store, state, source.store_sequence):
        return "behind", f"Campaign {short}: {new:,} report{'s' if new > 1 else ''} came since. An update adds them."
    return "fresh", f"Campaign {short}: nothing has changed since."


def _new(store: Store, state: CampaignState, since: int) -> int:
    return 0 if state.last == since else sum(len(block.ids) for block in store.read(state.campaign.id, after=since))

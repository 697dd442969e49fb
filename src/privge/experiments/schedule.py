"""Run repeats of cells that are not finished yet, in one or several processes that share the processors."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import lru_cache
from multiprocessing.connection import wait as wait_for

from privge._machine import processors
from privge._typing import Progress
from privge.experiments.cell import Cell
from privge.experiments.plan import CellSettings
from privge.experiments.results import Record, Results
from privge.experiments.run import run_cell
from privge.experiments.sources import Data, Sources


def unfinished(results: Results, cells: list[Cell], repeats: int) -> list[tuple[Cell, int]]:
    """Return what is still to be run, repeat by repeat, so that a broken run has something of every cell."""
    done: set[tuple[Cell, int]] = set()
    for task, dataset in dict.fromkeys((cell.task, cell.dataset) for cell in cells):
        done |= results.read(task, dataset).keys()
    return [(cell, repeat) for repeat in range(repeats) for cell in cells if (cell, repeat) not in done]


def run_all(
    results: Results,
    cells: list[Cell],
    repeats: int,
    *,
    jobs: int = 1,
    sources: Sources | None = None,
    progress: Progress | None = None,
) -> int:
    """Run every unfinished repeat; return how many were run.

    Each is saved when it is done, so that a run that was cut off goes on where it stopped.

    Parameters
    ----------
    results
        Where finished repeats are, and are added.
    cells, repeats
        What to have at the end.
    jobs
        Processes; each gets its share of the processors, so that they are never oversubscribed.
    sources
        Where the data of each dataset come from; by default the catalogue.
    progress
        Called with the repeats done and the repeats in all.
    """
    with results.locked():
        work = unfinished(results, cells, repeats)
        if progress is not None and work:
            progress(0, len(work))
        for done, record in enumerate(_records(results, work, jobs, sources or Sources()), start=1):
            results.append(record)
            if progress is not None:
                progress(done, len(work))
    return len(work)


def _records(results: Results, work: list[tuple[Cell, int]], jobs: int, sources: Sources) -> Iterator[Record]:
    jobs = min(jobs, len(work))
    threads = max(1, processors() // max(1, jobs))
    tasks = [(cell, repeat, results.plan(cell.task).settings(cell)) for cell, repeat in work]
    if jobs <= 1:
        at_hand = lru_cache(maxsize=1)(sources.load)
        yield from (run_cell(cell, repeat, how, at_hand(cell.dataset), threads) for cell, repeat, how in tasks)
        return
    spawn = multiprocessing.get_context("spawn")  # forked processes and threaded libraries do not mix
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=_start_worker, initargs=(threads, sources)) as pool:
        waiting = list(reversed(tasks))
        running: set[Future[Record]] = set()
        while waiting or running:
            while waiting and len(running) <= jobs:  # one more than jobs, so that no worker waits for this process
                running.add(pool.submit(_run, *waiting.pop(), threads))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)


_SOURCES: list[Sources] = []  # of a worker, which gets them when it starts


def _run(cell: Cell, repeat: int, settings: CellSettings, threads: int) -> Record:
    return run_cell(cell, repeat, settings, _loaded(cell.dataset), threads)


@lru_cache(maxsize=1)
def _loaded(name: str) -> Data:
    return _SOURCES[0].load(name)


def _start_worker(threads: int, sources: Sources) -> None:
    """Keep numeric libraries to this worker's share, and end with the process that started it, even one killed."""
    import numba
    import torch

    _SOURCES.append(sources)
    torch.set_num_threads(threads)
    numba.set_num_threads(threads)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait_for([parent.sentinel]), os._exit(1)), daemon=True).start()

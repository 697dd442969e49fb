"""A device does the same work for every value: neither the instructions nor what is remembered say which it was."""

import gc
import pickle
import sys
from collections.abc import Callable, Collection
from types import FrameType
from typing import Any

import numpy as np

from privge.mechanisms import Law

Trace = tuple[tuple[str, int], ...]


def instructions(law: Law, level: int, word: int) -> Trace:
    """Return the sequence of instructions that draw a code: every place in the byte code, in order."""
    return followed(lambda: law.code(level, word))


def followed(call: Callable[[], object], *, but: Collection[str] = ()) -> Trace:
    """Return the sequence of instructions that a call runs, without those in files of some names."""
    trace: list[tuple[str, int]] = []

    def follow(frame: FrameType, event: str, _: object) -> Any:  # noqa: ANN401 (the tracer itself)
        if frame.f_code.co_filename.endswith(tuple(but)):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        if event == "opcode":
            trace.append((frame.f_code.co_name, frame.f_lasti))
        return follow

    before = sys.gettrace()
    gc.disable()  # what it would call in between is not part of the law
    sys.settrace(follow)
    try:
        call()
    finally:
        sys.settrace(before)
        gc.enable()
    return tuple(trace)


def ways_to_draw(law: Law) -> set[Trace]:
    """Return the different ways to draw, over the ends, the middle, and words near every kind of border."""
    last, generator = law.levels - 1, np.random.default_rng(0)
    levels = sorted({0, last // 2, last, *generator.integers(0, law.levels, 5).tolist()})
    for level in levels:  # what the law itself needs is prepared before; it is the same for everybody
        law.code(level, 0)
    words = [0, 1, 2**52, 2**53 - 1, *generator.integers(0, 2**53, 20).tolist()]
    return {instructions(law, level, word) for level in levels for word in words}


def remembered(law: Law) -> set[str]:
    """Return the attributes of a law that drawing at every level makes or changes, after the first draw."""
    law.code(0, 0)
    before = {name: pickle.dumps(value) for name, value in vars(law).items()}
    for level in range(law.levels):
        law.code(level, 2**52)
    return {name for name, value in vars(law).items() if before.get(name) != pickle.dumps(value)}

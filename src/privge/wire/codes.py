"""A report on its way, and in every store: ``k`` little-endian 16-bit codes, bare bytes, named by their SHA-256."""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from privge._typing import Codes
from privge.campaign import Campaign

_CODE = np.dtype("<u2")


def encode(codes: ArrayLike) -> bytes:
    """Return codes as they are sent. They must be codes already: nothing is checked."""
    return np.asarray(codes).astype(_CODE).tobytes()


def decode(report: bytes) -> Codes:
    """Return the codes of a report."""
    return np.frombuffer(report, _CODE).astype(np.uint16)


def report_id(report: bytes) -> str:
    """Return the name of a report: its SHA-256, in hexadecimal."""
    return hashlib.sha256(report).hexdigest()


@dataclass(frozen=True, slots=True)
class ReportForm:
    """What a report of one campaign looks like.

    Parameters
    ----------
    k
        How many codes it has.
    outputs
        Every code is below this.
    each
        What each code is below, where that differs: of a node's own questions (`of_node`).
    """

    k: int
    outputs: int
    each: tuple[int, ...] | None = None
    _codes: struct.Struct = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_codes", struct.Struct(f"<{self.k}H"))

    @classmethod
    def of(cls, campaign: Campaign) -> "ReportForm":
        """Read it out of a campaign: what fits some node."""
        return cls(campaign.k, campaign.outputs)

    @classmethod
    def of_node(cls, campaign: Campaign, node: str | int) -> "ReportForm":
        """Read out of a campaign what a node may report; whoever is not asked is `privge.errors.NotAsked`."""
        if campaign.questions is None and campaign.assignment is not None:
            campaign.assignment.personal(node)
        each = campaign.outputs_of(node)  # which looks a node up itself where there are questions
        return cls(campaign.k, max(each), each if len(set(each)) > 1 else None)

    @property
    def size(self) -> int:
        """Bytes of a report."""
        return self._codes.size

    def written(self, codes: Sequence[int]) -> bytes:
        """Return codes as they are sent; whatever is not a report of the campaign is refused."""
        limits = self.each or (self.outputs,) * self.k
        fits = len(codes) == self.k and all(type(code) is int for code in codes)
        if not fits or not all(0 <= code < limit for code, limit in zip(codes, limits, strict=True)):
            raise ValueError(f"a report has {self.k} codes, each from 0 to {self.outputs - 1}")
        return self._codes.pack(*codes)

    def in_range(self, report: bytes) -> bool:
        """Say whether every code of a report of the right size is an output of the law; quick for a single one."""
        codes = self._codes.unpack(report)
        if self.each is None:
            return bool(max(codes) < self.outputs)
        return all(code < limit for code, limit in zip(codes, self.each, strict=True))

    def rows(self, reports: Sequence[bytes]) -> Codes:
        """Return the codes of many reports of the right size, one row for each."""
        return decode(b"".join(reports)).reshape(len(reports), self.k)

    def rows_in_range(self, reports: Sequence[bytes]) -> list[bool]:
        """Say the same as `in_range` of many reports at once, of nodes that may report the same."""
        highest = self.rows(reports).max(axis=1, initial=0)
        return [code < self.outputs for code in highest.tolist()]

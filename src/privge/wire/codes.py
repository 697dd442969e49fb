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
        Every code is below this. Of a campaign of questions it is the largest of them; what a node's own questions
        allow is `privge.Campaign.outputs_of`.
    """

    k: int
    outputs: int
    _codes: struct.Struct = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_codes", struct.Struct(f"<{self.k}H"))

    @classmethod
    def of(cls, campaign: Campaign) -> "ReportForm":
        """Read it out of a campaign."""
        return cls(campaign.k, campaign.outputs)

    @property
    def size(self) -> int:
        """Bytes of a report."""
        return self._codes.size

    def written(self, codes: Sequence[int]) -> bytes:
        """Return codes as they are sent; whatever is not a report of the campaign is refused."""
        if len(codes) != self.k or not all(type(code) is int and 0 <= code < self.outputs for code in codes):
            raise ValueError(f"a report has {self.k} codes, each from 0 to {self.outputs - 1}")
        return self._codes.pack(*codes)

    def in_range(self, report: bytes) -> bool:
        """Say whether every code of a report of the right size is an output of the law; quick for a single one."""
        return bool(max(self._codes.unpack(report)) < self.outputs)

    def rows(self, reports: Sequence[bytes]) -> Codes:
        """Return the codes of many reports of the right size, one row for each."""
        return decode(b"".join(reports)).reshape(len(reports), self.k)

    def rows_in_range(self, reports: Sequence[bytes]) -> list[bool]:
        """Say the same as `in_range` of many reports at once."""
        highest = self.rows(reports).max(axis=1, initial=0)
        return [code < self.outputs for code in highest.tolist()]

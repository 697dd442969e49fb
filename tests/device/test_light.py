"""A device loads what a draw needs and nothing else: no compiler, no file formats, no extra."""

import subprocess
import sys

import numpy as np
import pytest

from device.fake_service import serving, token_for
from privge.campaign import Assignment, Campaign
from privge.questions import Direction, Encoding, Model

HEAVY = ("pyarrow", "scipy", "numba", "llvmlite", "msgspec", "pandas", "sklearn", "torch")
SHOW = "import sys; print(*sorted(name for name in sys.modules if '.' not in name))"


def loaded(code, *arguments):
    """Return the packages that a program of its own has loaded at its end."""
    command = [sys.executable, "-c", f"{code}\n{SHOW}", *map(str, arguments)]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize("module", ["campaign", "mechanisms", "wire.codes", "wire.messages", "wire.tokens", "device"])
def test_importing_what_a_device_uses_loads_nothing_heavy(module):
    assert not loaded(f"import privge.{module}") & set(HEAVY)


def short_form(mechanism):
    return Campaign(dimensions=6, low=0, high=1, mechanism=mechanism, epsilon=1.0, k=3, levels=33)


PROFILE = Encoding.numbers(6, 0, 1)
ASKING = {
    **{mechanism: short_form(mechanism) for mechanism in ("hds", "piecewise", "multibit", "laplace")},
    "direction": Campaign(
        questions=[Direction(PROFILE)], epsilon=1.0, assignment=Assignment.members(["alice"]), round="spring"
    ),
    "model": Campaign(
        questions=[Model(PROFILE, [[1] * 6, [-1] * 6], classes=("a", "b"), normalised=True)],
        epsilon=1.0,
        assignment=Assignment.of(["alice"], np.array([[0, 1]])),
    ),
}


@pytest.mark.parametrize("campaign", ASKING.values(), ids=ASKING)
def test_a_whole_contribution_loads_nothing_heavy(tmp_path, campaign):
    contribute = (
        "import sys; from pathlib import Path; from privge.device import contribute\n"
        "assert contribute(sys.argv[1], [0.5] * 6, token=sys.argv[2], folder=Path(sys.argv[3])).new"
    )
    with serving() as service:
        found = loaded(contribute, service.add(campaign), token_for("alice"), tmp_path / "me")
        assert len(service.received) == 1
    assert "numpy" in found
    assert not found & set(HEAVY)


def test_the_list_of_modules_would_show_a_heavy_one():
    assert "pyarrow" in loaded("from privge.reports import Reports; Reports")

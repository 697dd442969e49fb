"""``privge law``: print or draw the integer law of one dimension."""

import json
import math

import click
import numpy as np

from privge.cli.fields import field_option
from privge.mechanisms import MAX_LEVELS, Law, Sampled, law_for, laws
from privge.random import TOTAL

_ROWS = 24  # lines of the chart
_BAR = 26  # characters of the longest bar


@click.command()
@field_option("mechanism", help="Which law to show.")
@click.option("--epsilon", type=float, help="Privacy budget of the whole report; leave out for none and structure.")
@click.option(
    "--k",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Features that share it: epsilon / k for each.",
)
@click.option(
    "--levels",
    type=click.IntRange(2, MAX_LEVELS),
    default=33,
    show_default=True,
    help="Input levels of the grid. Campaigns use 1025; a small grid is easier to read.",
)
@click.option(
    "--at",
    "inputs",
    type=click.FloatRange(-1, 1),
    nargs=2,
    default=(-1.0, 0.5),
    show_default=True,
    help="The two inputs to draw, on the scale from low bound -1 to high bound 1.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole law, to check it with your own tools.")
def law(
    mechanism: str, epsilon: float | None, k: int, levels: int, inputs: tuple[float, float], *, as_json: bool
) -> None:
    """Show the exact law of one dimension.

    A private value is rounded to one of --levels inputs. The law gives each output code an integer weight;
    the weights of an input sum to 2^53, so a probability is weight / 2^53 exactly. The law is epsilon-private
    because no column of weights has a ratio above e^epsilon: see "worst ratio".

    \b
    Examples:
      privge law --epsilon 1 --k 5
      privge law --mechanism laplace --epsilon 3 --at -1 1
      privge law --mechanism hds --epsilon 1 --k 5 --levels 33 --json
    """
    budget = budget_of(mechanism, epsilon)
    if any(math.isnan(x) for x in inputs):
        raise click.BadParameter("must be numbers from -1 to 1", param_hint="--at")
    try:
        one = law_for(mechanism, budget, k, levels)
    except ValueError as error:  # of a law from outside, which may not have every grid
        raise click.UsageError(str(error)) from error
    composed = Sampled(one, k, k)
    composed.check(budget)
    if as_json:
        click.echo(json.dumps(_document(one, composed, budget, k)))
    else:
        click.echo(_chart(one, composed, inputs))


def budget_of(mechanism: str, epsilon: float | None) -> float:
    """Return the budget of a mechanism: a control has its own, any other needs one."""
    fixed = laws()[mechanism].fixed_epsilon
    if fixed is not None:
        if epsilon not in (None, fixed):
            raise click.BadParameter(f"the control {mechanism!r} has no epsilon to choose", param_hint="--epsilon")
        return fixed
    if epsilon is None:
        raise click.UsageError(f"Missing option '--epsilon': mechanism {mechanism!r} needs a budget.")
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise click.BadParameter(f"must be a finite number above 0, got {epsilon}", param_hint="--epsilon")
    return epsilon


def _document(one: Law, composed: Sampled, epsilon: float, k: int) -> dict[str, object]:
    ratio = one.worst_ratio
    return {
        "mechanism": one.name,
        "epsilon": _finite(epsilon),
        "k": k,
        "levels": one.levels,
        "outputs": one.outputs,
        "inputs": one.inputs.tolist(),
        "values": one.values.tolist(),
        "weights": [one.weights(level).tolist() for level in range(one.levels)],
        "total": TOTAL,
        "gain": float(one.gain),
        "worst_ratio": None if ratio is None else f"{ratio.numerator}/{ratio.denominator}",
        "realised_epsilon": _finite(one.realised_epsilon),
        "realised_epsilon_composed": _finite(composed.realised_epsilon),
        "law": one.parameters(),
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _chart(one: Law, composed: Sampled, inputs: tuple[float, float]) -> str:
    """Draw the chance of each output, or of each few neighbouring outputs if there are many."""
    levels = one.level(inputs)
    chances = np.array([one.weights(int(level)) / TOTAL for level in levels])
    likely = np.flatnonzero(chances.max(axis=0) >= chances.max() / 500)
    per_line = -(-(likely[-1] - likely[0] + 1) // _ROWS)
    lines = (likely[-1] - likely[0]) // per_line + 1
    first = max(0, min(likely[0], one.outputs - lines * per_line))  # whole lines, where the law is long enough
    starts = range(first, min(first + lines * per_line, one.outputs), per_line)
    sums = np.array([chances[:, start : start + per_line].sum(axis=1) for start in starts])
    bars = np.rint(sums / sums.max() * _BAR).astype(int)
    text = [
        *_heading(one, composed),
        f"chance of {'an output' if per_line == 1 else f'{per_line} neighbouring outputs'}",
    ]
    text.append(
        "   output" + "".join(f"   {f'if the input is {one.inputs[level]:+.2f}':<{_BAR + 8}}" for level in levels)
    )
    for start, total, bar in zip(starts, sums, bars, strict=True):
        cells = (f"   {'█' * bar[side]:<{_BAR}} {f'{100 * total[side]:.2g}%':<7}" for side in range(2))
        text.append(f"{one.values[start : start + per_line].mean():>9.3g}{''.join(cells)}")
    hidden = 1 - sums.sum(axis=0).min()
    if hidden > 1e-9:
        text.append(f"(outputs not shown: less than {hidden:.1g} of the chances)")
    return "\n".join(line.rstrip() for line in text)


def _heading(one: Law, composed: Sampled) -> list[str]:
    ratio = one.worst_ratio
    worst = "unbounded" if ratio is None else f"{float(ratio):.6g}, that is 1 + {float(ratio - 1):.6g}"
    return [
        f"{one.name}: {one.levels} inputs, {one.outputs} outputs, gain {float(one.gain):.4g}",
        f"worst ratio of two weights: {worst}",
        (
            f"realised epsilon: {one.realised_epsilon:.6g} for one feature, "
            f"{composed.realised_epsilon:.6g} for all k = {composed.k}"
        ),
        "",
    ]

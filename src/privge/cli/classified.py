"""What ``privge classify`` says of its answers: what to expect of them, beside their controls."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privge.cli.terminal import one_line
from privge.recommendation.evaluation import NOISE, SHUFFLED

if TYPE_CHECKING:
    from privge.tasks.classification import Classification, Decisions, Estimate, Gain, Share

_NAMES = ("0 to 2", "3 to 10", "more")  # groups by number of friends that have a temperature each
_GROUPS = "probabilities are calibrated by number of friends; without any, "
_HELD = "none is surer than epsilon allows one report"
_SHARES = "everybody gets the shares of the classes among such people"


def report(found: "Classification", abstain: float, absent: Mapping[str, str], *, balanced: bool) -> Iterator[str]:
    """Yield what a person may want to know; ``absent`` says why there is no such control."""
    labelled, classes = len(found.known.rows), [one_line(name) for name in found.classes.tolist()]
    shown = ", ".join(classes[:6]) + (", ..." if len(classes) > 6 else "")
    yield f"{labelled:,} labelled nodes of {len(classes)} classes ({shown}); what to expect, by labels held out:"
    whole = found.estimate(balanced=balanced)
    yield _row("these answers", whole)
    yield f"  {'largest class':24}{found.majority!s:>26}"
    for name in found.controls:
        if name != "majority class":
            judged = found.control(name, balanced=balanced)
            yield f"{_row(name, judged)}   answers minus this: {found.gain(name, balanced=balanced)}"
    for reason in dict.fromkeys(absent.values()):
        names = ", ".join(name for name, why in absent.items() if why == reason)
        yield f"  {names}: {reason}"
    yield from (f"  {line}" for line in conclusions(found, balanced=balanced))
    yield (
        f"  expected calibration error {found.calibration_error:.3f} ({_temperatures(found)}); "
        f"counted: {_weights(found)}"
    )
    yield from _by_friends(found)
    if not found.learnt:
        yield "  nothing was learnt: the shares of the classes say as much"
    if abstain:
        kept = found.estimate(abstain=abstain, balanced=balanced).accuracy
        decided = found.held_out_decisions(abstain=abstain, balanced=balanced)
        yield f"  with --abstain {abstain:g}: {decided.share:.1%} of the labelled are answered, {kept} of them right"


def conclusions(found: "Classification", *, balanced: bool) -> Iterator[str]:
    """Yield in plain words what reports are worth here, and whether the graph alone would do."""
    from privge.tasks.classification.classification import STRUCTURE, WALKS
    from privge.tasks.classification.controls import answers_of

    nulls, public = (answers_of(SHUFFLED), answers_of(NOISE)), (WALKS, STRUCTURE)
    if all(name in found.controls for name in nulls):
        gain = found.gain(_higher(found, nulls, balanced=balanced), balanced=balanced)
        words = _verdict(gain, "so they say something", "nothing that can be told from zero", "they do harm here")
        yield f"what the reports are worth, by the higher of shuffled and structure-only: {gain}: {words}"
    if found.model is None:
        yield "from the graph and the labels alone: this costs no epsilon; reports are worth what they add to it"
    elif all(name in found.controls for name in public):
        name = _higher(found, public, balanced=balanced)
        gain = found.gain(name, balanced=balanced)
        words = _verdict(
            gain,
            "better than the graph alone",
            "no difference to the graph alone can be told",
            f"{name} by itself finds more",
        )
        yield f"these answers beside the graph alone ({name}): {gain}: {words}"


def _higher(found: "Classification", names: tuple[str, ...], *, balanced: bool) -> str:
    return max(names, key=lambda name: found.control(name, balanced=balanced).accuracy.value)


def _verdict(gain: "Gain", above: str, within: str, below: str) -> str:
    low, high = gain.interval
    return above if low > 0 else below if high < 0 else within


def _by_friends(found: "Classification") -> Iterator[str]:
    """Yield how sure answers are beside how right, by number of friends."""
    if found.friends is not None:
        yield f"  {_GROUPS}{_SHARES if found.model is None else _HELD}"
    for group in found.by_friends:
        caution = "   too sure" if group.boasting else "   too unsure" if group.doubting else ""
        who = f"{group.friends:>7} friends, {group.accuracy.count:,} labelled"
        yield f"    {who}: {group.confidence:.1%} sure, {group.accuracy} right{caution}"


def ending(found: "Classification", output: Path, saved: Path | None, abstain: float, *, balanced: bool) -> str:
    """Return where the answers are, and how many of them to expect right, by labels held out."""
    decided = found.decide(abstain=abstain, balanced=balanced)
    right = found.estimate(abstain=abstain, balanced=balanced).accuracy
    kept = "" if saved is None else f"; what was learnt from vectors alone is in {saved}"
    return f"{len(found.unlabelled):,} nodes without a label are in {output}: {promise(decided, right)}{kept}"


def promise(decided: "Decisions", right: "Share") -> str:
    """Return how many have an answer, and how many of these are right by labels held out, beside what they promise."""
    if not decided.answered.any():
        return "none of them is answered"
    expected = f"expect {right} of these to be right, by {right.count:,} labels held out"
    if not right.count:
        expected = "how many of these are right no held-out label tells"
    return f"{decided.share:.1%} are answered; {expected} (their mean probability: {decided.expected_accuracy:.1%})"


def summary(
    found: "Classification", abstain: float, *, balanced: bool, absent: Mapping[str, str], output: Path
) -> dict[str, Any]:
    """Return the same for a machine."""
    decided = found.decide(abstain=abstain, balanced=balanced)
    kept = found.estimate(abstain=abstain, balanced=balanced)
    return {
        "labelled": len(found.known.rows),
        "unlabelled": len(found.unlabelled),
        "classes": found.classes.tolist(),
        **_numbers(found.estimate(balanced=balanced)),
        "majority": found.majority.value,
        "controls": {
            name: {
                **_numbers(found.control(name, balanced=balanced)),
                "gain": found.gain(name, balanced=balanced).points,
                "gain_interval": list(found.gain(name, balanced=balanced).interval),
            }
            for name in found.controls
        },
        "controls_not_run": dict(absent),
        "conclusions": list(conclusions(found, balanced=balanced)),
        "calibration_error": found.calibration_error,
        "temperature": found.temperature,
        "temperatures_by_friends": dict(zip(_NAMES, found.calibration.by_friends, strict=False)),
        "by_friends": [
            {"friends": each.friends, "confidence": each.confidence, **_share(each.accuracy)}
            for each in found.by_friends
        ],
        "weights": {name: round(weight, 4) for name, weight in found.fused.weights.items()},
        "learnt": found.learnt,
        "abstain": abstain,
        "answered": decided.share,
        "expected_accuracy": plain(kept.accuracy.value),
        "expected_interval": [plain(end) for end in kept.accuracy.interval],
        "mean_confidence": plain(decided.expected_accuracy),
        "output": str(output),
    }


def plain(value: float) -> float | None:
    """Return a number for a document, None for what is not one."""
    return None if math.isnan(value) else value


def _numbers(estimate: "Estimate") -> dict[str, Any]:
    share = estimate.accuracy
    return {"accuracy": share.value, "interval": list(share.interval), "macro_f1": estimate.macro_f1}


def learnt_figure(share: "Share | None", abstain: float) -> str:
    """Return what held-out labels said of such answers when a model was learnt."""
    if share is None:
        return "how many are right is not known: the model does not say it of such answers"
    asked = f" with a probability of at least {abstain:g}" if abstain else ""
    return f"when it was learnt, {share} of {share.count:,} answers{asked} were right, by labels held out"


def _share(share: "Share") -> dict[str, Any]:
    return {"accuracy": plain(share.value), "interval": list(share.interval), "labelled": share.count}


def _row(name: str, estimate: "Estimate") -> str:
    return f"  {name:24}{estimate.accuracy!s:>26}   macro-F1 {100 * estimate.macro_f1:5.1f}"


def _temperatures(found: "Classification") -> str:
    """Return the common temperature, and those of groups that have another one."""
    own = zip(_NAMES, found.calibration.by_friends, strict=False)
    others = [f"{name} friends {each:.2f}" for name, each in own if f"{each:.2f}" != f"{found.temperature:.2f}"]
    return ", ".join([f"temperature {found.temperature:.2f}", *others])


def _weights(found: "Classification") -> str:
    prior = "structure" if "structure channel" in found.said else "shares of classes"
    named = {prior if name == "structure" else name: weight for name, weight in found.fused.weights.items()}
    return ", ".join(f"{name} {weight:.2f}" for name, weight in sorted(named.items(), key=lambda item: -item[1]))

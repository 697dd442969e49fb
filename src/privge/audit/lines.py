"""An audit as lines for people: made from its plain values, so that a certificate can show nothing else."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from privge.audit.leakage import Leakage
from privge.audit.over_time import OverTime, Repeat

_MOST = 12  # questions that are shown one by one

Facts = Mapping[str, Any]
"""What `privge.audit.audit.Audit.to_dict` returns, or a part of it."""


def lines(audit: Facts) -> Iterator[str]:
    """Yield what was found, part by part, and the verdict."""
    for proof in audit["proofs"]:
        yield from _proof(proof)
        yield from map(_attack, proof["attacks"])
    if audit["store"] is not None:
        yield from _store(audit["store"])
    if audit["over_time"] is not None:
        stated = audit["over_time"]
        yield from OverTime(**{**stated, "repeats": tuple(Repeat(**each) for each in stated["repeats"])}).words()
    if audit["leakage"] is not None:
        yield from Leakage(**audit["leakage"]).words()
    for violation in audit["violations"]:
        yield f"VIOLATION: {violation}"
    yield "Everything holds." if audit["holds"] else f"{len(audit['violations'])} violations."


def _proof(proof: Facts) -> Iterator[str]:
    epsilon, realised = (_number(proof[name]) for name in ("epsilon", "realised_epsilon"))
    yield f"{proof['of']}: promises epsilon = {epsilon:g} for a report of {proof['k']:,} of {proof['dimensions']:,}"
    for each in proof["questions"][:_MOST]:
        weights = sum(law["inputs"] * law["outputs"] for law in each["laws"])
        ratio = each["worst_ratio"]
        shown = "unbounded" if ratio is None else f"{float(Fraction(ratio)):.12g} = {Fraction(ratio)}"
        yield f"  {each['title']}: {weights:,} weights read, worst ratio {shown}"
    if len(proof["questions"]) > _MOST:
        yield f"  and {len(proof['questions']) - _MOST:,} more questions"
    yield f"  a whole report: realised epsilon <= {realised:.17g}; holds: {str(proof['holds']).lower()}"


def _attack(attack: Facts) -> str:
    first, second = attack["hits"]
    return (
        f"  attack on {attack['question']}: {attack['draws']:,} draws of {attack['law']}, event {first:,} against "
        f"{second:,} of {attack['reports']:,}: epsilon >= {attack['lower_bound']:.4f} ({attack['confidence']:.4%} sure)"
    )


def _store(store: Facts) -> Iterator[str]:
    for each in store["campaigns"]:
        share, envelope = each["visible_share"], each["envelope"]
        seen = "" if share is None else f", crude liars would be seen from {share:.1%} on"
        yield (
            f"campaign {each['campaign'][:12]} in the store: {each['reports']:,} reports, {each['erased']:,} erased, "
            f"{envelope['tests']:,} tests of its codes: p = {envelope['p_value']:.3g}{seen}"
        )
    for campaign in store["absent"]:
        yield f"campaign {campaign[:12]} is not in the store: no report of it was looked at"
    nodes = sum(each["nodes"] for each in store["ledger"])
    cap = "no cap" if store["lifetime_epsilon"] is None else f"cap {store['lifetime_epsilon']:g}"
    yield f"ledger: {nodes:,} nodes, whoever spent most has spent {store['most_spent']:g}, {cap}"
    if store["rejects"] is not None:
        told = ", ".join(f"{reason} {count:,}" for reason, count in store["rejects"].items() if count) or "none"
        yield f"refused reports: {told}"
    yield f"trail: {len(store['trail']):,} acts of operators"
    yield from (
        f"  {act['when']:20}  {act['kind']:9}  {(act['campaign'] or 'all')[:12]:12}  {act['by']}"
        for act in store["trail"][-10:]
    )


def _number(value: float | None) -> float:
    return math.inf if value is None else value

"""An audit as lines for people."""

from collections.abc import Iterator

from privge.audit.attack import ALPHA, Attack
from privge.audit.audit import Audit
from privge.audit.proof import Proof
from privge.audit.stored import StoreAudit


def lines(audit: Audit) -> Iterator[str]:
    """Yield what was found, part by part, and the verdict."""
    attacks = [*audit.attacks, *([[]] * len(audit.proofs))]
    for proof, seen in zip(audit.proofs, attacks, strict=False):
        yield from _proof(proof)
        for each in seen:
            yield _attack(each)
    if audit.store is not None:
        yield from _store(audit.store)
    if audit.over_time is not None:
        yield from audit.over_time.words()
    if audit.leakage is not None:
        yield from audit.leakage.words()
    for violation in audit.violations:
        yield f"VIOLATION: {violation}"
    yield "Everything holds." if audit.holds else f"{len(audit.violations)} violations."


def _proof(proof: Proof) -> Iterator[str]:
    claim = proof.claim
    yield f"{claim.title}: promises epsilon = {claim.epsilon:g} for a report of {claim.k:,} of {claim.dimensions:,}"
    for each in proof.questions[:12]:
        weights = sum(law.inputs * law.outputs for law in each.laws)
        ratio = "unbounded" if each.ratio is None else f"{float(each.ratio):.12g} = {each.ratio}"
        yield f"  {each.title}: {weights:,} weights read, worst ratio {ratio}"
    if len(proof.questions) > 12:
        yield f"  and {len(proof.questions) - 12:,} more questions"
    yield f"  a whole report: realised epsilon <= {proof.realised_epsilon:.17g}; holds: {str(proof.holds).lower()}"


def _attack(attack: Attack) -> str:
    return (
        f"  attack on {attack.title}: {attack.draws:,} draws of {attack.law}, event {attack.hits[0]:,} against "
        f"{attack.hits[1]:,} of {attack.reports:,}: epsilon >= {attack.lower:.4f} ({1 - ALPHA:.4%} sure)"
    )


def _store(audit: StoreAudit) -> Iterator[str]:
    for each in audit.campaigns:
        share = each.visible_share
        seen = "" if share is None else f", crude liars would be seen from {share:.1%} on"
        yield (
            f"campaign {each.campaign[:12]} in the store: {each.reports:,} reports, {each.erased:,} erased, "
            f"{each.envelope.tests:,} tests of its codes: p = {each.envelope.p_value:.3g}{seen}"
        )
    nodes = sum(each.nodes for each in audit.ledger)
    cap = "no cap" if audit.cap is None else f"cap {audit.cap:g}"
    yield f"ledger: {nodes:,} nodes, whoever spent most has spent {audit.most_spent:g}, {cap}"
    if audit.rejects is not None:
        told = ", ".join(f"{reason} {count:,}" for reason, count in audit.rejects.items() if count) or "none"
        yield f"refused reports: {told}"
    yield f"trail: {len(audit.trail):,} acts of operators"
    yield from (
        f"  {act.when:20}  {act.kind:9}  {(act.campaign or 'all')[:12]:12}  {act.by}" for act in audit.trail[-10:]
    )

"""Everything that was audited, with one verdict; as plain values for machines and as lines for people."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from privge.audit.attack import ALPHA, Attack
from privge.audit.envelope import LEVEL
from privge.audit.leakage import Leakage
from privge.audit.over_time import OverTime
from privge.audit.proof import LawProof, Proof
from privge.audit.stored import StoreAudit

AT_THE_TOP = ("epsilon", "k", "dimensions", "realised_epsilon", "worst_ratio")
"""What is said of the only promise without looking for it."""


@dataclass(frozen=True)
class Audit:
    """What was audited, and what was found.

    Parameters
    ----------
    proofs
        The exact part, one for each promise.
    attacks
        The empirical part, for each of these.
    store, over_time, leakage
        The other parts; None if nobody asked for them.
    """

    proofs: Sequence[Proof] = ()
    attacks: Sequence[Sequence[Attack]] = ()
    store: StoreAudit | None = None
    over_time: OverTime | None = None
    leakage: Leakage | None = None

    @property
    def violations(self) -> list[str]:
        """Everything that is not as it was promised, in words."""
        found = [f"{proof.claim.title}: {each}" for proof in self.proofs for each in proof.violations]
        found += [problem for attacks in self.attacks for each in attacks for problem in each.violations]
        for part in (self.store, self.over_time):
            found += [] if part is None else part.violations
        return found

    @property
    def holds(self) -> bool:
        """Whether everything is as it was promised."""
        return not self.violations

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values. If there is one promise, its result stands at the top too."""
        shown = [
            {**proof_facts(proof), "attacks": [attack_facts(each) for each in attacks]}
            for proof, attacks in zip(self.proofs, [*self.attacks, *([[]] * len(self.proofs))], strict=False)
        ]
        top: dict[str, Any] = {"holds": self.holds, "violations": self.violations}
        if len(shown) == 1:
            top |= {name: shown[0][name] for name in AT_THE_TOP}
            top["empirical_lower_bound"] = max((each["lower_bound"] for each in shown[0]["attacks"]), default=None)
        return {
            **top,
            "proofs": shown,
            "store": None if self.store is None else store_facts(self.store),
            "over_time": None if self.over_time is None else asdict(self.over_time),
            "leakage": None if self.leakage is None else self.leakage.to_dict(),
        }


def proof_facts(proof: Proof) -> dict[str, Any]:
    """Return a proof as plain values: everything in it follows from the claim, and can be computed again."""
    factors = proof.factors
    return {
        "of": proof.claim.title,
        "campaign": proof.claim.campaign,
        "epsilon": _finite(proof.claim.epsilon),
        "k": proof.claim.k,
        "dimensions": proof.claim.dimensions,
        "realised_epsilon": _finite(proof.realised_epsilon),
        "worst_ratio": _fraction(proof.ratio),
        "factors": None if factors is None else [_factor(*each) for each in factors.items()],
        "questions": [
            {"title": each.title, "worst_ratio": _fraction(each.ratio), "laws": [_law_facts(law) for law in each.laws]}
            for each in proof.questions
        ],
        "holds": proof.holds,
        "violations": proof.violations,
    }


def attack_facts(attack: Attack) -> dict[str, Any]:
    """Return an attack as plain values."""
    return {
        "question": attack.title,
        "law": attack.law,
        "draws": attack.draws,
        "codes_a_report": attack.codes,
        "reports": attack.reports,
        "hits": list(attack.hits),
        "lower_bound": attack.lower,
        "confidence": 1 - ALPHA,
        "realised_epsilon": _finite(attack.realised),
        "fit_p_value": attack.fit,
        "impossible_elsewhere": attack.impossible,
        "device_agrees": attack.device_agrees,
        "ways_to_draw": attack.ways,
    }


def store_facts(audit: StoreAudit) -> dict[str, Any]:
    """Return the audit of a store as plain values."""
    return {
        "problems": list(audit.problems),
        "p_value": audit.p_value,
        "level": LEVEL,
        "campaigns": [{**asdict(each), "flagged": each.envelope.flagged} for each in audit.campaigns],
        "absent": list(audit.absent),
        "lifetime_epsilon": audit.cap,
        "most_spent": audit.most_spent,
        "ledger": [each._asdict() for each in audit.ledger],
        "rejects": None if audit.rejects is None else dict(audit.rejects),
        "trail": [asdict(act) for act in audit.trail],
    }


def _law_facts(law: LawProof) -> dict[str, Any]:
    facts = {"law": law.law, "inputs": law.inputs, "outputs": law.outputs, "total": law.total}
    witness = None if law.witness is None else asdict(law.witness)
    return {**facts, "worst_ratio": _fraction(law.ratio), "witness": witness, "problems": list(law.problems)}


def _factor(ratio: Fraction, uses: int) -> dict[str, Any]:
    return {"ratio": _fraction(ratio), "uses": uses}


def _fraction(ratio: Fraction | None) -> str | None:
    return None if ratio is None else f"{ratio.numerator}/{ratio.denominator}"


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None

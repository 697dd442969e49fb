"""Does the system hold what it promised? Proofs of laws, attacks on samplers, audits of stores, over time."""

from privge.audit.attack import Attack, attack
from privge.audit.audit import Audit
from privge.audit.certificate import check_certificate, write_certificate
from privge.audit.claim import Claim, claim_of, claim_of_mechanism, claim_of_table, load_claim, load_table
from privge.audit.envelope import Envelope, look
from privge.audit.leakage import Leakage, leakage
from privge.audit.over_time import Entry, OverTime, over_time
from privge.audit.proof import Proof, prove
from privge.audit.reachability import Reachability, reachability
from privge.audit.stored import StoreAudit, audit_store, read_rejects

__all__ = [
    "Attack",
    "Audit",
    "Claim",
    "Entry",
    "Envelope",
    "Leakage",
    "OverTime",
    "Proof",
    "Reachability",
    "StoreAudit",
    "attack",
    "audit_store",
    "check_certificate",
    "claim_of",
    "claim_of_mechanism",
    "claim_of_table",
    "leakage",
    "load_claim",
    "load_table",
    "look",
    "over_time",
    "prove",
    "reachability",
    "read_rejects",
    "write_certificate",
]

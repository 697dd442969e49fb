"""An audit as one HTML file that can be verified again.

The page holds, as JSON, everything that it shows and what was audited: campaign documents with their integer laws, or
tables of weights. A check reads that, proves every promise anew, compares the results to the last digit, and renders
the page again: whatever it shows must be what its data say.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from privge._files.atomic import atomic_path
from privge._files.pages import filled_page
from privge._version import __version__
from privge.audit.audit import AT_THE_TOP, Audit, proof_facts
from privge.audit.claim import claim_again
from privge.audit.lines import lines
from privge.audit.proof import prove
from privge.errors import BadData

FORMAT = "privge-certificate-2"
_PAYLOAD = re.compile(r'<script type="application/json" id="audit">(.*?)</script>', re.DOTALL)
_STEPS = (
    "Every weight of every law was read: rows of integers of at least 0, each with the sum 2^53, the number of words.",
    "In every column the largest weight over the smallest is an exact fraction; the worst one is the law's.",
    "Which questions a report answers does not depend on the data: its worst ratio is the product of the k worst ones.",
    "The logarithm of that product, rounded up by a proven bound, is at most epsilon.",
)


def write_certificate(audit: Audit, path: str | PathLike[str], *, now: datetime | None = None) -> None:
    """Write the certificate of an audit; the file is complete or absent."""
    made = (datetime.now(UTC) if now is None else now).strftime("%Y-%m-%dT%H:%M:%SZ")
    payload: dict[str, Any] = {
        "format": FORMAT,
        "made": made,
        "version": __version__,
        "code": code_digest(),
        "subjects": [{"kind": proof.claim.kind, "document": dict(proof.claim.document)} for proof in audit.proofs],
        "audit": json.loads(json.dumps(audit.to_dict())),
    }
    payload["sha256"] = _digest(payload)
    with atomic_path(Path(path)) as partial:
        partial.write_text(_rendered(payload), encoding="utf-8")


def check_certificate(path: str | PathLike[str]) -> tuple[list[str], dict[str, Any]]:
    """Verify a certificate again; return what is wrong, in words, and what it holds."""
    place = Path(path)
    try:
        page = place.read_text(encoding="utf-8")
        payload = _payload(page)
        return list(_problems(page, payload)), payload
    except UnicodeDecodeError as error:
        raise BadData(f"{place}: this is not a certificate: it is not text") from error
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        raise BadData(f"{place}: the data of the certificate are not complete, or not what they must be") from error
    except BadData as error:
        raise BadData(f"{place}: {error}") from error


def code_digest() -> str:
    """Return the SHA-256 of the source of the laws and of the words that they draw from."""
    root = files("privge")
    names = ["random.py", *sorted(f"mechanisms/{each.name}" for each in (root / "mechanisms").iterdir())]
    content = b"".join((root / name).read_bytes() for name in names if name.endswith(".py"))
    return hashlib.sha256(content).hexdigest()


def _payload(page: str) -> dict[str, Any]:
    found = _PAYLOAD.search(page)
    try:
        payload = json.loads(found[1]) if found else None
    except ValueError as error:
        raise BadData(f"the data of the certificate are not JSON: {error}") from error
    if not isinstance(payload, dict) or payload.get("format") != FORMAT:
        raise BadData("this is not a certificate of `privge audit`")
    names = {"made": str, "version": str, "code": str, "subjects": list, "audit": dict, "sha256": str}
    if not all(isinstance(payload.get(name), kind) for name, kind in names.items()):
        raise BadData("the data of the certificate are not complete")
    return payload


def _problems(page: str, payload: Mapping[str, Any]) -> Iterator[str]:
    stated = {name: value for name, value in payload.items() if name != "sha256"}
    if _digest(stated) != payload["sha256"]:
        yield "the data were changed: their hash is not the one that is stated"
    proofs = payload["audit"].get("proofs")
    if not isinstance(proofs, list) or len(proofs) != len(payload["subjects"]):
        yield "there is not one proof for each thing that was audited"
        return
    if not proofs:
        yield "it proves nothing: there is nothing in it that a check could prove again"
    for subject, shown in zip(payload["subjects"], proofs, strict=True):
        try:
            facts = proof_facts(prove(claim_again(subject["kind"], subject["document"])))
        except (BadData, LookupError, TypeError, ValueError) as error:
            yield f"what was audited cannot be read again: {error}"
            continue
        facts = json.loads(json.dumps(facts))
        different = [name for name in facts if shown.get(name) != facts[name]]
        if different:
            yield f"{facts['of']}: proven anew, {', '.join(different)} are not what the certificate says"
        yield from (f"{facts['of']}: {each}" for each in facts["violations"])
    audit = payload["audit"]
    if len(proofs) == 1 and any(audit.get(name) != proofs[0][name] for name in AT_THE_TOP):
        yield "what it says at the top is not what it proves"
    if audit.get("violations"):
        yield from (f"when it was made: {each}" for each in audit["violations"])
    elif audit.get("holds") is not True:
        yield "when it was made, it did not hold"
    if _rendered(payload) != page:
        other = "" if payload["version"] == __version__ else f"; privge {payload['version']} may render it otherwise"
        yield f"the page shows something else than its data{other}"


def proven_again(payload: Mapping[str, Any]) -> list[str]:
    """Return what a certificate without problems proves, so that nobody has to believe its page."""
    return [
        f"{each['of']}: a report spends at most {each['realised_epsilon']:.17g}, of epsilon = {each['epsilon']:g}"
        for each in payload["audit"]["proofs"]
    ]


def remarks_on(payload: Mapping[str, Any]) -> list[str]:
    """Return what whoever checks a certificate should know, and is not wrong."""
    said = []
    if payload["version"] != __version__:
        said.append(f"it says that it was made by privge {payload['version']}")
    if payload["code"] != code_digest():
        said.append("the code of the laws is not the one that was audited; their weights are the same")
    if payload["audit"].get("store") is not None:
        said.append("it is about a store too, which is looked at again with --store")
    if any(proof.get("attacks") for proof in payload["audit"]["proofs"]):
        said.append("what it says of attacks was not done again")
    return said


def _digest(payload: Mapping[str, Any]) -> str:
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _rendered(payload: Mapping[str, Any]) -> str:
    audit = payload["audit"]
    holds = audit["holds"]
    subjects = "\n".join(
        f"<tr><th>of what was audited<td>{escape(subject['kind'])} <code>{_digest(subject['document'])}</code>"
        for subject in payload["subjects"]
    )
    return filled_page(
        "privge.audit",
        "certificate.html",
        title="Certificate of an audit",
        made=escape(payload["made"]),
        version=escape(payload["version"]),
        kind="good" if holds else "bad",
        verdict="Everything that was audited holds." if holds else "Something does not hold.",
        body="\n".join(_body(audit)),
        digest=payload["sha256"],
        code=escape(payload["code"]),
        subjects=subjects,
        payload=json.dumps(payload, ensure_ascii=True).replace("<", "\\u003c"),
    )


def _body(audit: Mapping[str, Any]) -> Iterator[str]:
    for violation in audit["violations"]:
        yield f'<p class="bad">{escape(violation)}</p>'
    for proof in audit["proofs"]:
        yield f"<h2>{escape(proof['of'])}</h2>"
        yield "<table>"
        yield from (f"<tr><th>{escape(name)}<td>{value}" for name, value in _cells(proof))
        yield "</table>"
    if audit["proofs"]:
        yield "<h2>Steps of the proof</h2><ol>"
        yield from (f"<li>{escape(step)}" for step in _STEPS)
        yield "</ol>"
    yield '<h2>Everything that was found</h2><div class="wide"><table>'
    yield from (f"<tr><td>{escape(line)}" for line in lines(audit))
    yield "</table></div>"


def _cells(proof: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if proof["campaign"]:
        yield "campaign", f"<code>{escape(proof['campaign'])}</code>"
    yield "promised epsilon", escape(str(proof["epsilon"]))
    yield "realised epsilon", f"at most {escape(str(proof['realised_epsilon']))}"
    ratio = proof["worst_ratio"] or "unbounded, or too long to be written out"
    yield "worst ratio of a report", f"<code>{escape(ratio)}</code>"
    yield "draws", f"{proof['k']:,} of {proof['dimensions']:,}"
    for each in proof["attacks"]:
        said = f"epsilon is at least {each['lower_bound']:.4f}, by {each['draws']:,} draws of {each['law']}"
        yield "attack", escape(said)

"""Services, honest and lying, as scripts: what each answers, what a device must make of it, and what it may have sent.

A script has answers for each kind of request: ``campaign``, ``shard``, ``standing`` and ``report``. They are given in
order, and the last one again and again. ``requests`` are the kinds of requests in their order; after the last of them
the device has charged its ledger or not.
"""

from typing import Any

from privge import Campaign
from privge.campaign import Assignment
from privge.wire.codes import encode, report_id
from privge.wire.tokens import Key, mint

KEY = Key("vectors", bytes(32))
NODE = "Zoë"
OPEN = {"status": 200, "text": '{"reason":"open","codes":null}'}
STORED = {"status": 201, "text": ""}
TO_REPORT = ["campaign", "standing", "report"]


def vectors() -> list[dict[str, Any]]:
    """Return every conversation."""
    return [*_honest(), *_about_campaigns(), *_about_people(), *_refusals(), *_before_any_contact()]


def _campaign(**fields: Any) -> Campaign:  # noqa: ANN401 (as of a campaign)
    return Campaign(**{"dimensions": 2, "low": 0, "high": 1, "mechanism": "hds", "epsilon": 1.0, "k": 2, **fields})


def _entry(
    name: str, outcome: dict[str, Any], requests: list[str], *, campaign: Campaign | None = None, **answers: object
) -> dict[str, Any]:
    """Return a conversation; ``answers`` replace those of an honest service, and the rest of what is stated."""
    about = campaign or _campaign()
    document = {"status": 200, "text": about.to_json()}
    script = {"campaign": [document], "standing": [OPEN], "report": [STORED]}
    script |= {kind: answers.pop(kind) for kind in ("campaign", "shard", "standing", "report") if kind in answers}  # type: ignore[misc]
    return {
        "name": name,
        "address": f"http://127.0.0.1/v1/campaigns/{about.id}",
        "token": mint(KEY, node=NODE, campaign=about.id, expires=2**33),
        "features": [0.25, 0.5],
        "caps": {},
        "answers": script,
        "requests": requests,
        "charged": "report" in requests,
        **outcome,
        **answers,
    }


def _sent(*, drawn: bool = True, new: bool = True, **more: object) -> dict[str, Any]:
    return {"drawn": drawn, "new": new, **more}


def _refused(code: str, status: int | None = None) -> dict[str, Any]:
    return {"refused": code, "status": status}


def _honest() -> list[dict[str, Any]]:
    busy, rate = {"status": 503, "text": ""}, {"status": 429, "text": "", "retry_after": "0"}
    held = {"status": 200, "text": '{"reason":"held","codes":[7,1000]}'}
    return [
        _entry("a new report", _sent(), TO_REPORT),
        _entry("the same bytes again", _sent(new=False), TO_REPORT, report=[{"status": 200, "text": ""}]),
        _entry(
            "a report of another device",
            _sent(drawn=False, report=report_id(encode([7, 1000]))),
            TO_REPORT,
            standing=[held],
        ),
        _entry("busy at first", _sent(), ["campaign", "standing", "standing", "report"], standing=[busy, OPEN]),
        _entry("too often", _sent(), [*TO_REPORT, "report"], report=[rate, STORED]),
        _entry("a node for all campaigns", _sent(), TO_REPORT, token=mint(KEY, node=2**63, expires=1)),
    ]


def _about_campaigns() -> list[dict[str, Any]]:
    one, other = ["campaign"], _campaign(epsilon=2.0)
    loud = {"status": 200, "repeat": 2**25 + 1}
    return [
        _entry("another campaign", _refused("mismatch"), one, answers=_instead(other.to_json())),
        _entry("one byte more", _refused("mismatch"), one, answers=_instead(_campaign().to_json() + " ")),
        _entry("no campaign", _refused("mismatch"), one, answers=_instead("")),
        _entry("a campaign without end", _refused("refused", 200), one, answers=_instead_of(loud)),
        _entry("an unknown campaign", _refused("refused", 404), one, answers=_instead_of({"status": 404, "text": ""})),
        _entry("a campaign elsewhere", _refused("refused", 302), one, answers=_instead_of({"status": 302, "text": ""})),
        _entry("a control", _refused("privacy"), one, campaign=Campaign(dimensions=2, low=0, high=1, mechanism="none")),
        _entry("the policy refuse", _refused("privacy"), one, campaign=_campaign(missing="refuse")),
        _entry("closed long ago", _refused("refused", 410), one, campaign=_campaign(closes="2020-01-01T00:00:00Z")),
        _entry("open in a century", _refused("refused", 410), one, campaign=_campaign(opens="2126-01-01T00:00:00Z")),
        _entry("a cap for one campaign", _refused("budget"), one, caps={"campaign": 0.5}),
        _entry("a cap for life", _refused("budget"), one, caps={"lifetime": 0.999}),
        _entry("epsilon above the cap at first", _refused("budget"), one, campaign=_campaign(epsilon=3.5)),
        _entry("epsilon above it, allowed", _sent(), TO_REPORT, campaign=_campaign(epsilon=3.5), caps={"campaign": 4}),
    ]


def _instead(text: str) -> dict[str, Any]:
    return _instead_of({"status": 200, "text": text})


def _instead_of(answer: dict[str, Any]) -> dict[str, Any]:
    return {"campaign": [answer], "standing": [OPEN], "report": [STORED]}


def _about_people() -> list[dict[str, Any]]:
    asked = Assignment.members([NODE, "p1"], bits=0)
    others = Assignment.members(["p1"], bits=0)
    mine, theirs = _campaign(assignment=asked), _campaign(assignment=others)
    both = ["campaign", "shard"]

    def shard(hexadecimal: str, status: int = 200) -> list[dict[str, Any]]:
        return [{"status": status, "hex": hexadecimal}]

    good = asked.shards[0].hex()
    return [
        _entry("asked", _sent(), ["campaign", "shard", "standing", "report"], campaign=mine, shard=shard(good)),
        _entry("not asked", _refused("not_asked"), both, campaign=theirs, shard=shard(others.shards[0].hex())),
        _entry("the shard of others", _refused("mismatch"), both, campaign=mine, shard=shard(others.shards[0].hex())),
        _entry("no shard", _refused("mismatch"), both, campaign=mine, shard=shard("")),
        _entry("an unknown shard", _refused("refused", 404), both, campaign=mine, shard=shard("", 404)),
    ]


def _refusals() -> list[dict[str, Any]]:
    asked = ["campaign", "standing"]
    lies = {
        "nothing": "",
        "no JSON": "open",
        "a list": "[]",
        "null": "null",
        "no codes": '{"reason":"held","codes":null}',
        "too few codes": '{"reason":"held","codes":[7]}',
        "a code that the law does not have": '{"reason":"held","codes":[7,65535]}',
        "a code below 0": '{"reason":"held","codes":[7,-1]}',
        "a code with a half": '{"reason":"held","codes":[7,0.5]}',
        "codes in words": '{"reason":"held","codes":"77"}',
        "no reason": '{"codes":null}',
    }
    found = [
        _entry(f"a standing of {name}", _refused("refused", 200), asked, standing=[{"status": 200, "text": text}])
        for name, text in lies.items()
    ]
    long = {"status": 200, "repeat": 2**20 + 1}
    found.append(_entry("a standing without end", _refused("refused", 200), asked, standing=[long]))
    for status in (401, 403, 404, 410, 302):
        answer = {"status": status, "text": '{"detail":"No."}'}
        found.append(_entry(f"a standing of {status}", _refused("refused", status), asked, standing=[answer]))
    for status in (401, 409, 410, 422, 302):
        answer = {"status": status, "text": "<html>"}
        found.append(_entry(f"a report that gets {status}", _refused("refused", status), TO_REPORT, report=[answer]))
    return found


def _before_any_contact() -> list[dict[str, Any]]:
    token = mint(KEY, node=NODE, campaign=64 * "0", expires=2**33)
    no, path = "token", f"/v1/campaigns/{_campaign().id}"
    return [
        _entry("a token for another campaign", _refused(no), [], token=token),
        _entry("a token without a dot", _refused(no), [], token="abc"),
        _entry("a token that is no base64", _refused(no), [], token="!.!"),
        _entry("a token that is no JSON", _refused(no), [], token="YWJj.YWJj"),
        _entry("a token without a node", _refused(no), [], token="eyJjYW1wYWlnbiI6bnVsbH0.YQ"),
        _entry("a token whose node is a list", _refused(no), [], token="eyJub2RlIjpbXSwiY2FtcGFpZ24iOm51bGx9.YQ"),
        _entry("http to another machine", _refused("address"), [], address=f"http://example.org{path}"),
        _entry("an address with a question", _refused("address"), [], address=f"https://example.org{path}?x"),
        _entry("an address with a name", _refused("address"), [], address=f"https://me@example.org{path}"),
        _entry("an address of another kind", _refused("address"), [], address=f"ftp://example.org{path}"),
        _entry("an address without a campaign", _refused("address"), [], address="https://example.org/v1/campaigns/"),
    ]

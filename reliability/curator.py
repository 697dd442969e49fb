"""Play curator against a device: what is learned beyond the reports that were paid for?

``python -m reliability.curator --campaigns 300`` sets up a service that lies as it likes, and two people who differ in
everything private: values, missing ones, names, things that are no numbers. Strategies publish campaign after campaign,
each chosen by what the ones before showed: policies, bounds, names, grids, laws, controls, caps, closing, false claims;
and questions (`reliability.questioning`): models, directions, personal assignments, false shards, rounds.
What a curator sees for nothing is *everything but the bodies*: which requests come, in which order, how long they are,
whether a token is shown, whether anybody comes back at all, and when. This must be the same for both people, exactly
where it is discrete and by a test of two distributions where it is time. Bodies are what epsilon pays for: their price
must be in the person's ledger, within the caps, and a campaign gets one body however often it asks.
"""

import hashlib
import json
import re
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click
import numpy as np
from scipy.stats import ks_2samp

from privge.campaign import Campaign
from privge.device import Memory, Patience, contribute
from privge.device.pace import PACE, Pace
from privge.errors import PrivgeError
from privge.wire.tokens import Key, mint

FALSE_ALARM = 1e-6
OPEN = (200, {"reason": "open", "codes": None})
KEY = Key("game", b"k" * 32)

PEOPLE = {
    "alice": {"salary": 61234.57, "age": 41, "diagnosis": 1, "debts": None, "children": 2, "party": "left"},
    "bob": {"salary": 23871.02, "age": None, "children": 99, "height": 1.87, "party": 3.0, "weight": "heavy"},
}
NAMES = sorted({name for values in PEOPLE.values() for name in values})

Events = tuple[str, ...]
Strategy = Generator["Question", Events, object]


@dataclass(frozen=True)
class Question:
    """A campaign, and how the curator answers when the device asks and sends."""

    campaign: Campaign | bytes
    standing: tuple[int, object] = (410, {"detail": "closed"})
    put: int = 201
    shards: Mapping[str, bytes] | None = None  # what is handed out instead of the campaign's own

    def shard(self, digest: str) -> bytes | None:
        """Return what the curator hands out as a shard."""
        assignment = self.campaign.assignment if isinstance(self.campaign, Campaign) else None
        own = {} if assignment is None else {assignment.digests[i]: shard for i, shard in assignment.shards.items()}
        return (own if self.shards is None else self.shards).get(digest)


@dataclass
class Curator:
    """A service that records all that it sees."""

    question: Question | None = None
    events: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    base: str = ""

    def see(self, handler: BaseHTTPRequestHandler, body: bytes = b"") -> None:
        path = re.sub("[0-9a-f]{64}", "*", handler.path)
        headers = sorted(f"{name}[{len(value)}]" for name, value in handler.headers.items() if name != "Host")
        self.times.append(time.perf_counter())
        self.events.append(f"{handler.command} {path} {' '.join(headers)} +{len(body)}")
        if body:
            self.bodies.append(body)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for the device to acknowledge the headers
    curator: Curator

    def handle(self) -> None:
        with suppress(ConnectionError):  # a device may leave before it has heard everything
            super().handle()

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.curator.see(self)
        question = self.curator.question
        if self.path.endswith("/me"):
            status, answer = question.standing
            self._answer(status, json.dumps(answer).encode())
        elif "/shards/" in self.path:
            shard = question.shard(self.path.rsplit("/", 1)[-1])
            self._answer(404 if shard is None else 200, shard or b"")
        else:
            document = question.campaign
            self._answer(200, document if isinstance(document, bytes) else document.to_json().encode())

    def do_PUT(self) -> None:
        self.curator.see(self, self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(self.curator.question.put, b"{}")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def curating() -> Iterator[Curator]:
    """Run a curator on this machine."""
    curator = Curator()
    handler = type("Bound", (_Handler,), {"curator": curator})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    curator.base = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield curator
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


# What a curator may try. A strategy yields questions, is told what was seen, and returns what it believes.


def asking(names=("salary",), *, low=0.0, high=100_000.0, mechanism="hds", epsilon=0.01, purpose="", **rest):
    epsilon = None if mechanism in ("none", "structure") else epsilon
    return Campaign(
        dimensions=len(names), names=names, low=low, high=high, mechanism=mechanism, epsilon=epsilon,
        k=rest.pop("k", 1), purpose=purpose, **rest,
    )  # fmt: skip


def bisect_a_bound(mechanism: str, policy: str) -> Strategy:
    """Whoever refuses has a value above the bound: halve the range."""
    low, high = 0.0, 131_072.0
    for turn in range(20):
        middle = (low + high) / 2
        seen = yield Question(asking(high=middle, mechanism=mechanism, out_of_bounds=policy, purpose=str(turn)))
        low, high = (low, middle) if len(seen) > 1 else (middle, high)
    return round(low)


def each(questions: Iterable[Question]) -> Strategy:
    """Ask one question after the other; what was seen is the belief."""
    found: list[Events] = []
    for question in questions:
        found += [(yield question)]
    return found


def look_for_missing(policy: str) -> Strategy:
    """Whoever refuses has no such value."""
    return each(Question(asking((name,), high=200_000, missing=policy, purpose=policy)) for name in NAMES)


def leave_out_a_name() -> Strategy:
    """Whoever refuses has a name that was not asked for."""
    return each(Question(asking([name for name in NAMES if name != left_out])) for left_out in NAMES)


def ask_at_any_grid() -> Strategy:
    """Even grids, coarse ones, bounds that are nearly equal or as large as floats."""
    bounds = [(0, 1), (61234.57, 61234.58), (-1.7e308, 1.7e308), (0, 5e-324 * 2**60)]
    grids = [(2, "low"), (4, "high"), (3, "midpoint"), (4097, "midpoint")]
    return each(
        Question(asking(low=low, high=high, levels=levels, missing=missing, mechanism="multibit"))
        for low, high in bounds
        for levels, missing in grids
    )


def make_it_work(mechanism: str) -> Strategy:
    """All names at once, many times over, at the finest grid: does the work depend on the values?"""
    fields = {"k": len(NAMES), "mechanism": mechanism, "levels": 4097, "epsilon": 1.0}
    return each(Question(asking(NAMES, purpose=str(turn), **fields)) for turn in range(6))


def ask_for_everything() -> Strategy:
    """Controls, and a law that promises less than it keeps."""
    leaky = json.loads(asking(epsilon=5.0).to_json()) | {"epsilon": 0.01}
    text = json.dumps(leaky, separators=(",", ":"), sort_keys=True).encode()
    controls = [Question(asking(mechanism=mechanism), OPEN) for mechanism in ("none", "structure")]
    return each([*controls, Question(text)])


def close_at_every_moment() -> Strategy:
    """Refuse when asked, refuse when sent, take it later: one body, whatever happens."""
    campaign = asking(epsilon=0.5, purpose="closing")
    asked = [Question(campaign, (status, {"detail": "no"})) for status in (410, 403, 401, 404, 409)]
    return each([*asked, *(Question(campaign, OPEN, put=status) for status in (410, 403, 409, 422, 201))])


def claim_a_holding() -> Strategy:
    """Say that a report is there already: made up, impossible, or in a campaign that nobody may answer."""
    claims = [(asking(epsilon=0.2, purpose=str(codes)), codes) for codes in ([0], [3], [70_000], "x", None, [0, 1])]
    claims += [(asking(mechanism="none"), [0]), (asking(epsilon=1000.0), [0])]
    return each(Question(campaign, (200, {"reason": "held", "codes": codes})) for campaign, codes in claims)


def use_up_the_caps() -> Strategy:
    """Spend everything, and see by whom and when the door is shut; the token must not be shown then."""
    return each(Question(asking(epsilon=2.9, purpose=str(number)), OPEN) for number in range(8))


def at_random(seed: int, count: int) -> Strategy:
    """Anything at all."""
    draw = np.random.default_rng(seed)
    return each(Question(_any_campaign(draw, number)) for number in range(count))


def _any_campaign(draw: np.random.Generator, number: int) -> Campaign:
    names = tuple(draw.permutation(NAMES)[: draw.integers(1, len(NAMES) + 1)].tolist())
    low = float(draw.uniform(-1e5, 1e5))
    return asking(
        names, low=low, high=low + float(10 ** draw.uniform(-3, 6)), k=int(draw.integers(1, len(names) + 1)),
        mechanism=str(draw.choice(["hds", "piecewise", "multibit", "laplace", "structure"])),
        epsilon=float(10 ** draw.uniform(-1, 0.4)), out_of_bounds=str(draw.choice(["clip", "midpoint", "refuse"])),
        missing=str(draw.choice(["midpoint", "low", "high", "refuse"])), levels=int(draw.choice([3, 33, 1025])),
        purpose=str(number),
    )  # fmt: skip


def strategies(campaigns: int) -> dict[str, Callable[[], Strategy]]:
    """Return strategies that together ask about so many campaigns."""
    from reliability.questioning import QUESTIONING

    return {
        "bisect a bound that refuses, control": lambda: bisect_a_bound("structure", "refuse"),
        "bisect a bound that refuses": lambda: bisect_a_bound("hds", "refuse"),
        "bisect a bound that clips": lambda: bisect_a_bound("multibit", "clip"),
        "look for missing values, refuse": lambda: look_for_missing("refuse"),
        "look for missing values, low": lambda: look_for_missing("low"),
        "leave out a name": leave_out_a_name,
        "any grid and bounds": ask_at_any_grid,
        "make Laplace work": lambda: make_it_work("laplace"),
        "make the square wave work": lambda: make_it_work("hds"),
        "controls and a leaking law": ask_for_everything,
        "claim a holding": claim_a_holding,
        "close at every moment": close_at_every_moment,
        **QUESTIONING,
        "at random": lambda: at_random(1, max(6, campaigns - 238)),
        "use up the caps": use_up_the_caps,
    }


@dataclass(frozen=True)
class Seen:
    """What one strategy saw of one person: everything but the bodies, and what it made of it."""

    transcript: tuple[Events, ...]
    gaps: tuple[float, ...]
    belief: object
    bodies: dict[str, list[bytes]]
    rounds: dict[str, str]


def play(curator: Curator, strategy: Strategy, who: str, folder: Path, pace: Pace) -> Seen:
    """Let a strategy question one person's device to its end."""
    transcript: list[Events] = []
    gaps: list[float] = []
    bodies: dict[str, list[bytes]] = {}
    rounds: dict[str, str] = {}
    answer: Events | None = None
    while True:
        try:
            question = next(strategy) if answer is None else strategy.send(answer)
        except StopIteration as end:
            return Seen(tuple(transcript), tuple(gaps), end.value, bodies, rounds)
        curator.question, curator.events, curator.times, curator.bodies = question, [], [], []
        campaign = question.campaign
        name = campaign.id if isinstance(campaign, Campaign) else _hash(campaign)
        if isinstance(campaign, Campaign) and campaign.round is not None:
            rounds[name] = campaign.round
        token = mint(KEY, node="somebody", expires=2**40)
        with suppress(PrivgeError):
            contribute(
                f"{curator.base}/v1/campaigns/{name}", lambda: dict(PEOPLE[who]), token=token, folder=folder,
                patience=Patience(attempts=1, timeout=10), pace=pace,
            )  # fmt: skip
        answer = tuple(curator.events)
        transcript.append(answer)
        gaps += _preparation(curator)
        bodies.setdefault(name, []).extend(curator.bodies)


def _preparation(curator: Curator) -> list[float]:
    """Return the time from what was fetched last to the token, if one was shown."""
    shown = [place for place, event in enumerate(curator.events) if "Authorization" in event]
    return [curator.times[shown[0]] - curator.times[shown[0] - 1]] if shown and shown[0] else []


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


@dataclass(frozen=True)
class Verdict:
    """What became of one strategy."""

    strategy: str
    campaigns: int
    answered: int
    same: bool
    time: float
    spent: float


def chance_of(some: Sequence[float], others: Sequence[float]) -> float:
    """Return the chance that times of one distribution differ as much as these; 1 if there are none to compare."""
    if not (some and others):
        return 1.0
    with warnings.catch_warnings():  # of a chance of 1 that was rounded to more, 5 and 5 alternating times for one
        warnings.filterwarnings("ignore", "ks_2samp: Exact calculation unsuccessful", RuntimeWarning)
        return float(ks_2samp(some, others).pvalue)


def judge(campaigns: int = 200, pace: Pace = PACE, *, only: tuple[str, ...] = ()) -> tuple[list[Verdict], list[str]]:
    """Play every strategy against both people; return what happened, and what was learned that should not have been."""
    verdicts: list[Verdict] = []
    leaks: list[str] = []
    with curating() as curator, tempfile.TemporaryDirectory() as place:
        folders = {who: Path(place) / who for who in PEOPLE}
        gaps: dict[str, list[float]] = {who: [] for who in PEOPLE}
        for name, strategy in strategies(campaigns).items():
            if only and name not in only:
                continue
            seen = {who: play(curator, strategy(), who, folders[who], pace) for who in PEOPLE}
            alice, bob = seen["alice"], seen["bob"]
            for who in PEOPLE:
                gaps[who] += seen[who].gaps
                leaks += [f"{name}: {problem}" for problem in _unpaid(seen[who], folders[who])]
            if (alice.transcript, alice.belief) != (bob.transcript, bob.belief):
                leaks.append(f"{name}: the two people behave differently; beliefs {alice.belief} and {bob.belief}")
            chance = chance_of(alice.gaps, bob.gaps)
            if chance < FALSE_ALARM:
                leaks.append(f"{name}: the times of the two people differ (p = {chance:.1g})")
            spent = Memory(folders["alice"]).ledger().spent
            answered = sum("Authorization" in " ".join(events) for events in alice.transcript)
            verdicts.append(
                Verdict(name, len(alice.transcript), answered, alice.transcript == bob.transcript, chance, spent)
            )
        if not only and (chance := chance_of(gaps["alice"], gaps["bob"])) < FALSE_ALARM:
            leaks.append(f"all times together differ (p = {chance:.1g})")
    return verdicts, leaks


def _unpaid(seen: Seen, folder: Path) -> Iterator[str]:
    """Say what was sent without being paid for, or twice."""
    ledger = Memory(folder).ledger()
    if ledger.spent > ledger.caps.lifetime:
        yield f"{ledger.spent:g} was spent, above the cap"
    for campaign, bodies in seen.bodies.items():
        if bodies and ledger.of(campaign) is None:
            yield "a report was sent that the ledger does not know"
        if len(set(bodies)) > 1:
            yield f"{len(set(bodies))} different reports were sent to one campaign"
    taken = Counter(
        seen.rounds[campaign] for campaign, bodies in seen.bodies.items() if bodies and campaign in seen.rounds
    )
    for name, count in taken.items():
        if count > 1:
            yield f"{count} campaigns of the round {name} got a report"
    for events in seen.transcript:
        if any(event.startswith("GET") and "Authorization" in event for event in events[:1]):
            yield "a token was shown before the campaign was read"


@click.command()
@click.option("--campaigns", type=click.IntRange(250), default=300, show_default=True, help="About how many to ask.")
def main(campaigns: int) -> None:
    """Play curator against a device and say what it learned."""
    verdicts, leaks = judge(campaigns)
    click.echo(f"{'strategy':38} campaigns  came back  same for both  time p    epsilon spent so far")
    for each in verdicts:
        click.echo(
            f"{each.strategy:38} {each.campaigns:9}  {each.answered:9}  {'yes' if each.same else 'NO':13}  "
            f"{each.time:<8.2g}  {each.spent:g}"
        )
    total = sum(each.campaigns for each in verdicts)
    for leak in leaks:
        click.echo(f"LEAK {leak}")
    click.echo(
        f"{total} campaigns against each of two people: {len(leaks)} things learned beyond what epsilon paid for"
    )
    raise SystemExit(bool(leaks))


if __name__ == "__main__":
    main()

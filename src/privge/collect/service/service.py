"""What all routes share: the store behind its group commit, who may do what, and what is counted."""

import asyncio
import hmac
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import ParamSpec, TypeVar

from starlette.requests import Request

from privge.campaign import Campaign
from privge.collect.asking import KEPT_SHARDS, Asking, ReadShard, is_personal
from privge.collect.commit import GroupCommit
from privge.collect.kept import Kept
from privge.collect.service.body import Body, header
from privge.collect.service.limits import RateLimit, Room
from privge.collect.service.metrics import BODIES, QUEUE, Metrics
from privge.collect.service.problems import Refused
from privge.collect.service.readiness import Readiness
from privge.collect.service.settings import Settings
from privge.collect.service.summary import Summary
from privge.collect.stores.log import OPERATOR, SERVICE, signed
from privge.collect.stores.store import Store
from privge.errors import Busy, StoreMismatch
from privge.wire.codes import ReportForm
from privge.wire.messages import NOT_ASKED, OPERATOR_HEADER
from privge.wire.tokens import Grant, InvalidToken, Verifier, shown

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)

_OPERATOR_HEADER = OPERATOR_HEADER.lower().encode()
_READERS = 2
_READS = 256  # reads of the store that may wait
_ID_LENGTH = 64
_DOCUMENTS = 2  # campaigns that are being added


@dataclass(frozen=True, slots=True)
class Known:
    """What the service needs of a campaign for each report."""

    id: str
    document: bytes
    form: ReportForm
    opens: float | None
    closes: float | None
    asking: Asking | None

    @classmethod
    def of(cls, campaign: Campaign, shards: ReadShard, kept: Kept[Campaign]) -> "Known":
        """Read it out of a campaign; ``asking`` is None where every node may report the same."""
        opens, closes = (None if at is None else _seconds(at) for at in (campaign.opens, campaign.closes))
        asking = Asking(campaign, shards, kept) if is_personal(campaign) else None
        return cls(campaign.id, campaign.to_json().encode(), ReportForm.of(campaign), opens, closes, asking)


class Service:
    """One worker's state. Nothing in it outlives the process, and nothing names a person."""

    def __init__(self, store: Store, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self.store = store
        self.settings = settings
        self._clock = clock
        self.limits = limits = settings.limits
        self.commit = GroupCommit(store, capacity=limits.queue)
        self.rate = RateLimit(limits.rate, limits.burst, limits.nodes)
        room = partial(Room, arriving=limits.arriving, size=limits.bytes_in_flight)
        self.singles = room(places=limits.requests)  # and everything without a body
        self.batches = room(places=limits.batches, each=limits.batches_of_node)
        self.documents = room(places=_DOCUMENTS)
        self.turn = asyncio.Lock()  # batches check their tokens one after the other; singles need not wait for many
        self.metrics = Metrics(settings.shared)
        self.summary = Summary()
        self.readiness = Readiness(lambda: self.read(store.ready))
        self.under_way = 0  # requests without a complete answer; shutting down waits for them
        self.stopping = False
        self._verifier = Verifier(settings.keys, leeway=settings.leeway)
        self._known: Kept[Known] = Kept()
        self._shards: Kept[Campaign] = Kept(KEPT_SHARDS)
        self._closed: set[str] = set()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="store")
        self._reads = 0
        self._retired: date | None = None

    @property
    def now(self) -> datetime:
        """The time."""
        return datetime.fromtimestamp(self._clock(), UTC)

    def seconds(self) -> float:
        """Return the time in Unix seconds."""
        return self._clock()

    # Who may do what.

    def verify(self, token: str, campaign: str | None = None) -> Grant:
        """Return what a token grants; one for another campaign is as invalid as a forged one."""
        grant = self._verifier.verify(token, now=self._clock())
        if campaign is not None and grant.campaign not in (None, campaign):
            raise InvalidToken
        return grant

    def grant(self, request: Request, campaign: str | None = None) -> Grant:
        """Return what the token of a request grants, and count the request against its node's rate."""
        grant = self.verify(_bearer(request), campaign)
        self.rate.take(grant.node, time.monotonic())
        return grant

    def admit_operator(self, request: Request) -> str:
        """Let only the operator through; return who is written down in the log."""
        expected = self.settings.admin_token
        if not hmac.compare_digest(_bearer(request).encode(), (expected or "").encode()) or expected is None:
            raise InvalidToken
        try:
            return signed(header(request, _OPERATOR_HEADER) or None, OPERATOR)
        except ValueError:
            raise Refused("operator_name") from None

    def body(self, request: Request, media_type: str, *, limit: int, room: Room, node: str | int | None = None) -> Body:
        """Return the body of a request, to be read within an ``async with``."""
        return Body(request, media_type, limit=limit, seconds=self.limits.body_seconds, room=room, node=node)

    # The store.

    async def read(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the store in a thread; when too many wait already, refuse."""
        if self._reads >= _READS:
            raise Busy("too many reads of the store are waiting")
        self._reads += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._readers, lambda: function(*args, **kwargs))
        finally:
            self._reads -= 1

    async def campaign(self, campaign: str) -> Known:
        """Return a campaign by its id; it is read once, as long as it is kept."""
        if (known := self._known.get(campaign)) is not None:
            return known
        if not is_hash(campaign):
            raise Refused("unknown")
        state = await self.read(self.store.campaign, campaign)
        if state is None:
            raise Refused("unknown")
        known = Known.of(state.campaign, self.store.shard, self._shards)
        return self._known.keep(campaign, known, len(known.document))

    async def campaign_for_reports(self, campaign: str) -> Known:
        """Return a campaign that has opened; one whose time is over is closed in the store, which then answers."""
        known = await self.campaign(campaign)
        now = self._clock()
        if known.opens is not None and now < known.opens:
            raise Refused("not_open_yet", headers={"retry-after": str(min(86_400, int(known.opens - now) + 1))})
        if known.closes is not None and now >= known.closes and campaign not in self._closed:
            await self.read(self.store.close_campaign, campaign, by=SERVICE)
            self._closed.add(campaign)
        return known

    async def form_of(self, known: Known, node: str | int) -> ReportForm:
        """Return what a report of a node looks like; whoever is not asked is refused."""
        if known.asking is None:
            return known.form
        form = known.asking.form_at_hand(node) or (await self.forms_of(known, known.asking, [node]))[0]
        if form is None:
            raise Refused(NOT_ASKED)
        return form

    async def forms_of(self, known: Known, asking: Asking, nodes: Sequence[str | int]) -> list[ReportForm | None]:
        """Return what reports of nodes look like; None for whoever is not asked.

        When a campaign is retired, its shards go too. Then any form will do, because the store takes no report.
        """
        try:
            return await self.read(asking.forms, nodes)
        except StoreMismatch:
            state = await self.read(self.store.campaign, known.id)
            if state is None or state.open:
                raise
            return [known.form] * len(nodes)

    # Running.

    async def run(self) -> None:
        """Once a second: publish the counters; and when it is time, sum up the log and delete what is too old."""
        next_summary = time.monotonic() + self.settings.summary_seconds
        pause = min(1.0, self.settings.summary_seconds)
        while True:
            await asyncio.sleep(pause)
            try:
                self.publish()
                if time.monotonic() >= next_summary:
                    self.summary.write()
                    next_summary += self.settings.summary_seconds
                await self._retire(datetime.now(UTC).date())
            except Exception:
                logger.exception("housekeeping")

    def publish(self) -> None:
        """Bring the gauges up to date and leave the counters for other workers."""
        self.metrics.gauge(QUEUE, self.commit.waiting)
        self.metrics.gauge(BODIES, self.singles.used + self.batches.used + self.documents.used)
        self.metrics.publish()

    async def _retire(self, today: date) -> None:
        if today != self._retired:
            self.metrics.retired(await self.read(self.store.retire, today, by=SERVICE))
            self._retired = today

    async def stop(self) -> None:
        """Let requests under way finish, make everything accepted durable, and write the last summary."""
        self.stopping = True
        deadline = time.monotonic() + self.limits.drain_seconds
        while self.under_way and time.monotonic() < deadline:  # noqa: ASYNC110 (an event would be set at each request)
            await asyncio.sleep(0.01)
        await asyncio.to_thread(self.commit.close)
        self._readers.shutdown(wait=True)
        self.publish()
        self.summary.write()


def is_hash(text: str) -> bool:
    """Say whether a part of a path could name anything: SHA-256 in hexadecimal."""
    return len(text) == _ID_LENGTH and set(text) <= set("0123456789abcdef")


def _bearer(request: Request) -> str:
    return shown(header(request, b"authorization"))


def _seconds(time_with_zone: str) -> float:
    return datetime.fromisoformat(time_with_zone).timestamp()

"""The room: every page of it and every form, behind one door.

A page is shown to whoever has a session. A form changes something only if the session is good, the form was not sent by
another site, and it carries a token that was made for this session, this act and this target some minutes ago, and was
not used before. The templates escape everything, and the pages run no script.
"""

import hmac
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from privge.collect.service.answers import Answer
from privge.collect.service.problems import REASONS, Refused, refusal
from privge.collect.service.routes.campaigns import campaign_of, publish
from privge.collect.service.service import Service
from privge.collect.stores.log import OPERATOR, signed
from privge.collect.stores.store import CampaignState
from privge.errors import BadData, PrivacyViolation
from privge.pages.answers import page, redirect
from privge.pages.room.access import cookie_of, read_form, set_cookie
from privge.pages.room.drafts import FIELDS, Draft
from privge.pages.room.life import Life
from privge.pages.room.options import RoomOptions
from privge.pages.room.overview import Overview
from privge.pages.room.sessions import Session, Sessions

if TYPE_CHECKING:
    from privge.pages.room.files import Files
    from privge.pages.room.vectors import Found

Handler: TypeAlias = Callable[["Room", Service, Request], Awaitable[Answer]]
Inside: TypeAlias = Callable[["Room", Service, Request, Session], Awaitable[Answer]]
Sent: TypeAlias = Callable[["Room", Service, Request, Session, Mapping[str, str]], Awaitable[Answer]]

_PAGES = (("", "Overview"), ("/new", "New campaign"), ("/embeddings", "Embeddings"), ("/trail", "Trail"))


def _for_people(handler: Handler) -> Handler:
    """Answer a refusal with a page that says what happened."""

    @wraps(handler)
    async def answered(room: "Room", service: Service, request: Request) -> Answer:
        try:
            return await handler(room, service, request)
        except Refused as refused:
            told = refusal(refused, service.limits.retry_seconds)
            status, title, detail = REASONS[told.reason]
            text = told.detail or detail
            return page(
                "room/refused.html", {"title": title, "text": text, **room.frame()}, status=status, reason=told.reason
            )

    return answered


def inside(handler: Inside) -> Handler:
    """Show a page to whoever has a session; to anybody else, the door."""

    async def guarded(room: "Room", service: Service, request: Request) -> Answer:
        session = room.session(service, request)
        return room.door(service) if session is None else await handler(room, service, request, session)

    return _for_people(wraps(handler)(guarded))


def sent(act: str) -> Callable[[Sent], Handler]:
    """Let a form through that somebody inside sent from a fresh page."""

    def guard(handler: Sent) -> Handler:
        async def guarded(room: "Room", service: Service, request: Request) -> Answer:
            session = room.session(service, request)
            if session is None:
                return room.door(service)
            fields = await read_form(service, request)
            target = request.path_params.get("campaign", "")
            if not room.sessions(service).spend(session, fields.get("form", ""), act, target):
                raise Refused("stale_form")
            return await handler(room, service, request, session, fields)

        return _for_people(wraps(handler)(guarded))

    return guard


class Room:
    """The pages and forms of the room."""

    def __init__(self, options: RoomOptions) -> None:
        self.options = options
        self._sessions: Sessions | None = None
        self._files: Files | None = None

    # The door.

    def sessions(self, service: Service) -> Sessions:
        """Return the sessions of a service that has an operator."""
        if self._sessions is None:
            secret = service.settings.admin_token
            if secret is None:
                raise Refused("no_operator")
            self._sessions = Sessions(secret, service.seconds)
        return self._sessions

    def session(self, service: Service, request: Request) -> Session | None:
        """Return the session of a request, if it has one."""
        return self.sessions(service).of(cookie_of(request))

    def frame(self, session: Session | None = None, here: str = "") -> dict[str, object]:
        """Return what stands around every page."""
        form = ""
        if session is not None and self._sessions is not None:
            form = self._sessions.form_token(session, "leave")
        links = [(f"/operator{path}", name, path == here) for path, name in _PAGES]
        return {"links": links if session else [], "leave": form, "session": session}

    def door(self, service: Service, *, failed: bool = False) -> Answer:  # noqa: ARG002 (as all pages)
        """Ask for the admin token."""
        return page("room/door.html", {"failed": failed, **self.frame()}, status=401, reason="unauthorized")

    @_for_people
    async def enter(self, service: Service, request: Request) -> Answer:
        """Begin a session with the admin token."""
        sessions = self.sessions(service)
        fields = await read_form(service, request)
        expected = service.settings.admin_token or ""
        if not hmac.compare_digest(fields.get("token", "").strip().encode(), expected.encode()):
            return self.door(service, failed=True)
        name = fields.get("name", "").strip()
        try:
            signed(name or None, OPERATOR)
        except ValueError:
            raise Refused("operator_name") from None
        return redirect("/operator", set_cookie=set_cookie(request, sessions.begin(name)))

    @sent("leave")
    async def leave(self, service: Service, request: Request, session: Session, _fields: Mapping[str, str]) -> Answer:
        """End the session."""
        self.sessions(service).end(session)
        return redirect("/operator", set_cookie=set_cookie(request, ""))

    # Looking.

    @inside
    async def overview(self, service: Service, request: Request, session: Session) -> Answer:  # noqa: ARG002
        """Show campaigns, outcomes, the ledger, storage and health."""
        seen = await service.read(Overview.of, service.store, service.now.date())
        retire = self.sessions(service).form_token(session, "retire") if seen.due else ""
        health = {
            "ready": await service.readiness.ask(),
            "waiting": service.commit.waiting,
            "under_way": service.under_way,
            "cap": service.store.lifetime_epsilon,
        }
        outcomes = seen.outcomes(service.metrics.outcomes())
        return self._page("overview.html", session, "", seen=seen, outcomes=outcomes, health=health, retire=retire)

    @inside
    async def campaign(self, service: Service, request: Request, session: Session) -> Answer:
        """Show one campaign: its life, participation over time and over the graph."""
        state = await self._state(service, request)
        name = state.campaign.id
        close = self.sessions(service).form_token(session, "close", name) if state.open else ""
        values = await service.read(self._campaign_values, service, state)
        return self._page("campaign.html", session, "none", close=close, **values)

    @inside
    async def new(self, service: Service, request: Request, session: Session) -> Answer:  # noqa: ARG002
        """Show the empty form."""
        return self._draft_page(service, session, Draft(dict(FIELDS), None, 1000))

    @inside
    async def trail(self, service: Service, request: Request, session: Session) -> Answer:  # noqa: ARG002
        """Show what operators did."""
        acts = await service.read(service.store.log)
        return self._page("trail.html", session, "/trail", acts=acts[::-1])

    @inside
    async def embeddings(self, service: Service, request: Request, session: Session) -> Answer:  # noqa: ARG002
        """Show the embeddings of the folder, and which of them are stale."""
        found = await service.read(self._find_embeddings, service)
        return self._page("embeddings.html", session, "/embeddings", found=found, folder=self.options.embeddings)

    @inside
    async def map(self, service: Service, request: Request, session: Session) -> Answer:
        """Show a map of an embedding."""
        drawn = await service.read(self._map, request.path_params["file"])
        return self._page("map.html", session, "none", file=request.path_params["file"], **drawn)

    # Acting.

    @sent("draft")
    async def draft(self, service: Service, _request: Request, session: Session, fields: Mapping[str, str]) -> Answer:
        """Show a draft with its forecast, or hand it out as a file; nothing is stored."""
        draft = await service.read(Draft.of, fields, service.now, service.store.lifetime_epsilon)
        if draft.campaign is not None and "download" in fields:
            headers = {
                "content-disposition": f'attachment; filename="{draft.campaign.id[:12]}.json"',
                "cache-control": "no-store",
                "x-content-type-options": "nosniff",
            }
            return Answer("ok", Response(draft.campaign.to_json(), 200, headers, "application/json"))
        return await service.read(self._draft_page, service, session, draft)

    @sent("publish")
    async def publish(self, service: Service, _request: Request, session: Session, fields: Mapping[str, str]) -> Answer:
        """Publish a draft."""
        campaign = campaign_of(fields.get("canonical", "").encode())
        by = signed(session.operator or None, OPERATOR)
        try:
            await service.read(publish, service.store, campaign, service.now, by)
        except (BadData, PrivacyViolation) as error:
            raise Refused("campaign", detail=str(error)) from None
        return redirect(f"/operator/campaigns/{campaign.id}")

    @sent("close")
    async def close(self, service: Service, request: Request, session: Session, fields: Mapping[str, str]) -> Answer:
        """Close a campaign; whoever does must say which by its first digits."""
        state = await self._state(service, request)
        if fields.get("confirm", "").strip() != state.campaign.id[:8]:
            raise Refused("form", detail="The digits are not those of this campaign. Nothing was changed.")
        by = signed(session.operator or None, OPERATOR)
        await service.read(service.store.close_campaign, state.campaign.id, by=by)
        return redirect(f"/operator/campaigns/{state.campaign.id}")

    @sent("retire")
    async def retire(self, service: Service, _request: Request, session: Session, _fields: Mapping[str, str]) -> Answer:
        """Delete the reports whose days are over."""
        by = signed(session.operator or None, OPERATOR)
        await service.read(service.store.retire, service.now.date(), by=by)
        return redirect("/operator")

    # What pages are made of.

    def _page(self, template: str, session: Session, here: str, **values: object) -> Answer:
        return page(f"room/{template}", {**self.frame(session, here), **values})

    async def _state(self, service: Service, request: Request) -> CampaignState:
        known = await service.campaign(request.path_params["campaign"])
        state = await service.read(service.store.campaign, known.id)
        if state is None:
            raise Refused("unknown")
        return state

    def files(self) -> "Files":
        """Return the public files; the packages that read them are imported when the first is asked for."""
        if self._files is None:
            from privge.pages.room.files import Files

            self._files = Files(self.options)
        return self._files

    def _campaign_values(self, service: Service, state: CampaignState) -> dict[str, object]:
        from privge.pages.room.one import values_of

        life = Life.of(state, service.store.log())
        return values_of(service.store, life, self.files(), self._find_embeddings(service))

    def _draft_page(self, service: Service, session: Session, draft: Draft) -> Answer:
        from privge.pages.room.forecast import forecast
        from privge.pages.room.planned import planned

        sessions = self.sessions(service)
        told = plan = None
        if draft.campaign is not None:
            told = forecast(draft.campaign, draft.people)
            plan = planned(draft.campaign, draft.people, self.files().graph(), self.files().labels())
        forms = {act: sessions.form_token(session, act) for act in ("draft", "publish")}
        return self._page("new.html", session, "/new", draft=draft, forecast=told, plan=plan, forms=forms)

    def _find_embeddings(self, service: Service) -> list["Found"]:
        folder = self.options.embeddings
        if folder is None:
            return []
        from privge.pages.room.vectors import find_embeddings

        graph = None if self.options.graph is None else str(self.options.graph)
        return find_embeddings(folder, service.store, graph=graph, store_name=self.options.store)

    def _map(self, file: str) -> dict[str, object]:
        folder = self.options.embeddings
        names = () if folder is None else (path.name for path in folder.iterdir() if path.is_file())
        if folder is None or file not in names:
            raise Refused("no_route")
        from privge.pages.room.maps import SIZE, map_of

        try:
            colour, groups = self.files().groups()
            return {"drawn": map_of(self.files().embedding(folder / file), groups), "colour": colour, "size": SIZE}
        except BadData as error:
            raise Refused("form", detail=str(error)) from None

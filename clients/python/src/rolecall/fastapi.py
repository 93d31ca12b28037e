"""Adds the sign-in to a FastAPI site: routes, and dependencies that check access."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Awaitable, Callable, Dict, List, Optional, Sequence
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .async_client import AsyncRolecall
from .calls import Client
from .errors import RolecallError
from .models import Session
from .web.exchange import Answer, Cookie, IncomingRequest, read_cookies
from .web.login_flow import LoginFlow, LoginSettings, RequestSession
from .web.refreshing import is_under_way, refresh_async
from .web.role_rules import NotGiven, RoleRules, Roles


class Refused(Exception):
    """Raised to end a request with a response of its own. The handler from ``RolecallLogin.install`` sends it."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


#: The key of the request's ``_Asked`` in its ASGI scope. Copies of the scope share the same object.
_asked = "rolecall.asked"


@dataclass
class _Asked:
    """What the dependencies of a request require from its response."""

    #: True if a dependency has read the session.
    is_asked: bool = False
    #: The cookies to set, by name.
    cookies: Dict[str, Cookie] = field(default_factory=dict)


class PrivateAnswers:
    """
    Middleware for requests of which a dependency has read the session. Marks the response as private for caches, and
    adds the cookies of a refresh.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked: _Asked = scope.setdefault(_asked, _Asked())

        async def send_private(message: Message) -> None:
            if message["type"] == "http.response.start" and asked.is_asked:
                headers = MutableHeaders(scope=message)
                _make_private(headers)
                if asked.cookies:
                    headers["cache-control"] = "private, no-store"
                for line in _lines_of(list(asked.cookies.values())):
                    headers.append("set-cookie", line)
                # Adds the cookies only once, even if this middleware is installed twice.
                asked.cookies.clear()
            await send(message)

        await self._app(scope, receive, send_private)


def _make_private(headers: MutableHeaders) -> None:
    for name in ("Cookie", "Authorization"):
        headers.add_vary_header(name)
    given = [directive.strip() for line in headers.getlist("cache-control") for directive in line.split(",")]
    kept = [one for one in given if one and one.lower() != "public" and not one.lower().startswith("s-maxage")]
    if "private" not in [one.lower() for one in kept]:
        kept.append("private")
    headers["cache-control"] = ", ".join(kept)


class RolecallLogin:
    """
    Adds the sign-in to a site::

        login = RolecallLogin(rolecall, LoginSettings(client_id=…, server_id=…, app_url=…, secret=…))
        login.install(app)

        @app.get("/crew")
        async def crew(session: Session = Depends(login.require_member(any_of=[crew_role_id]))): ...
    """

    def __init__(self, rolecall: AsyncRolecall, settings: LoginSettings) -> None:
        self._rolecall = rolecall
        self._flow = LoginFlow(rolecall.base_url, settings)
        self.router = APIRouter(prefix=settings.path, include_in_schema=False)
        self.router.add_api_route("/login", self._login, methods=["GET"])
        self.router.add_api_route("/callback", self._callback, methods=["GET"])
        self.router.add_api_route("/logout", self._logout, methods=["POST"])
        self.router.add_api_route("/signed-out", self._signed_out, methods=["GET"])

    def install(self, app: FastAPI) -> None:
        """Adds the sign-in routes, the handler that sends refusals, and the middleware that sets cookies."""
        app.include_router(self.router)
        app.add_middleware(PrivateAnswers)

        async def answer_refused(_request: Request, error: Exception) -> Response:
            if not isinstance(error, Refused):
                raise error
            return _response_of(error.answer)

        app.add_exception_handler(Refused, answer_refused)

    async def current_session(self, request: Request) -> Optional[Session]:
        """A dependency that returns the session of the signed-in member, or None. It refuses only during an outage."""
        incoming = _incoming(request)
        # Without the middleware from `install`, no cookie reaches the browser. The session is not refreshed then.
        asked: Optional[_Asked] = request.scope.get(_asked)
        if asked is not None:
            asked.is_asked = True
        request_session = await self._request_session(incoming, is_answerable=asked is not None)
        if asked is not None:
            asked.cookies.update({cookie.name: cookie for cookie in request_session.cookies})
        if request_session.instead is not None:
            raise Refused(request_session.instead)
        try:
            return await self._rolecall.validate(request_session.token)
        except RolecallError as error:
            raise Refused(self._flow.unavailable(incoming, error)) from None

    async def _request_session(self, incoming: IncomingRequest, *, is_answerable: bool) -> RequestSession:
        """
        Returns the session of a request. It is a new one if this request refreshes it, or if another request with the
        same cookie has just done so.
        """
        stored = self._flow.stored_session(incoming)
        if stored is None or not is_answerable:
            return self._flow.request_session(incoming, stored)
        if not is_under_way(stored) and not self._flow.may_refresh(incoming, stored):
            return self._flow.request_session(incoming, stored)
        try:
            return self._flow.request_session_after(incoming, await refresh_async(self._rolecall, stored))
        except RolecallError as error:
            self._flow.refresh_failed(error)
            return self._flow.request_session(incoming, stored)

    def require_member(
        self, *, any_of: Roles = NotGiven.NOT_GIVEN, all_of: Roles = NotGiven.NOT_GIVEN
    ) -> Callable[[Request], Awaitable[Session]]:
        """
        Returns a dependency that admits members with a live session and the required roles. If no member is signed in,
        a person is redirected to sign in. If the member lacks a role, a person sees a page. Programs receive 401 or
        403, as problem JSON.
        """
        rules = RoleRules(any_of, all_of)

        async def member(request: Request) -> Session:
            foreign = self._flow.cross_site_refusal(_incoming(request))
            if foreign is not None:
                raise Refused(foreign)
            session = await self.current_session(request)
            refusal = self._flow.refusal(_incoming(request), session, rules)
            if refusal is not None or session is None:
                raise Refused(refusal or self._flow.wrong_method())
            return session

        return member

    async def _login(self, request: Request) -> Response:
        return _response_of(self._flow.begin_login(_incoming(request)))

    async def _callback(self, request: Request) -> Response:
        incoming = _incoming(request)
        pending = self._flow.read_callback(incoming)
        if isinstance(pending, Answer):
            return _response_of(pending)
        try:
            session = await self._rolecall.exchange(
                client_id=self._flow.client_id,
                code=pending.code,
                redirect_uri=self._flow.redirect_uri,
                code_verifier=pending.code_verifier,
                client=Client(incoming.client_ip, incoming.headers.get("user-agent")),
            )
        except RolecallError as error:
            return _response_of(self._flow.refuse_exchange(incoming, pending, error))
        await self._end_former(incoming)
        return _response_of(self._flow.finish_login(pending, session))

    async def _end_former(self, incoming: IncomingRequest) -> None:
        """Ends the previous session of this browser, because the new session replaces its cookie."""
        former = self._flow.stored_session(incoming)
        if former is None:
            return
        try:
            await self._rolecall.logout(former.token)
        except RolecallError as error:
            self._flow.log_former_session(error)

    async def _logout(self, request: Request) -> Response:
        incoming = _incoming(request)
        refusal = self._flow.begin_logout(incoming)
        if refusal is not None:
            return _response_of(refusal)
        failure: Optional[RolecallError] = None
        request_session = await self._request_session(incoming, is_answerable=True)
        if request_session.token:
            try:
                await self._rolecall.logout(request_session.token)
            except RolecallError as error:
                failure = error
        return _response_of(self._flow.finish_logout(incoming, failure))

    async def _signed_out(self, request: Request) -> Response:
        session = await self.current_session(request)
        return _response_of(self._flow.signed_out(_incoming(request), session))


def _incoming(request: Request) -> IncomingRequest:
    query = request.url.query
    # Starlette has decoded the path, so this encodes it again.
    path = quote(request.url.path, safe="/:@!$&'()*+,;=~")
    return IncomingRequest(
        method=request.method,
        target=path + (f"?{query}" if query else ""),
        headers=request.headers,
        # HTTP/2 permits several headers.
        cookies=read_cookies("; ".join(request.headers.getlist("cookie"))),
        query=request.query_params,
        client_ip=request.client.host if request.client else None,
    )


def _response_of(answer: Answer) -> Response:
    response = Response(answer.body, answer.status, dict(answer.headers))
    for line in _lines_of(answer.cookies):
        response.headers.append("set-cookie", line)
    return response


def _lines_of(cookies: Sequence[Cookie]) -> List[str]:
    """Returns the values of the ``Set-Cookie`` headers."""
    made = Response()
    for cookie in cookies:
        made.set_cookie(
            cookie.name,
            cookie.value,
            max_age=cookie.max_age_sec,
            path="/",
            secure=cookie.is_secure,
            httponly=True,
            samesite="lax",
        )
    return made.headers.getlist("set-cookie")

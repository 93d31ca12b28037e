"""The login of a FastAPI site: routes, and dependencies that let members in."""

from __future__ import annotations

from typing import Awaitable, Callable, Optional, Sequence
from urllib.parse import quote

from fastapi import APIRouter, FastAPI, Request, Response

from .async_client import AsyncRolecall
from .calls import Client
from .errors import RolecallError
from .models import Session
from .web.exchange import Answer, IncomingRequest
from .web.login_flow import LoginFlow, LoginSettings, RoleRules


class Refused(Exception):
    """Ends a request with an answer; `RolecallLogin.install` knows it."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


class RolecallLogin:
    """
    The login of a site::

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

    def install(self, app: FastAPI) -> None:
        """Adds the routes, and what turns a refusal into an answer."""
        app.include_router(self.router)

        async def answer_refused(_request: Request, error: Exception) -> Response:
            if not isinstance(error, Refused):
                raise error
            return _response_of(error.answer)

        app.add_exception_handler(Refused, answer_refused)

    async def current_session(self, request: Request) -> Optional[Session]:
        """A dependency: who is logged in, or None. It keeps nobody out."""
        incoming = _incoming(request)
        try:
            return await self._rolecall.validate(self._flow.token(incoming))
        except RolecallError as error:
            raise Refused(self._flow.unavailable(incoming, error)) from None

    def require_member(
        self, *, any_of: Optional[Sequence[str]] = None, all_of: Optional[Sequence[str]] = None
    ) -> Callable[[Request], Awaitable[Session]]:
        """
        A dependency that lets in who has a live session and the roles. A page that is loaded is sent to the login;
        other requests get 401 or 403, as problem JSON.
        """
        rules = RoleRules(any_of, all_of)

        async def member(request: Request) -> Session:
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
            return _response_of(self._flow.refuse_exchange(pending, error))
        return _response_of(self._flow.finish_login(pending, session))

    async def _logout(self, request: Request) -> Response:
        incoming = _incoming(request)
        refusal = self._flow.begin_logout(incoming)
        if refusal is not None:
            return _response_of(refusal)
        failure: Optional[RolecallError] = None
        token = self._flow.token(incoming)
        if token:
            try:
                await self._rolecall.logout(token)
            except RolecallError as error:
                failure = error
        return _response_of(self._flow.finish_logout(failure))


def _incoming(request: Request) -> IncomingRequest:
    query = request.url.query
    # Starlette tells the path decoded.
    path = quote(request.url.path, safe="/:@!$&'()*+,;=~")
    return IncomingRequest(
        method=request.method,
        target=path + (f"?{query}" if query else ""),
        headers=request.headers,
        cookies=request.cookies,
        query=request.query_params,
        client_ip=request.client.host if request.client else None,
    )


def _response_of(answer: Answer) -> Response:
    response = Response(answer.body, answer.status, dict(answer.headers))
    for cookie in answer.cookies:
        response.set_cookie(
            cookie.name,
            cookie.value,
            max_age=cookie.max_age_sec,
            path="/",
            secure=cookie.is_secure,
            httponly=True,
            samesite="lax",
        )
    return response

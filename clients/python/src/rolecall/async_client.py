"""The client for asyncio."""

from __future__ import annotations

import time
from asyncio import sleep
from types import TracebackType
from typing import AsyncIterator, Optional, Sequence, Tuple, Type, TypeVar, Union

import httpx

from . import calls
from .async_event_reader import async_read_events
from .async_event_stream import AsyncEventStream
from .calls import Call, Client, Pair, Received
from .connection import (
    InheritedTransport,
    OutOfTime,
    Project,
    async_extensions,
    cache_of,
    connection_by_environment,
    limits,
    may_be_session_token,
    none_if_not_live,
)
from .errors import RolecallError
from .models import (
    CheckedMember,
    Event,
    MemberPage,
    NewSession,
    PermissionCheck,
    ServerMember,
    Session,
    SessionListItem,
    Submission,
)
from .retries import Retries
from .session_cache import (
    Cache,
    SessionCache,
    key_of_member,
    key_of_session,
    key_of_token,
)
from .shared_loads import AsyncSharedLoads
from .signing import sign

T = TypeVar("T")


class AsyncRolecall(Project):
    """
    A client for one project, for asyncio. Create one for each event loop and share it.

    Every call raises a ``RolecallError`` if the service refuses it or does not respond in time. Calls that are safe to
    repeat are retried, at most ``retries`` times.

    With ``cache``, ``validate()`` returns sessions from memory if possible. The service's events keep them current. No
    result is outdated by more than five seconds, even if the event stream fails.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_sec: float = 10.0,
        retries: int = 2,
        cache: Union[bool, Cache] = False,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        super().__init__(base_url, api_key, timeout_sec)
        self._retries = Retries(retries)
        self._owns_http = http_client is None
        self._is_cached = cache is not False
        self._cache_bounds = cache_of(cache)
        self._begin(http_client or httpx.AsyncClient(limits=limits))
        self.webhooks = AsyncWebhooks(self)

    @classmethod
    def from_environment(cls, *, cache: Union[bool, Cache] = False) -> AsyncRolecall:
        """Creates a client from the environment variables ``ROLECALL_URL`` and ``ROLECALL_API_KEY``."""
        return cls(*connection_by_environment(), cache=cache)

    async def exchange(
        self,
        *,
        client_id: str,
        code: str,
        redirect_uri: str,
        code_verifier: Optional[str] = None,
        client: Optional[Client] = None,
        timeout_sec: Optional[float] = None,
    ) -> NewSession:
        """
        Exchanges the code of a redirect for a session. First check that ``state`` is the state that ``mint_login()``
        returned for this browser.

        Raises ``INVALID_CODE`` if the code is unknown, used, expired or another project's.
        """
        call = calls.exchange(self._api_key, client_id, code, redirect_uri, code_verifier, client)
        return await self._send(call, timeout_sec)

    async def validate(
        self, token: Optional[str], *, cache: Optional[bool] = None, timeout_sec: Optional[float] = None
    ) -> Optional[Session]:
        """
        Returns the session of a token, with the member's current roles. While Discord is unreachable, they are the last
        known roles: see ``roles_source`` and ``roles_as_of``. Returns None if the token does not belong to a live
        session of this project. Raises on every other failure, so that an outage is never mistaken for a logout.

        ``cache`` overrides the client's option for this call. False always sends a request to the service.
        """
        if not token or not may_be_session_token(token):
            return None
        if not (self._is_cached if cache is None else cache):
            return await self._load(token, timeout_sec)
        session = self._cache.find(token)
        if session is not None:
            self._stream.is_used = True
            return session
        self._stream.use()
        return await self._ask(token, timeout_sec)

    async def logout(self, token: str, *, timeout_sec: Optional[float] = None) -> None:
        """
        Ends one session, by its session token or its refresh token. Also succeeds if the session has already ended.
        """
        try:
            await self._send(calls.logout(self._api_key, token), timeout_sec)
        finally:
            self._cache.evict(key_of_token(token))

    async def logout_all(self, member_id: str, *, timeout_sec: Optional[float] = None) -> None:
        """Ends all sessions of a member in this project. Sessions in other projects stay live."""
        try:
            await self._send(calls.logout_all(self._api_key, member_id), timeout_sec)
        finally:
            self._cache.evict(key_of_member(member_id))

    async def refresh(self, token: str, refresh_token: str, *, timeout_sec: Optional[float] = None) -> Pair:
        """
        Replaces both tokens of a live session and extends its expiry. The old tokens are invalid once this returns, so
        store the new ones at once.

        Raises ``REFRESH_TOKEN_SUPERSEDED`` if a concurrent call was first (use the pair that it received), and
        ``REFRESH_TOKEN_REUSED`` if a used pair was sent late (the session is then revoked).
        """
        try:
            return await self._send(calls.refresh(token, refresh_token), timeout_sec)
        finally:
            self._cache.evict(key_of_token(token))

    async def sessions(self, token: str, *, timeout_sec: Optional[float] = None) -> Tuple[SessionListItem, ...]:
        """Returns the live sessions of the token's member, newest first, including those in other projects."""
        return await self._send(calls.sessions(token), timeout_sec)

    async def revoke_session(self, token: str, session_id: str, *, timeout_sec: Optional[float] = None) -> None:
        """Revokes one session of the token's member. Raises ``SESSION_NOT_FOUND`` if it is not the member's session."""
        try:
            await self._send(calls.revoke_session(token, session_id), timeout_sec)
        finally:
            self._cache.evict(key_of_session(session_id))

    async def members(
        self, server_id: str, *, page_size: int = 100, timeout_sec: Optional[float] = None
    ) -> AsyncIterator[ServerMember]:
        """Iterates over the members of a server, page by page. Needs the scope ``read_members``."""
        cursor: Optional[str] = None
        while True:
            page = await self._send(calls.member_page(self._api_key, server_id, cursor, page_size), timeout_sec)
            for member in page.data:
                yield member
            cursor = page.next_cursor
            if cursor is None:
                return

    async def member_changes(
        self, server_id: str, since: Optional[str] = None, *, timeout_sec: Optional[float] = None
    ) -> MemberPage:
        """
        Returns the changes in a server since a ``change_cursor``. ``data`` contains the members who changed or joined,
        and ``removed`` the members who left. To start, call it without ``since``, store the ``change_cursor`` of the
        result, and read all ``members()``. Then pass the stored cursor as ``since``.
        """
        return await self._send(calls.member_changes(self._api_key, server_id, since), timeout_sec)

    async def member(self, server_id: str, member_id: str, *, timeout_sec: Optional[float] = None) -> ServerMember:
        """Returns one member of a server, with their current roles. Needs the scope ``read_members``."""
        return await self._send(calls.member(self._api_key, server_id, member_id), timeout_sec)

    async def check_permissions(
        self,
        server_id: str,
        member_id: str,
        *,
        any_of: Optional[Sequence[str]] = None,
        all_of: Optional[Sequence[str]] = None,
        timeout_sec: Optional[float] = None,
    ) -> PermissionCheck:
        """
        Checks whether a member has roles at this moment: at least one of ``any_of``, and all of ``all_of``. Needs the
        scope ``check_permissions``.
        """
        call = calls.check_permissions(self._api_key, server_id, member_id, any_of, all_of)
        return await self._send(call, timeout_sec)

    async def check_many_permissions(
        self,
        server_id: str,
        member_ids: Sequence[str],
        *,
        any_of: Optional[Sequence[str]] = None,
        all_of: Optional[Sequence[str]] = None,
        timeout_sec: Optional[float] = None,
    ) -> Tuple[CheckedMember, ...]:
        """
        Checks up to 1,000 members at once, and returns the results in the order of ``member_ids``. Does not query
        Discord, so see ``roles_source`` and ``roles_as_of`` for how fresh each result is.
        """
        call = calls.check_many_permissions(self._api_key, server_id, member_ids, any_of, all_of)
        return await self._send(call, timeout_sec)

    def events(self, *, last_id: Optional[str] = None, heartbeat_sec: int = 15) -> AsyncIterator[Event]:
        """
        Iterates over events about your sessions and members, as they happen and across lost connections. Each event
        arrives at least once.

        Store the ``event.id`` of the last event that you have handled, and pass it as ``last_id`` to resume. The
        iteration ends only with an error: if the first connection fails, or if the service refuses a later one, for
        example because the key is no longer valid.
        """
        return async_read_events(self._http, self._base_url, self._api_key, last_id, heartbeat_sec)

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._stream.close()
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncRolecall:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.aclose()

    def _begin(self, http: httpx.AsyncClient) -> None:
        """Creates the connections, the cache, and the event stream. Each process needs its own."""
        self._http = http
        self._cache = SessionCache(self._cache_bounds)
        self._stream = AsyncEventStream(http, self._base_url, self._api_key, self._cache)
        self._loads = AsyncSharedLoads(self._cache)

    def _reset_after_fork(self) -> None:
        own = self._owns_http
        self._begin(httpx.AsyncClient(limits=limits) if own else httpx.AsyncClient(transport=InheritedTransport()))

    async def _load(self, token: str, timeout_sec: Optional[float]) -> Optional[Session]:
        try:
            session = await self._send(calls.validate(self._api_key, token), timeout_sec)
            return session
        except RolecallError as error:
            return none_if_not_live(error)

    async def _ask(self, token: str, timeout_sec: Optional[float]) -> Optional[Session]:
        return await self._loads.run(token, lambda: self._load(token, timeout_sec), timeout_sec is None)

    async def _send(self, call: Call[T], timeout_sec: Optional[float]) -> T:
        attempts = 0
        while True:
            attempts += 1
            outcome = await self._attempt(call, self._timeout_sec if timeout_sec is None else timeout_sec)
            if isinstance(outcome, Received):
                refusal = outcome.refusal()
                if refusal is None:
                    return call.read(outcome)
                error = refusal
            else:
                error = outcome
            pause_sec = self._retries.pause_sec(error, attempts, call.is_repeatable)
            if pause_sec is None:
                # Raises outside of any `except`. Otherwise the traceback would contain the error of httpx, which
                # contains the request and its API key.
                raise error
            await sleep(pause_sec)

    async def _attempt(self, call: Call[T], timeout_sec: float) -> Union[Received, RolecallError]:
        until = time.monotonic() + timeout_sec
        try:
            async with self._http.stream(
                call.method,
                self._base_url + call.path,
                content=call.body,
                headers=dict(call.headers_now()),
                timeout=timeout_sec,
                # Never follows a redirect: the next address would receive the credentials.
                follow_redirects=False,
                extensions=dict(async_extensions),
            ) as response:
                content = b""
                async for chunk in response.aiter_bytes():
                    content += chunk
                    if time.monotonic() > until:
                        raise OutOfTime
                return Received(response.status_code, response.headers, content)
        except (httpx.HTTPError, httpx.InvalidURL, OutOfTime) as reason:
            return self._failure(reason, timeout_sec)


class AsyncWebhooks:
    """Submits payloads to inbound webhooks, and signs them."""

    def __init__(self, rolecall: AsyncRolecall) -> None:
        self._rolecall = rolecall

    sign = staticmethod(sign)

    async def submit(
        self,
        webhook: str,
        payload: object,
        *,
        secret: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        origin: Optional[str] = None,
        timeout_sec: Optional[float] = None,
    ) -> Submission:
        """
        Submits a payload to a webhook, which is named by its ID or slug. Bytes are sent as they are, and any other
        value as JSON. Signs the submission if ``secret`` is given. Retries only with an ``idempotency_key``, because a
        retry could otherwise create a second submission.
        """
        rolecall = self._rolecall
        call = calls.submit(rolecall._api_key, webhook, payload, secret, idempotency_key, origin)
        return await rolecall._send(call, timeout_sec)

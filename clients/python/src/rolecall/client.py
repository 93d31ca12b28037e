"""The client for threads."""

from __future__ import annotations

import socket
import time
from concurrent.futures import CancelledError, Future
from functools import partial
from types import TracebackType
from typing import Callable, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

import httpx

from . import calls
from .calls import Call, Client, Pair, Received
from .connection import (
    InheritedTransport,
    OutOfTime,
    Project,
    cache_of,
    connection_by_environment,
    limits,
    may_be_session_token,
    none_if_not_live,
)
from .errors import RolecallError
from .event_stream import EventStream, read_events
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
    Flight,
    SessionCache,
    key_of_member,
    key_of_session,
    key_of_token,
)
from .signing import sign

T = TypeVar("T")


class Rolecall(Project):
    """
    A project's connection to Rolecall, for threads. Make one for each process and share it.

    Every call raises a ``RolecallError`` when it is refused or does not get through. What may be sent twice is tried
    again, at most ``retries`` times.

    ``cache`` answers ``validate()`` from memory where possible, kept true by the service's events: nothing untrue is
    told for more than five seconds, whatever happens to them.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_sec: float = 10.0,
        retries: int = 2,
        cache: Union[bool, Cache] = False,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        super().__init__(base_url, api_key, timeout_sec)
        self._retries = Retries(retries)
        self._owns_http = http_client is None
        self._is_cached = cache is not False
        self._cache_bounds = cache_of(cache)
        self._begin(http_client or httpx.Client(limits=limits))
        self.webhooks = Webhooks(self)

    @classmethod
    def from_environment(cls, *, cache: Union[bool, Cache] = False) -> Rolecall:
        """By ``ROLECALL_URL`` and ``ROLECALL_API_KEY``."""
        return cls(*connection_by_environment(), cache=cache)

    def exchange(
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
        Exchanges the code of a redirect for a session. Check first that ``state`` is the one you minted for this
        browser. Refused with ``INVALID_CODE`` when the code is unknown, used, expired or another project's.
        """
        call = calls.exchange(self._api_key, client_id, code, redirect_uri, code_verifier, client)
        return self._send(call, timeout_sec)

    def validate(
        self, token: Optional[str], *, cache: Optional[bool] = None, timeout_sec: Optional[float] = None
    ) -> Optional[Session]:
        """
        Who is this, and what roles do they hold right now? None when the token is not that of a live session of this
        project. Whatever else goes wrong raises, so that an outage is never mistaken for a logout.

        ``cache`` instead of the client's: False asks in any case.
        """
        if not token or not may_be_session_token(token):
            return None
        if not (self._is_cached if cache is None else cache):
            return self._load(token, timeout_sec)
        session = self._cache.find(token)
        if session is not None:
            self._stream.is_used = True
            return session
        self._stream.use()
        return self._ask(token, timeout_sec)

    def logout(self, token: str, *, timeout_sec: Optional[float] = None) -> None:
        """Ends one session, by its session token or its refresh token. One that has ended already is no error."""
        try:
            self._send(calls.logout(self._api_key, token), timeout_sec)
        finally:
            self._cache.forget(key_of_token(token))

    def logout_all(self, member_id: str, *, timeout_sec: Optional[float] = None) -> None:
        """Ends all sessions of a member in this project; those in other projects go on."""
        try:
            self._send(calls.logout_all(self._api_key, member_id), timeout_sec)
        finally:
            self._cache.forget(key_of_member(member_id))

    def refresh(self, token: str, refresh_token: str, *, timeout_sec: Optional[float] = None) -> Pair:
        """
        Rotates a session's pair and moves its expiry on. Both old values are invalid once this returns: store the new
        pair at once. Refused with ``REFRESH_TOKEN_SUPERSEDED`` when a concurrent call was first (use the pair that it
        got), with ``REFRESH_TOKEN_REUSED`` when a used pair came back late (the session is revoked).
        """
        try:
            return self._send(calls.refresh(token, refresh_token), timeout_sec)
        finally:
            self._cache.forget(key_of_token(token))

    def sessions(self, token: str, *, timeout_sec: Optional[float] = None) -> Tuple[SessionListItem, ...]:
        """The live sessions of the token's member, newest first, those in other projects too."""
        return self._send(calls.sessions(token), timeout_sec)

    def revoke_session(self, token: str, session_id: str, *, timeout_sec: Optional[float] = None) -> None:
        """Revokes one of the sessions of the token's member; ``SESSION_NOT_FOUND`` when it is not theirs."""
        try:
            self._send(calls.revoke_session(token, session_id), timeout_sec)
        finally:
            self._cache.forget(key_of_session(session_id))

    def members(
        self, server_id: str, *, page_size: int = 100, timeout_sec: Optional[float] = None
    ) -> Iterator[ServerMember]:
        """The members of a server, page by page. Needs the scope ``read_members``."""
        cursor: Optional[str] = None
        while True:
            page = self._send(calls.member_page(self._api_key, server_id, cursor, page_size), timeout_sec)
            yield from page.data
            cursor = page.next_cursor
            if cursor is None:
                return

    def member_changes(
        self, server_id: str, since: Optional[str] = None, *, timeout_sec: Optional[float] = None
    ) -> MemberPage:
        """
        What changed in a server since a ``change_cursor``: ``data`` are members who changed or joined, ``removed`` those who
        left. Without one it answers where to begin: keep its ``change_cursor``, read all ``members()``, ask from there on.
        """
        return self._send(calls.member_changes(self._api_key, server_id, since), timeout_sec)

    def member(self, server_id: str, member_id: str, *, timeout_sec: Optional[float] = None) -> ServerMember:
        """One member of a server, with live roles. Needs the scope ``read_members``."""
        return self._send(calls.member(self._api_key, server_id, member_id), timeout_sec)

    def check_permissions(
        self,
        server_id: str,
        member_id: str,
        *,
        any_of: Optional[Sequence[str]] = None,
        all_of: Optional[Sequence[str]] = None,
        timeout_sec: Optional[float] = None,
    ) -> PermissionCheck:
        """Does a member hold these roles right now? Needs the scope ``check_permissions``."""
        call = calls.check_permissions(self._api_key, server_id, member_id, any_of, all_of)
        return self._send(call, timeout_sec)

    def check_many_permissions(
        self,
        server_id: str,
        member_ids: Sequence[str],
        *,
        any_of: Optional[Sequence[str]] = None,
        all_of: Optional[Sequence[str]] = None,
        timeout_sec: Optional[float] = None,
    ) -> Tuple[CheckedMember, ...]:
        """
        The same of up to 1,000 members at once, in their order. The chat platform is asked for nobody: ``roles_source``
        and ``roles_as_of`` say how fresh each answer is.
        """
        call = calls.check_many_permissions(self._api_key, server_id, member_ids, any_of, all_of)
        return self._send(call, timeout_sec)

    def events(self, *, last_id: Optional[str] = None, heartbeat_sec: int = 15) -> Iterator[Event]:
        """
        What happens to your sessions and members, as it happens, each event at least once, across lost connections.
        Keep ``event.id`` of what you have handled, and begin with it next time. It ends only by an error: when the
        key does not count any more.
        """
        return read_events(self._http, self._base_url, self._api_key, last_id, heartbeat_sec)

    def close(self) -> None:
        """Lets go of all connections."""
        self._stream.close()
        if self._owns_http:
            self._http.close()

    def __enter__(self) -> Rolecall:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _begin(self, http: httpx.Client) -> None:
        """Everything that belongs to one process."""
        self._http = http
        self._cache = SessionCache(self._cache_bounds)
        self._stream = EventStream(http, self._base_url, self._api_key, self._cache)
        self._shared: Dict[str, Tuple[Flight, Future[Optional[Session]]]] = {}

    def _begin_anew(self) -> None:
        own = self._owns_http
        self._begin(httpx.Client(limits=limits) if own else httpx.Client(transport=InheritedTransport()))

    def _load(self, token: str, timeout_sec: Optional[float]) -> Optional[Session]:
        try:
            return self._send(calls.validate(self._api_key, token), timeout_sec)
        except RolecallError as error:
            return none_if_not_live(error)

    def _ask(self, token: str, timeout_sec: Optional[float]) -> Optional[Session]:
        """Of those who ask at the same time one loads. Whoever has a time of their own asks alone."""
        while timeout_sec is None:
            other = self._shared.get(token)
            if other is None or not self._cache.is_shareable(other[0]):
                break
            try:
                return other[1].result()
            except CancelledError:
                # Whoever asked was interrupted: the others ask themselves.
                continue
        flight = self._cache.begin(token)
        entry: Tuple[Flight, Future[Optional[Session]]] = (flight, Future())
        if timeout_sec is None:
            self._shared[token] = entry
        session: Optional[Session] = None
        # What interrupts one caller (a signal, a timeout of the server) is nothing that the others may be told.
        tell_others: Callable[[], object] = entry[1].cancel
        try:
            session = self._load(token, timeout_sec)
            tell_others = partial(entry[1].set_result, session)
            return session
        except Exception as error:
            tell_others = partial(entry[1].set_exception, error)
            raise
        finally:
            self._cache.end(flight, session)
            if self._shared.get(token) is entry:
                self._shared.pop(token, None)
            tell_others()

    def _send(self, call: Call[T], timeout_sec: Optional[float]) -> T:
        attempts = 0
        while True:
            attempts += 1
            outcome = self._attempt(call, self._timeout_sec if timeout_sec is None else timeout_sec)
            if isinstance(outcome, Received):
                refusal = outcome.refusal()
                if refusal is None:
                    return call.read(outcome)
                error = refusal
            else:
                error = outcome
            pause_sec = self._retries.pause_sec(error, attempts, call.is_repeatable)
            if pause_sec is None:
                # Outside of every `except`: what httpx raised holds the request, and that the key.
                raise error
            time.sleep(pause_sec)

    def _attempt(self, call: Call[T], timeout_sec: float) -> Union[Received, RolecallError]:
        until = time.monotonic() + timeout_sec
        try:
            with self._http.stream(
                call.method,
                self._base_url + call.path,
                content=call.body,
                headers=dict(call.headers_now()),
                timeout=timeout_sec,
                # Never followed: the next address would get the credentials.
                follow_redirects=False,
                extensions={"trace": _without_delay},
            ) as response:
                content = b""
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > until:
                        raise OutOfTime
                return Received(response.status_code, response.headers, content)
        except (httpx.HTTPError, httpx.InvalidURL, OutOfTime) as reason:
            return self._failure(reason, timeout_sec)


class Webhooks:
    """For those who send submissions to inbound webhooks."""

    def __init__(self, rolecall: Rolecall) -> None:
        self._rolecall = rolecall

    sign = staticmethod(sign)

    def submit(
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
        Submits JSON (bytes are sent as they are) to a webhook, by its id or slug; signed where ``secret`` is given.
        Tried again only with an ``idempotency_key``, which makes that safe.
        """
        rolecall = self._rolecall
        call = calls.submit(rolecall._api_key, webhook, payload, secret, idempotency_key, origin)
        return rolecall._send(call, timeout_sec)


def _without_delay(name: str, info: Mapping[str, object]) -> None:
    """
    Sends small packets at once. Headers and body are two packets: without this the second one waits for the answer to
    the first, 40 ms for each call. Newer versions of httpcore do it by themselves, and for asyncio Python does.
    """
    if name == "connection.connect_tcp.complete":
        stream = info.get("return_value")
        connection = getattr(stream, "get_extra_info", lambda _: None)("socket")
        if isinstance(connection, socket.socket):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

"""
Caches responses of ``validate()`` while the event stream confirms them. Performs no I/O.

A response is stored under its session, its member in its server, and its token. An event evicts the entries that it
names. It is also recorded for pending requests, because their responses may be older than the event. A gap, after which
events may be missing, evicts everything. While the stream does not confirm the last few seconds, the cache returns
nothing.

The service determines how fresh the stream is. Each heartbeat contains a time since the stream opened, and all events
up to that time have been sent. The stream opened no earlier than the client requested it. So a delay, a buffer, or a
lost connection makes the known state look older than it is, never newer. No clock is compared with the clock of another
machine.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Dict, Optional, Set, Tuple

from .event_parser import Frame
from .models import (
    Event,
    MemberLeft,
    MemberRolesChanged,
    Session,
    SessionRevoked,
    SessionRotated,
)
from .moment import Moment, moment

#: Seconds for which a heartbeat confirms the cache. The remaining second of the guaranteed five is a margin.
_fresh_sec = 4.0
#: The stream is closed when the cache was not used for this many seconds, until the next use.
unused_sec = 60.0
#: Seconds for which later callers share a pending request.
_shared_sec = 1.0
#: The maximum number of events recorded for a pending request. With more events, its response is not cached.
_max_missed_events = 100


@dataclass(frozen=True)
class Cache:
    """
    Options of the cache for ``validate()``. A change with an event is visible within five seconds, even if the event
    stream fails.
    """

    #: The maximum age of a cached session in seconds, unless an event evicts it earlier. Some changes have no event,
    #: and can take that long to appear: names, pictures, and roles while the service has no connection to the chat
    #: platform.
    max_age_sec: float = 5.0
    #: The maximum number of cached sessions, of about 4 kB each. Sessions that were not used recently are evicted
    #: first.
    max_entries: int = 10_000


class _Entry:
    __slots__ = ("session", "until", "keys", "is_used")

    def __init__(self, session: Session, until: Moment, keys: Tuple[str, ...]) -> None:
        self.session = session
        self.until = until
        self.keys = keys
        #: Set by every hit, which is cheaper than moving the entry to the end.
        self.is_used = False


class PendingRequest:
    """A request to validate a session, with the events that arrived since it started."""

    def __init__(self, token: str, events: int, gaps: int) -> None:
        self.token = token
        self.requested_at = moment()
        self.events = events
        self.gaps = gaps
        #: Keys evicted since the request started. Its response may be older than these events.
        self.missed: Set[str] = set()


class SessionCache:
    """Caches sessions by token. Several threads can use it."""

    def __init__(self, cache: Cache) -> None:
        self._max_age_sec = cache.max_age_sec
        self._max_entries = cache.max_entries
        self._lock = threading.Lock()
        self._entries: Dict[str, _Entry] = {}
        self._tokens_by_key: Dict[str, Set[str]] = {}
        self._pending: Set[PendingRequest] = set()
        self._fresh_until: Optional[Moment] = None
        self._has_id = False
        self._events = 0
        self._gaps = 0

    def find(self, token: str) -> Optional[Session]:
        """Returns the cached session of a token, if the stream still confirms it."""
        entry = self._entries.get(token)
        fresh_until = self._fresh_until
        if entry is None or fresh_until is None:
            return None
        now = moment()
        if entry.until.is_before(now) or fresh_until.is_before(now):
            return None
        entry.is_used = True
        return entry.session

    def start_request(self, token: str) -> PendingRequest:
        """Records a request. Call it before the request is sent."""
        with self._lock:
            request = PendingRequest(token, self._events, self._gaps)
            self._pending.add(request)
            return request

    def finish_request(self, request: PendingRequest, session: Optional[Session]) -> None:
        """Finishes a request. Caches its session, unless it is None or an event has outdated it."""
        with self._lock:
            self._pending.discard(request)
            # The first event ID counts as a gap. Events before that gap never arrive, so a response that was requested
            # earlier is not cached.
            has_stream_started = request.gaps > 0
            if session is None or not has_stream_started or request.gaps != self._gaps:
                return
            if len(request.missed) >= _max_missed_events:
                return
            keys = _keys_of(request.token, session)
            if request.missed.isdisjoint(keys):
                self._store(request, session, keys)

    def is_shareable(self, request: PendingRequest) -> bool:
        """Returns true if the request started within the last second, and no event has arrived since."""
        is_quiet = request.events == self._events and request.gaps == self._gaps
        return is_quiet and not request.requested_at.plus(_shared_sec).is_before(moment())

    def evict(self, key: str) -> None:
        """Evicts the entries of a key, and invalidates its pending requests."""
        with self._lock:
            self._events += 1
            for request in self._pending:
                if len(request.missed) < _max_missed_events:
                    request.missed.add(key)
            for token in list(self._tokens_by_key.get(key, ())):
                self._drop(token)

    def evict_all(self) -> None:
        """Evicts everything after a gap, and invalidates all pending requests. The first gap starts the stream."""
        with self._lock:
            self._gaps += 1
            self._entries.clear()
            self._tokens_by_key.clear()

    def apply_frame(self, frame: Frame, requested_at: Moment) -> None:
        """Applies a frame of the stream. ``requested_at`` is the moment at which the stream was requested."""
        if frame.event is not None:
            self._apply(frame.event)
        if frame.id is not None and not self._has_id:
            # From here on every event arrives, also across connections.
            self._has_id = True
            self.evict_all()
        if frame.heartbeat_sec is not None:
            self._fresh_until = requested_at.plus(frame.heartbeat_sec + _fresh_sec)

    def invalidate(self) -> None:
        """Stops returning cached sessions, because the stream has ended."""
        self._fresh_until = None

    def _apply(self, event: Event) -> None:
        if isinstance(event, (SessionRevoked, SessionRotated)):
            self.evict(key_of_session(event.session_id))
        elif isinstance(event, (MemberRolesChanged, MemberLeft)):
            self.evict(_key_of_membership(event.member_id, event.server_id))
        else:
            # Includes event types of a newer service that this version does not know.
            self.evict_all()

    def _store(self, request: PendingRequest, session: Session, keys: Tuple[str, ...]) -> None:
        self._drop(request.token)
        while self._entries and len(self._entries) >= self._max_entries:
            oldest, entry = next(iter(self._entries.items()))
            if entry.is_used:
                # An entry that was used gets a second chance.
                entry.is_used = False
                self._entries[oldest] = self._entries.pop(oldest)
            else:
                self._drop(oldest)
        left_sec = session.session.expires_at.timestamp() - request.requested_at.wall_sec
        until = request.requested_at.plus(min(self._max_age_sec, left_sec))
        self._entries[request.token] = _Entry(session, until, keys)
        for key in keys:
            self._tokens_by_key.setdefault(key, set()).add(request.token)

    def _drop(self, token: str) -> None:
        entry = self._entries.pop(token, None)
        for key in entry.keys if entry else ():
            tokens = self._tokens_by_key.get(key, set())
            tokens.discard(token)
            if not tokens:
                self._tokens_by_key.pop(key, None)


def key_of_token(token: str) -> str:
    return f"token {token}"


def key_of_session(session_id: str) -> str:
    return f"session {session_id}"


def key_of_member(member_id: str) -> str:
    return f"member {member_id}"


def _key_of_membership(member_id: str, server_id: str) -> str:
    return f"member {member_id} {server_id}"


def _keys_of(token: str, session: Session) -> Tuple[str, ...]:
    """Returns the keys under which a response is stored."""
    member_id = session.member.id
    return (
        key_of_token(token),
        key_of_session(session.session.id),
        key_of_member(member_id),
        _key_of_membership(member_id, session.session.server_id),
    )

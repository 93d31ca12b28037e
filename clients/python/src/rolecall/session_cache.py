"""
Caches the sessions that ``validate()`` receives, for as long as the event stream confirms them. Performs no I/O.

- An entry is found by its token, and evicted by any of its keys: its token, its session, its member, and its member in
  its server. An event evicts the entries with the key that it names.
- An event also concerns requests that are pending, because their responses may be older than the event. So evicted keys
  are recorded for them.
- A gap, after which events may be missing, evicts everything.
- While no recent heartbeat confirms the stream, the cache returns nothing.

Each heartbeat contains a number of seconds since the stream opened, and the service has sent every event up to that
time. The cache adds the number to the time at which the stream was requested, which is never later than the opening. So
a delay, a buffer, or a lost connection makes the known state look older than it is, never newer. No clock is compared
with the clock of another machine.
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

#: How long, in seconds, a heartbeat confirms the cache. The guarantee is five seconds, so one second is the margin.
_fresh_sec = 4.0
#: The time, in seconds, after which an unused stream is closed. The next use opens it again.
unused_sec = 60.0
#: How long, in seconds, later callers can join a pending request.
_shared_sec = 1.0
#: The maximum number of evicted keys that are recorded for a pending request. At the maximum, it is not cached.
_max_missed_events = 100


@dataclass(frozen=True)
class Cache:
    """
    Options of the cache for ``validate()``. A change that has an event is visible within five seconds, even if the
    event stream fails.
    """

    #: The maximum age of a cached session in seconds. An event evicts a session earlier. Some changes have no event,
    #: and appear only after this time: names, pictures, and roles while the service has no connection to Discord.
    max_age_sec: float = 5.0
    #: The maximum number of cached sessions. Sessions that were not used recently are evicted first. A session takes
    #: about 4 kB of memory.
    max_entries: int = 10_000


class _Entry:
    __slots__ = ("session", "until", "keys", "is_used")

    def __init__(self, session: Session, until: Moment, keys: Tuple[str, ...]) -> None:
        self.session = session
        self.until = until
        self.keys = keys
        #: True if the entry was used since it was stored or last spared. Setting it is cheaper than moving the entry.
        self.is_used = False


class PendingRequest:
    """A pending request to validate a session, with the keys that were evicted since it started."""

    def __init__(self, token: str, events: int, gaps: int) -> None:
        self.token = token
        self.requested_at = moment()
        self.events = events
        self.gaps = gaps
        #: The keys that were evicted since the request started. The response is not cached if it has one of them.
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
        """Ends a request. Caches its session, unless it is None or may be older than an event."""
        with self._lock:
            self._pending.discard(request)
            # The first gap is the start of the stream. Events before it never arrive, so a response that was requested
            # before the start is not cached.
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
        """Evicts the entries with a key, and prevents pending requests for such entries from being cached."""
        with self._lock:
            self._events += 1
            for request in self._pending:
                if len(request.missed) < _max_missed_events:
                    request.missed.add(key)
            for token in list(self._tokens_by_key.get(key, ())):
                self._drop(token)

    def evict_all(self) -> None:
        """Evicts everything after a gap, and prevents all pending requests from being cached."""
        with self._lock:
            self._gaps += 1
            self._entries.clear()
            self._tokens_by_key.clear()

    def apply_frame(self, frame: Frame, requested_at: Moment) -> None:
        """Applies a frame of the stream. ``requested_at`` is the moment at which its connection was requested."""
        if frame.event is not None:
            self._apply(frame.event)
        if frame.id is not None and not self._has_id:
            # From the first ID on, each reconnection resumes after the last ID, so no event is missing.
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
            # Any other event evicts everything, including event types of a newer service that this version does not
            # know.
            self.evict_all()

    def _store(self, request: PendingRequest, session: Session, keys: Tuple[str, ...]) -> None:
        self._drop(request.token)
        while self._entries and len(self._entries) >= self._max_entries:
            oldest, entry = next(iter(self._entries.items()))
            if entry.is_used:
                # Spares an entry that was used, once ("second chance").
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
    """Returns the keys by which an entry can be evicted."""
    member_id = session.member.id
    return (
        key_of_token(token),
        key_of_session(session.session.id),
        key_of_member(member_id),
        _key_of_membership(member_id, session.session.server_id),
    )

"""
Caches the answers of validate while the event stream confirms them; without input or output.

An answer is stored under its session, its member in its server, and its token. An event evicts the entries that it
names, and is noted for the requests under way, which may return an older state. A gap evicts everything. While the
stream does not confirm the last few seconds, nothing is answered from memory.

The service determines how fresh the stream is: each heartbeat states up to how long after the opening all events have
been sent. The opening was no earlier than the client's request for it. So anything that delays, buffers or cuts the
connection makes the known state look older than it is, never newer. No clock is compared with another machine's.
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

#: How long, in seconds, the cache relies on a confirmation of the service. The rest of a second up to the guaranteed 5
#: s is a reserve.
_fresh_sec = 4.0
#: The stream is closed when the cache was not used for this many seconds, until the next use.
unused_sec = 60.0
#: How long, in seconds, later callers share a request that is under way.
_shared_sec = 1.0
#: The number of events that are noted during a request. Beyond it the answer is not cached.
_most_missed = 100


@dataclass(frozen=True)
class Cache:
    """The options of the cache for ``validate()``. No answer is outdated by more than five seconds."""

    #: The maximum age of an answer in seconds, if no event evicts it earlier. Changes without an event can stay
    #: unnoticed that long: names, pictures, and roles while the service has no connection to the chat platform.
    max_age_sec: float = 5.0
    #: The maximum number of sessions; the least recently used are evicted first. About 4 kB each.
    max_entries: int = 10_000


class _Kept:
    __slots__ = ("session", "until", "keys", "is_used")

    def __init__(self, session: Session, until: Moment, keys: Tuple[str, ...]) -> None:
        self.session = session
        self.until = until
        self.keys = keys
        #: Set by every hit, which is cheaper than moving the entry to the end.
        self.is_used = False


class Flight:
    """A request under way."""

    def __init__(self, token: str, events: int, gaps: int) -> None:
        self.token = token
        self.asked_at = moment()
        self.events = events
        self.gaps = gaps
        #: Keys that were evicted since: the answer may predate that.
        self.missed: Set[str] = set()


class SessionCache:
    """A cache that several threads can use."""

    def __init__(self, cache: Cache) -> None:
        self._max_age_sec = cache.max_age_sec
        self._max_entries = cache.max_entries
        self._lock = threading.Lock()
        self._kept: Dict[str, _Kept] = {}
        self._tokens_by_key: Dict[str, Set[str]] = {}
        self._under_way: Set[Flight] = set()
        self._fresh_until: Optional[Moment] = None
        self._has_id = False
        self._events = 0
        self._gaps = 0

    def find(self, token: str) -> Optional[Session]:
        """Returns the cached session of a token, if the stream still confirms it."""
        kept = self._kept.get(token)
        fresh_until = self._fresh_until
        if kept is None or fresh_until is None:
            return None
        now = moment()
        if kept.until.is_before(now) or fresh_until.is_before(now):
            return None
        kept.is_used = True
        return kept.session

    def begin(self, token: str) -> Flight:
        """Notes a request before it is sent."""
        with self._lock:
            flight = Flight(token, self._events, self._gaps)
            self._under_way.add(flight)
            return flight

    def end(self, flight: Flight, session: Optional[Session]) -> None:
        """Ends a request, with its session or without (None)."""
        with self._lock:
            self._under_way.discard(flight)
            if session is None or flight.gaps == 0 or flight.gaps != self._gaps:
                return
            if len(flight.missed) >= _most_missed:
                return
            keys = _keys_of(flight.token, session)
            if flight.missed.isdisjoint(keys):
                self._keep(flight, session, keys)

    def is_shareable(self, flight: Flight) -> bool:
        """Returns true if the request started a moment ago, and no event has arrived since."""
        is_quiet = flight.events == self._events and flight.gaps == self._gaps
        return is_quiet and not flight.asked_at.plus(_shared_sec).is_before(moment())

    def forget(self, key: str) -> None:
        """Evicts the entries of a key, and invalidates the requests for it that are under way."""
        with self._lock:
            self._events += 1
            for flight in self._under_way:
                if len(flight.missed) < _most_missed:
                    flight.missed.add(key)
            for token in list(self._tokens_by_key.get(key, ())):
                self._drop(token)

    def forget_all(self) -> None:
        with self._lock:
            self._gaps += 1
            self._kept.clear()
            self._tokens_by_key.clear()

    def take(self, frame: Frame, asked: Moment) -> None:
        """Applies a frame of the stream that was requested at that moment."""
        if frame.event is not None:
            self._apply(frame.event)
        if frame.id is not None and not self._has_id:
            # From here on every event arrives, also across connections.
            self._has_id = True
            self.forget_all()
        if frame.heartbeat_sec is not None:
            self._fresh_until = asked.plus(frame.heartbeat_sec + _fresh_sec)

    def distrust(self) -> None:
        """Stops trusting the cache, because the stream has ended."""
        self._fresh_until = None

    def _apply(self, event: Event) -> None:
        if isinstance(event, (SessionRevoked, SessionRotated)):
            self.forget(key_of_session(event.session_id))
        elif isinstance(event, (MemberRolesChanged, MemberLeft)):
            self.forget(_key_of_membership(event.member_id, event.server_id))
        else:
            # Includes event types of a newer service that this version does not know.
            self.forget_all()

    def _keep(self, flight: Flight, session: Session, keys: Tuple[str, ...]) -> None:
        self._drop(flight.token)
        while self._kept and len(self._kept) >= self._max_entries:
            oldest, kept = next(iter(self._kept.items()))
            if kept.is_used:
                # An entry in use is moved to the end once.
                kept.is_used = False
                self._kept[oldest] = self._kept.pop(oldest)
            else:
                self._drop(oldest)
        left_sec = session.session.expires_at.timestamp() - flight.asked_at.wall_sec
        until = flight.asked_at.plus(min(self._max_age_sec, left_sec))
        self._kept[flight.token] = _Kept(session, until, keys)
        for key in keys:
            self._tokens_by_key.setdefault(key, set()).add(flight.token)

    def _drop(self, token: str) -> None:
        kept = self._kept.pop(token, None)
        for key in kept.keys if kept else ():
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
    """Returns the keys of an answer."""
    member_id = session.member.id
    return (
        key_of_token(token),
        key_of_session(session.session.id),
        key_of_member(member_id),
        _key_of_membership(member_id, session.session.server_id),
    )

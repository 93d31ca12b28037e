"""
Answers of validate, kept for as long as the stream of events vouches for them; without input or output.

What can happen when: an answer is kept under its session, its member in its server, and its token. An event drops
what it names, and is noted for the questions under way, whose answers may be from before it. A gap drops everything.
While the stream does not vouch for the last few seconds nothing is answered from here.

How fresh the stream is comes from the service: each heartbeat says up to how long after the opening everything has
been sent. The opening was no earlier than our request for it, so whatever delays, holds up or cuts the connection
makes what we know look older than it is, never newer. No clock is compared with another machine's.
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

#: What the service vouched for longer ago is no longer relied on. With the rest of a second to 5 s for the unforeseen.
_fresh_sec = 4.0
#: Nobody has asked for so long: the connection is let go until somebody does.
unused_sec = 60.0
#: A caller takes the answer to a question that another asked so short a time ago.
_shared_sec = 1.0
#: What may happen while a question is under way before its answer is not kept, whatever happened.
_most_missed = 100


@dataclass(frozen=True)
class Cache:
    """``validate()`` from memory: nothing untrue is told for more than five seconds, whatever happens."""

    #: How old an answer may be that no event has dropped. What events do not tell (names, pictures, and roles while
    #: the service itself has lost the chat platform) may be that old.
    max_age_sec: float = 5.0
    #: Sessions that are kept at most; the least recently used go. About 4 kB each.
    max_entries: int = 10_000


class _Kept:
    __slots__ = ("session", "until", "keys", "is_used")

    def __init__(self, session: Session, until: Moment, keys: Tuple[str, ...]) -> None:
        self.session = session
        self.until = until
        self.keys = keys
        #: Set by every hit, cheaper than moving it to the end each time.
        self.is_used = False


class Flight:
    """A question under way."""

    def __init__(self, token: str, events: int, gaps: int) -> None:
        self.token = token
        self.asked_at = moment()
        self.events = events
        self.gaps = gaps
        #: What was dropped since: its answer may be from before that.
        self.missed: Set[str] = set()


class SessionCache:
    """Safe to be used by several threads."""

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
        """The session of a token, when it is kept and still vouched for."""
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
        """Notes a question before it is asked."""
        with self._lock:
            flight = Flight(token, self._events, self._gaps)
            self._under_way.add(flight)
            return flight

    def end(self, flight: Flight, session: Optional[Session]) -> None:
        """The question is answered, or has failed (None)."""
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
        """Nothing has happened since it was asked, a moment ago."""
        is_quiet = flight.events == self._events and flight.gaps == self._gaps
        return is_quiet and not flight.asked_at.plus(_shared_sec).is_before(moment())

    def forget(self, key: str) -> None:
        """Drops what is kept under a key, and whatever of it is being asked."""
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
        """A frame of the stream that was asked for at that moment."""
        if frame.event is not None:
            self._apply(frame.event)
        if frame.id is not None and not self._has_id:
            # From here on every event comes, also across connections.
            self._has_id = True
            self.forget_all()
        if frame.heartbeat_sec is not None:
            self._fresh_until = asked.plus(frame.heartbeat_sec + _fresh_sec)

    def distrust(self) -> None:
        """Nobody listens to the stream any more."""
        self._fresh_until = None

    def _apply(self, event: Event) -> None:
        if isinstance(event, (SessionRevoked, SessionRotated)):
            self.forget(key_of_session(event.session_id))
        elif isinstance(event, (MemberRolesChanged, MemberLeft)):
            self.forget(_key_of_membership(event.member_id, event.server_id))
        else:
            # Also whatever a newer service tells that this version does not know.
            self.forget_all()

    def _keep(self, flight: Flight, session: Session, keys: Tuple[str, ...]) -> None:
        self._drop(flight.token)
        while self._kept and len(self._kept) >= self._max_entries:
            oldest, kept = next(iter(self._kept.items()))
            if kept.is_used:
                # A second chance, at the end of the row.
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
    """Under what an answer is kept."""
    member_id = session.member.id
    return (
        key_of_token(token),
        key_of_session(session.session.id),
        key_of_member(member_id),
        _key_of_membership(member_id, session.session.server_id),
    )

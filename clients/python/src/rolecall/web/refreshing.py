"""
Refreshes each pair of tokens at most once.

A refresh ends both old tokens at once, and only its own response contains the new ones. So a request with the old pair,
during the refresh or up to two minutes later, receives the result of that refresh instead of starting another. A pair
that is not live is never sent, because the service would treat it as stolen, and end the session.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Dict, NamedTuple, Optional, Set, Tuple

from ..async_client import AsyncRolecall
from ..calls import Pair
from ..client import Rolecall
from ..errors import RolecallError

#: How long a refresh is remembered, in seconds: longer than requests with the old cookie can be on their way.
_max_age_sec = 120

#: The codes for a pair that another process has replaced, or a session that has ended.
_ended_codes = ("INVALID_TOKEN", "INVALID_REFRESH_TOKEN", "REFRESH_TOKEN_SUPERSEDED", "REFRESH_TOKEN_REUSED")


@dataclass(frozen=True)
class StoredSession:
    """A session as it is stored between requests. Its roles are not stored, because they would be outdated."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    #: The times at which this pair was issued and expires, in seconds since 1970.
    obtained_at: int
    expires_at: int

    @property
    def is_due(self) -> bool:
        """
        Returns true after half of the lifetime. Earlier refreshes would concern more requests that still have the old
        pair.
        """
        return time.time() > self.obtained_at + (self.expires_at - self.obtained_at) / 2


#: The new pair. None if the old one is no longer live, because another process was first, or the session has ended.
Replacement = Optional[StoredSession]


class _Flight(NamedTuple):
    began_at: float
    result: Future[Replacement]


class _Flights:
    """The refreshes in this process that are under way or recent, by the refresh token that they replace."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Clears the refreshes in a child process, because those of the parent never end there."""
        self._lock = threading.Lock()
        self._by_token: Dict[str, _Flight] = {}

    def find(self, stored: StoredSession) -> Optional[Future[Replacement]]:
        flight = self._by_token.get(stored.refresh_token)
        return None if flight is None else flight.result

    def join(self, stored: StoredSession) -> Tuple[Future[Replacement], bool]:
        """Returns the refresh of a pair, and true if the caller must run it."""
        with self._lock:
            self._remove_old()
            known = self.find(stored)
            if known is not None:
                return known, False
            result: Future[Replacement] = Future()
            self._by_token[stored.refresh_token] = _Flight(time.monotonic(), result)
            return result, True

    def remove(self, stored: StoredSession) -> None:
        self._by_token.pop(stored.refresh_token, None)

    def _remove_old(self) -> None:
        oldest = time.monotonic() - _max_age_sec
        # The dict is in the order of starts.
        for token, flight in list(self._by_token.items()):
            if flight.began_at > oldest:
                return
            del self._by_token[token]


_flights = _Flights()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_flights.reset)
#: asyncio discards a task without a reference.
_tasks: Set[asyncio.Task[None]] = set()


def refresh(rolecall: Rolecall, stored: StoredSession) -> Replacement:
    """Refreshes a pair, or joins the refresh that is under way. Raises during an outage; the pair is then unchanged."""
    result, is_first = _flights.join(stored)
    if is_first:
        try:
            is_live = rolecall.validate(stored.token, cache=False) is not None
            pair = rolecall.refresh(stored.token, stored.refresh_token) if is_live else None
            _complete(stored, result, _stored_from(pair))
        except BaseException as error:
            _fail(stored, result, error)
    return result.result()


async def refresh_async(rolecall: AsyncRolecall, stored: StoredSession) -> Replacement:
    """Refreshes for asyncio. Canceling a request does not cancel the refresh, which would lose the new pair."""
    result, is_first = _flights.join(stored)
    if is_first:
        task = asyncio.ensure_future(_run(rolecall, stored, result))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)
    return await asyncio.shield(asyncio.wrap_future(result))


async def _run(rolecall: AsyncRolecall, stored: StoredSession, result: Future[Replacement]) -> None:
    try:
        is_live = await rolecall.validate(stored.token, cache=False) is not None
        pair = await rolecall.refresh(stored.token, stored.refresh_token) if is_live else None
        _complete(stored, result, _stored_from(pair))
    except BaseException as error:
        _fail(stored, result, error)


def is_under_way(stored: StoredSession) -> bool:
    """Returns true if this process is replacing the pair, or has done so recently. Requests that carry it join."""
    return _flights.find(stored) is not None


def _stored_from(pair: Optional[Pair]) -> Replacement:
    if pair is None:
        return None
    return StoredSession(pair.token, pair.refresh_token, int(time.time()), int(pair.expires_at.timestamp()))


def _complete(stored: StoredSession, result: Future[Replacement], replacement: Replacement) -> None:
    if replacement is None:
        _flights.remove(stored)
    result.set_result(replacement)


def _fail(stored: StoredSession, result: Future[Replacement], error: BaseException) -> None:
    if isinstance(error, RolecallError) and error.code in _ended_codes:
        _complete(stored, result, None)
    else:
        _flights.remove(stored)
        result.set_exception(error)

"""
Refreshes each pair of tokens at most once.

A refresh invalidates both old tokens at once, and only its response contains the new ones. But browsers send several
requests with the same cookie. So all requests with the old pair share one refresh: those that arrive while it is
pending, and those up to two minutes later.

The service treats a used pair as stolen, and revokes its session. So a pair is checked before it is refreshed.
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

#: How long a refresh is remembered, in seconds. No request with the old cookie arrives later.
_max_age_sec = 120

#: The codes that mean that another process has replaced the pair, or that the session has ended.
_ended_codes = ("INVALID_TOKEN", "INVALID_REFRESH_TOKEN", "REFRESH_TOKEN_SUPERSEDED", "REFRESH_TOKEN_REUSED")


@dataclass(frozen=True)
class StoredSession:
    """A session as it is stored between requests. Roles are not stored, because they would become outdated."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    #: The times at which this pair was issued and expires, in seconds since 1970.
    obtained_at: int
    expires_at: int

    @property
    def is_due(self) -> bool:
        """
        Returns true after half of a pair's lifetime. More frequent refreshes would leave more requests with an old
        pair.
        """
        return time.time() > self.obtained_at + (self.expires_at - self.obtained_at) / 2


#: The result of a refresh. None if the old pair is not live: another process refreshed it first, or the session has
#: ended.
Replacement = Optional[StoredSession]


class _Flight(NamedTuple):
    began_at: float
    result: Future[Replacement]


class _Flights:
    """The pending and recent refreshes of this process, by the refresh token that they replace."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Clears the refreshes. After a fork, those of the parent would stay pending in the child forever."""
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
        # A dict keeps the order of insertion, so the oldest refresh comes first.
        for token, flight in list(self._by_token.items()):
            if flight.began_at > oldest:
                return
            del self._by_token[token]


_flights = _Flights()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_flights.reset)
#: References to the running tasks. Without a reference, asyncio may discard a task before it ends.
_tasks: Set[asyncio.Task[None]] = set()


def refresh(rolecall: Rolecall, stored: StoredSession) -> Replacement:
    """Refreshes a pair, or joins its pending refresh. Raises a RolecallError during an outage."""
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
    """
    Like ``refresh``, for asyncio. If a request is canceled, the refresh continues, so that the new pair is not lost.
    """
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
    """
    Returns true if a refresh of the pair is pending or recent in this process. A request with the pair then joins it.
    """
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

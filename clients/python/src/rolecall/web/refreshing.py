"""
Replaces pairs of sessions, once each.

A refresh ends both old values at once, and only its own response contains the new ones. So a request with the old pair,
during the refresh or up to two minutes later, receives the result of that refresh instead of starting another. A pair
that is not live is never sent: the service would treat it as stolen, and end the session.
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

#: The maximum delay, in seconds, of requests that were sent with the old cookie. The service's grace lasts 30 s.
_remembered_sec = 120

#: The codes for a pair that another process has replaced, or a session that has ended.
_over = ("INVALID_TOKEN", "INVALID_REFRESH_TOKEN", "REFRESH_TOKEN_SUPERSEDED", "REFRESH_TOKEN_REUSED")


@dataclass(frozen=True)
class Kept:
    """A session as it is stored between requests, without its roles: they would be those at sign-in."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    #: The times at which this pair was issued and expires, in seconds since 1970.
    obtained_at: int
    expires_at: int

    @property
    def is_due(self) -> bool:
        """
        Returns true after half of the lifetime. Refreshes are rare, because each one meets requests that still carry
        the old pair.
        """
        return time.time() > self.obtained_at + (self.expires_at - self.obtained_at) / 2


#: The new pair. None if the old one is no longer live, because another process was first, or the session has ended.
Replacement = Optional[Kept]


class _Flight(NamedTuple):
    began_at: float
    result: Future[Replacement]


class _Flights:
    """The refreshes in this process that are under way or recent, by the refresh token that they replace."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Starts again in a child process: refreshes of the parent never end here."""
        self._lock = threading.Lock()
        self._by_token: Dict[str, _Flight] = {}

    def find(self, kept: Kept) -> Optional[Future[Replacement]]:
        flight = self._by_token.get(kept.refresh_token)
        return None if flight is None else flight.result

    def join(self, kept: Kept) -> Tuple[Future[Replacement], bool]:
        """Returns the refresh of a pair, and whether the caller must make it."""
        with self._lock:
            self._forget_old()
            known = self.find(kept)
            if known is not None:
                return known, False
            result: Future[Replacement] = Future()
            self._by_token[kept.refresh_token] = _Flight(time.monotonic(), result)
            return result, True

    def forget(self, kept: Kept) -> None:
        self._by_token.pop(kept.refresh_token, None)

    def _forget_old(self) -> None:
        oldest = time.monotonic() - _remembered_sec
        # In the order of their start.
        for token, flight in list(self._by_token.items()):
            if flight.began_at > oldest:
                return
            del self._by_token[token]


_flights = _Flights()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_flights.begin_anew)
#: asyncio discards a task without a reference.
_tasks: Set[asyncio.Task[None]] = set()


def refresh(rolecall: Rolecall, kept: Kept) -> Replacement:
    """Refreshes a pair, or joins the refresh that is under way. Raises during an outage; the pair is then unchanged."""
    result, is_ours = _flights.join(kept)
    if is_ours:
        try:
            is_live = rolecall.validate(kept.token, cache=False) is not None
            pair = rolecall.refresh(kept.token, kept.refresh_token) if is_live else None
            _land(kept, result, _kept_of(pair))
        except BaseException as error:
            _fail(kept, result, error)
    return result.result()


async def refresh_async(rolecall: AsyncRolecall, kept: Kept) -> Replacement:
    """Refreshes for asyncio. Cancelling a request does not cancel the refresh: the new pair would be lost."""
    result, is_ours = _flights.join(kept)
    if is_ours:
        task = asyncio.ensure_future(_fly(rolecall, kept, result))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)
    return await asyncio.shield(asyncio.wrap_future(result))


async def _fly(rolecall: AsyncRolecall, kept: Kept, result: Future[Replacement]) -> None:
    try:
        is_live = await rolecall.validate(kept.token, cache=False) is not None
        pair = await rolecall.refresh(kept.token, kept.refresh_token) if is_live else None
        _land(kept, result, _kept_of(pair))
    except BaseException as error:
        _fail(kept, result, error)


def is_under_way(kept: Kept) -> bool:
    """Returns true if this process is replacing the pair, or has done so recently. Requests that carry it join."""
    return _flights.find(kept) is not None


def _kept_of(pair: Optional[Pair]) -> Replacement:
    if pair is None:
        return None
    return Kept(pair.token, pair.refresh_token, int(time.time()), int(pair.expires_at.timestamp()))


def _land(kept: Kept, result: Future[Replacement], replacement: Replacement) -> None:
    if replacement is None:
        _flights.forget(kept)
    result.set_result(replacement)


def _fail(kept: Kept, result: Future[Replacement], error: BaseException) -> None:
    if isinstance(error, RolecallError) and error.code in _over:
        _land(kept, result, None)
    else:
        _flights.forget(kept)
        result.set_exception(error)

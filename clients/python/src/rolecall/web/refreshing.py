"""
Replaces pairs of sessions, once each.

What can happen when: a refresh ends both old values at once, and only its own answer has the new ones. So whoever brings
the old pair meanwhile, or for two minutes after, gets the result of that one refresh instead of asking for another. A
pair that is not live is never sent: the service would take it for a stolen one, and end the session.
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

#: Requests that left with the old cookie arrive so much later at most. The service keeps its grace for 30 s.
_remembered_sec = 120

#: What the service says of a pair that somebody else has replaced, or whose session has ended.
_over = ("INVALID_TOKEN", "INVALID_REFRESH_TOKEN", "REFRESH_TOKEN_SUPERSEDED", "REFRESH_TOKEN_REUSED")


@dataclass(frozen=True)
class Kept:
    """A session as it is kept between requests. Roles are not: they would be those of the login."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    #: When this pair was got, and when it ends, in seconds since 1970.
    obtained_at: int
    expires_at: int

    @property
    def is_due(self) -> bool:
        """Less than half of its life is left: refreshing is seldom, as each time requests under way have the old one."""
        return time.time() > self.obtained_at + (self.expires_at - self.obtained_at) / 2


#: The pair that replaces another. None: that one is not live any more, because somebody else was first, or it ended.
Replacement = Optional[Kept]


class _Flight(NamedTuple):
    began_at: float
    result: Future[Replacement]


class _Flights:
    """Refreshes under way and made lately in this process, by the refresh token that they replace."""

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """In a child process: what is under way in the parent never ends here."""
        self._lock = threading.Lock()
        self._by_token: Dict[str, _Flight] = {}

    def find(self, kept: Kept) -> Optional[Future[Replacement]]:
        flight = self._by_token.get(kept.refresh_token)
        return None if flight is None else flight.result

    def join(self, kept: Kept) -> Tuple[Future[Replacement], bool]:
        """The refresh of a pair, and whether it is the caller who makes it."""
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
        # In the order in which they began.
        for token, flight in list(self._by_token.items()):
            if flight.began_at > oldest:
                return
            del self._by_token[token]


_flights = _Flights()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_flights.begin_anew)
#: asyncio forgets a task that nobody holds.
_tasks: Set[asyncio.Task[None]] = set()


def refresh(rolecall: Rolecall, kept: Kept) -> Replacement:
    """Refreshes, or joins whoever does. Raises when nobody can tell, and the pair is then as it was."""
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
    """The same for asyncio. A request that is given up gives up nothing: the new pair would be lost."""
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
    """This process replaces the pair, or has done so lately: whoever brings it joins."""
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

"""Shares one request between callers that validate the same session at the same time."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Awaitable, Callable, Dict, Optional, Tuple

from .models import Session
from .session_cache import PendingRequest, SessionCache


class AsyncSharedLoads:
    """Shares loads between asyncio tasks. Each load runs in a task of its own, which all callers await."""

    def __init__(self, cache: SessionCache) -> None:
        self._cache = cache
        self._shared: Dict[str, Tuple[PendingRequest, asyncio.Task[Optional[Session]]]] = {}

    async def run(
        self, token: str, load: Callable[[], Awaitable[Optional[Session]]], is_shared: bool
    ) -> Optional[Session]:
        """Joins the load of another caller, or starts one. A caller with its own timeout does not share."""
        request, task = self._shared.get(token, (None, None))
        if request is None or task is None or not is_shared or not self._cache.is_shareable(request):
            request = self._cache.start_request(token)
            task = asyncio.ensure_future(self._load(request, load))
            if is_shared:
                self._shared[token] = (request, task)
        # `shield` keeps the load running for the others if this caller is canceled.
        return await asyncio.shield(task)

    async def _load(self, request: PendingRequest, load: Callable[[], Awaitable[Optional[Session]]]) -> Optional[Session]:
        session: Optional[Session] = None
        try:
            session = await load()
            return session
        finally:
            self._cache.finish_request(request, session)
            if self._shared.get(request.token, (None, None))[0] is request:
                self._shared.pop(request.token, None)


class SharedLoads:
    """Shares loads between threads. The first caller loads, and the others wait for its result."""

    def __init__(self, cache: SessionCache) -> None:
        self._cache = cache
        self._shared: Dict[str, Tuple[PendingRequest, Future[Optional[Session]]]] = {}

    def run(self, token: str, load: Callable[[], Optional[Session]], is_shared: bool) -> Optional[Session]:
        """Joins the load of another caller, or starts one. A caller with its own timeout does not share."""
        while is_shared:
            other = self._shared.get(token)
            if other is None or not self._cache.is_shareable(other[0]):
                break
            try:
                return other[1].result()
            except CancelledError:
                # The caller that ran the load was interrupted, so this caller tries again.
                continue
        request = self._cache.start_request(token)
        entry: Tuple[PendingRequest, Future[Optional[Session]]] = (request, Future())
        if is_shared:
            self._shared[token] = entry
        session: Optional[Session] = None
        # If this caller is interrupted, e.g. by a signal, the load is canceled for the others, who then try again.
        finish_for_others: Callable[[], object] = entry[1].cancel
        try:
            session = load()
            finish_for_others = partial(entry[1].set_result, session)
            return session
        except Exception as error:
            finish_for_others = partial(entry[1].set_exception, error)
            raise
        finally:
            self._cache.finish_request(request, session)
            if self._shared.get(token) is entry:
                self._shared.pop(token, None)
            finish_for_others()

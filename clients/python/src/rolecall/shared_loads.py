"""Shares one request between callers that validate the same session at the same time."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Awaitable, Callable, Dict, Optional, Tuple

from .models import Session
from .session_cache import PendingRequest, SessionCache


class AsyncSharedLoads:
    """Shares loads between tasks. Each load is a separate task that all callers await."""

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
        # Cancelling one caller does not cancel the load of the others.
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
                # The loading caller was interrupted, so the others load the session themselves.
                continue
        request = self._cache.start_request(token)
        entry: Tuple[PendingRequest, Future[Optional[Session]]] = (request, Future())
        if is_shared:
            self._shared[token] = entry
        session: Optional[Session] = None
        # An interruption of one caller (a signal, a timeout of its server) must not fail the others.
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

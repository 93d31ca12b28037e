"""Keeps the cache current with the event stream, in an asyncio task."""

from __future__ import annotations

import asyncio
import time
from typing import Optional

import httpx

from .async_event_reader import async_open_feed
from .event_feed import EventFeed
from .moment import moment
from .session_cache import SessionCache, unused_sec


class AsyncEventStream:
    """Applies the service's events to the cache while the cache is used. Does not keep the event loop alive."""

    def __init__(self, http: httpx.AsyncClient, base_url: str, key: str, cache: SessionCache) -> None:
        self._http = http
        self._base_url = base_url
        self._cache = cache
        self._feed = EventFeed(key, heartbeat_sec=1)
        self._task: Optional[asyncio.Task[None]] = None
        self._used_at = 0.0
        #: True if the cache was used since the task last checked, which it does after each chunk of the stream.
        self.is_used = False

    def use(self) -> None:
        """Marks the stream as used, and opens it if it is closed. Call it at each use of the cache."""
        self.is_used = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._listen())

    async def close(self) -> None:
        """Closes the stream. The next use opens it again."""
        task, self._task = self._task, None
        self._cache.invalidate()
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
            self._cache.invalidate()

    async def _listen(self) -> None:
        while self._is_wanted():
            try:
                await self._connect()
            except Exception:
                # The cache returns nothing until the next connection succeeds, so every failure can be ignored.
                pass
            await asyncio.sleep(self._feed.pause_sec())

    async def _connect(self) -> None:
        requested_at = moment()
        async with async_open_feed(self._http, self._base_url, self._feed) as response:
            if not self._feed.opens(response.status_code, response.headers):
                return
            async for chunk in response.aiter_bytes():
                for frame in self._feed.take(chunk):
                    self._cache.apply_frame(frame, requested_at)
                if not self._is_wanted():
                    return

    def _is_wanted(self) -> bool:
        if self.is_used:
            self.is_used = False
            self._used_at = time.monotonic()
        return time.monotonic() - self._used_at < unused_sec

"""Reads the service's events and reconnects after a lost connection, for asyncio."""

from __future__ import annotations

from asyncio import sleep
from typing import AsyncContextManager, AsyncIterator, Optional

import httpx

from .errors import RolecallError
from .event_feed import EventFeed, LastingFailure, lost
from .models import Event


def async_open_feed(http: httpx.AsyncClient, base_url: str, feed: EventFeed) -> AsyncContextManager[httpx.Response]:
    """Requests the event stream. It resumes after the feed's last event."""
    return http.stream(
        "GET",
        base_url + feed.path,
        headers=dict(feed.headers()),
        timeout=feed.silent_sec,
        follow_redirects=False,
    )


async def async_read_events(
    http: httpx.AsyncClient, base_url: str, key: str, last_id: Optional[str], heartbeat_sec: int
) -> AsyncIterator[Event]:
    """
    Yields events, and reconnects when the connection is lost. Raises a ``RolecallError`` if a failure is final; see
    ``LastingFailure``.
    """
    feed = EventFeed(key, heartbeat_sec, last_id)
    failure = LastingFailure(f"The events of {base_url} cannot be reached")
    while True:
        error: Optional[RolecallError] = None
        try:
            async with async_open_feed(http, base_url, feed) as response:
                if feed.opens(response.status_code, response.headers):
                    failure.connected()
                    async for chunk in response.aiter_bytes():
                        for frame in feed.take(chunk):
                            if frame.event is not None:
                                yield frame.event
                else:
                    error = failure.of_answer(response.status_code, response.headers, await response.aread())
        except lost as reason:
            error = failure.of_loss(reason)
        if error is not None:
            raise error
        await sleep(feed.pause_sec())

"""Keeps the cache current with the event stream, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from typing import Optional

import httpx

from .event_feed import EventFeed
from .event_reader import open_feed
from .moment import moment
from .session_cache import SessionCache, unused_sec


class _Run:
    """The state of one thread. Each thread has its own, so a thread that ends late does not affect the next one."""

    def __init__(self, feed: EventFeed) -> None:
        self.feed = feed
        self.is_closed = threading.Event()
        self.connection: Optional[socket.socket] = None


class EventStream:
    """Applies the service's events to the cache while the cache is used. Does not keep the process alive."""

    def __init__(self, http: httpx.Client, base_url: str, key: str, cache: SessionCache) -> None:
        self._http = http
        self._base_url = base_url
        self._key = key
        self._cache = cache
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self._run = _Run(EventFeed(key, heartbeat_sec=1))
        self._used_at = 0.0
        #: True if the cache was used since the thread last checked, which it does after each chunk of the stream.
        self.is_used = False

    def use(self) -> None:
        """Marks the stream as used, and opens it if it is closed. Call it at each use of the cache."""
        self.is_used = True
        with self._lock:
            # The thread has ended if the cache was not used for a minute.
            if self._thread is None or not self._thread.is_alive():
                self._run = _Run(EventFeed(self._key, heartbeat_sec=1, last_id=self._run.feed.last_id))
                name = "rolecall-events"
                self._thread = threading.Thread(target=self._listen, args=[self._run], name=name, daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Closes the stream. The next use opens it again."""
        with self._lock:
            thread, self._thread = self._thread, None
            run = self._run
        run.is_closed.set()
        self._cache.invalidate()
        if run.connection is not None:
            try:
                # Wakes the thread that waits for the next event.
                run.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if thread is not None:
            thread.join(1.0)

    def _listen(self, run: _Run) -> None:
        while self._is_wanted() and not run.is_closed.is_set():
            try:
                self._connect(run)
            except Exception:
                # The cache returns nothing until the next connection succeeds, so every failure can be ignored.
                pass
            run.connection = None
            run.is_closed.wait(run.feed.pause_sec())

    def _connect(self, run: _Run) -> None:
        requested_at = moment()
        with open_feed(self._http, self._base_url, run.feed) as response:
            if not run.feed.opens(response.status_code, response.headers):
                return
            network = response.extensions.get("network_stream")
            run.connection = None if network is None else network.get_extra_info("socket")
            for chunk in response.iter_bytes():
                for frame in run.feed.take(chunk):
                    if run.is_closed.is_set():
                        return
                    self._cache.apply_frame(frame, requested_at)
                if not self._is_wanted():
                    return

    def _is_wanted(self) -> bool:
        if self.is_used:
            self.is_used = False
            self._used_at = time.monotonic()
        return time.monotonic() - self._used_at < unused_sec

"""Reads the service's events across lost connections. Performs no I/O."""

from __future__ import annotations

import random
from typing import Iterator, Mapping, Optional

import httpx

from .errors import NetworkError, RolecallError, UnexpectedResponseError, error_of, unexpected_response
from .event_parser import EventParser, Frame

#: The maximum pause, in seconds, before the next connection.
_max_pause_sec = 15.0

#: The exceptions that mean that a connection was lost or delivered something else than events.
lost = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, ValueError)


class EventFeed:
    """The state of an event stream across its connections: the last event ID, and the pause before a reconnection."""

    def __init__(self, key: str, heartbeat_sec: int, last_id: Optional[str] = None) -> None:
        if not 1 <= heartbeat_sec <= 60:
            raise ValueError("heartbeat_sec must be 1 to 60")
        self._key = key
        self._retry_sec = 1.0
        self._failures = 0
        self._parser = EventParser()
        self.path = f"/api/events?heartbeat={heartbeat_sec}"
        #: A connection that receives nothing for this many seconds is closed.
        self.silent_sec = heartbeat_sec + 4.0
        #: The ID of the last handled event, after which the next connection resumes.
        self.last_id = last_id

    def headers(self) -> Mapping[str, str]:
        """Returns the headers of the next connection."""
        headers = {"accept": "text/event-stream", "x-api-key": self._key}
        return headers if self.last_id is None else {**headers, "last-event-id": self.last_id}

    def opens(self, status: int, headers: Mapping[str, str]) -> bool:
        """Starts a connection. Returns true if its response is a stream of events."""
        self._parser = EventParser()
        return status == 200 and headers.get("content-type", "").startswith("text/event-stream")

    def take(self, chunk: bytes) -> Iterator[Frame]:
        """Yields the frames that a chunk completes."""
        for frame in self._parser.feed(chunk):
            self._failures = 0
            yield frame
            # The generator continues after the caller has handled the frame. So the service sends a frame again that
            # was not handled.
            if frame.id is not None:
                self.last_id = frame.id
            if frame.retry_sec is not None:
                self._retry_sec = frame.retry_sec

    def pause_sec(self) -> float:
        """Returns the pause in seconds before the next connection. It doubles with each failure in a row."""
        self._failures += 1
        pause = self._retry_sec * 2.0 ** min(self._failures - 1, 10)
        return min(pause, _max_pause_sec) * (0.5 + random.random() / 2)


class LastingFailure:
    """
    Decides which failures end the iteration over events. A failure of the first connection does, as with every call.
    Later connections are retried, unless the service refuses them with a 4xx status other than 408 and 429.
    """

    def __init__(self, first_failure: str) -> None:
        self._was_connected = False
        self._first_failure = first_failure

    def connected(self) -> None:
        """Records that a connection has succeeded."""
        self._was_connected = True

    def of_answer(self, status: int, headers: Mapping[str, str], content: bytes) -> Optional[RolecallError]:
        """Returns the error of a response that is not an event stream. None if a retry may succeed."""
        if status == 200:
            return unexpected_response(status, headers)
        error = error_of(status, headers, content)
        is_final = 400 <= status < 500 and status not in (408, 429) and not isinstance(error, UnexpectedResponseError)
        return error if is_final or not self._was_connected else None

    def of_loss(self, reason: Exception) -> Optional[RolecallError]:
        """Returns the error of a failed or lost connection. None if a retry may succeed."""
        if self._was_connected:
            return None
        return NetworkError("NETWORK_ERROR", f"{self._first_failure} ({type(reason).__name__}).")

"""Parses Server-Sent Events from bytes into frames. Performs no I/O."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional

from .models import Event, event_from_json

#: The maximum length of a frame in bytes. The service's frames are far shorter. The limit prevents another server from
#: filling the memory.
_max_frame_bytes = 1 << 20


@dataclass(frozen=True)
class Frame:
    """One frame of the stream: the lines up to an empty line."""

    #: The ID to resume after. A frame can have an ID without an event.
    id: Optional[str] = None
    event: Optional[Event] = None
    #: The pause, in seconds, before a reconnection.
    retry_sec: Optional[float] = None
    #: The heartbeat: the service has sent all events up to this many seconds after the stream opened.
    heartbeat_sec: Optional[float] = None


class EventParser:
    """Parses the stream of one connection, chunk by chunk."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._lines: List[str] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """
        Yields the frames that a chunk completes. Raises ValueError if the stream cannot be one of the service.
        """
        self._rest += chunk
        # A chunk without a line break is only stored. Splitting the rest again for each chunk would be quadratic.
        lines = bytes(self._rest).split(b"\n") if b"\n" in chunk else [bytes()]
        if len(lines) > 1:
            self._rest = bytearray(lines[-1])
        for raw in lines[:-1]:
            line = raw.rstrip(b"\r")
            self._size += len(line)
            if line:
                self._lines.append(line.decode())
            elif self._lines:
                frame = _frame_of(self._lines)
                self._lines, self._size = [], 0
                yield frame
        if self._size + len(self._rest) > _max_frame_bytes:
            raise ValueError("A frame of the stream is too long.")


def _frame_of(lines: List[str]) -> Frame:
    fields: Dict[str, str] = {}
    for line in lines:
        name, _, rest = line.partition(":")
        # A heartbeat is a comment with a number of milliseconds. A comment begins with a colon, so its name is empty.
        value = rest[1:] if rest.startswith(" ") else rest
        fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
    id, type, data = fields.get("id"), fields.get("event"), fields.get("data")
    return Frame(
        id=id,
        event=event_from_json(id, type, json.loads(data)) if type is not None and data is not None else None,
        retry_sec=_seconds(fields.get("retry")),
        heartbeat_sec=_seconds(fields.get("")),
    )


def _seconds(milliseconds: Optional[str]) -> Optional[float]:
    return int(milliseconds) / 1000 if milliseconds is not None and milliseconds.isdecimal() else None

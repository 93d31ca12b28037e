"""The parser of events, chunk by chunk."""

from __future__ import annotations

import time
from typing import List

import pytest

from rolecall import MemberLeft, SessionRevoked, UnknownEvent
from rolecall.event_parser import EventParser, Frame

STREAM = (
    'retry: 1174\nid: 9310-0-t3vk9a\n\n'
    'id: 9312-88\nevent: session.revoked\n'
    'data: {"at": "2026-11-21T08:15:00.123Z", "reason": "logout", "memberId": "1",\n'
    'data:  "serverId": "2", "sessionId": "ⓢ"}\n\n'
    ": 15021\n\n"
).encode()


def frames_of(*chunks: bytes) -> List[Frame]:
    parser = EventParser()
    return [frame for chunk in chunks for frame in parser.feed(chunk)]


def test_a_stream_is_the_same_however_it_is_cut_into_chunks() -> None:
    whole = frames_of(STREAM)
    assert [frame.id for frame in whole] == ["9310-0-t3vk9a", "9312-88", None]
    assert whole[0].retry_sec == 1.174
    assert whole[2].heartbeat_sec == 15.021
    event = whole[1].event
    assert isinstance(event, SessionRevoked)
    assert (event.id, event.type, event.session_id, event.reason) == ("9312-88", "session.revoked", "ⓢ", "logout")
    assert event.at.isoformat() == "2026-11-21T08:15:00.123000+00:00"
    for size in (1, 2, 3, 7):
        assert frames_of(*(STREAM[i : i + size] for i in range(0, len(STREAM), size))) == whole
    assert frames_of(STREAM.replace(b"\n", b"\r\n")) == whole


def test_a_frame_that_does_not_end_is_refused_in_linear_time() -> None:
    parser = EventParser()
    began = time.process_time()
    with pytest.raises(ValueError, match="too long"):
        for _ in range(2 << 20):
            list(parser.feed(b"x"))
    # Joining all bytes at every byte would copy half a terabyte.
    assert time.process_time() - began < 30


def test_an_event_of_a_newer_service_comes_as_it_is() -> None:
    [frame] = frames_of(b'event: member.renamed\nid: 1\ndata: {"memberId":"1"}\n\n')
    assert frame.event == UnknownEvent("1", "member.renamed", {"memberId": "1"})


def test_a_field_that_a_newer_service_adds_is_no_fault() -> None:
    data = b'{"memberId":"1","serverId":"2","at":"2026-11-21T08:15:00Z","more":1}'
    [frame] = frames_of(b"event: member.left\ndata: " + data + b"\n\n")
    assert isinstance(frame.event, MemberLeft)


@pytest.mark.parametrize(
    "chunk", [b"event: member.left\ndata: no JSON\n\n", b"event: member.left\ndata: {}\n\n", b"data: \xff\n\n"]
)
def test_what_is_no_event_ends_the_connection(chunk: bytes) -> None:
    with pytest.raises(ValueError):
        frames_of(chunk)


def test_a_frame_without_an_end_does_not_fill_the_memory() -> None:
    with pytest.raises(ValueError, match="too long"):
        frames_of(*[b"x" * 65_536] * 20)
    with pytest.raises(ValueError, match="too long"):
        frames_of(*[b"data: x\n" * 8_192] * 20)

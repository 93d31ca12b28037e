"""The events themselves."""

from __future__ import annotations

import time
from typing import Any, Dict

import pytest

from conftest import ROLES, SERVICE_URL, USERS, act, client_of, token_of
from rolecall import AuthenticationError, MemberRolesChanged, NetworkError, Reset, Rolecall, SessionRevoked

Given = Dict[str, Any]


def test_events_come_as_they_happen_and_go_on_after_the_last_one(kind: str, project: Given) -> None:
    act("roles", member=USERS["tomas"], role=ROLES["deckhand"])
    with client_of(kind, SERVICE_URL, project["key"]) as rolecall:
        # The service responds to an unknown ID with `reset`, which shows that the stream is open.
        events = rolecall.events(last_id="1-1-1", heartbeat_sec=1)
        assert isinstance(next(events), Reset)
        token = token_of(project, "tomas")
        session = rolecall.validate(token)
        assert session is not None
        act("roles", member=USERS["tomas"], role=ROLES["crew"])
        rolecall.logout(token)
        changed = next(event for event in events if isinstance(event, MemberRolesChanged))
        assert changed.member_id == USERS["tomas"]
        revoked = next(event for event in events if isinstance(event, SessionRevoked))
        assert (revoked.session_id, revoked.reason) == (session.session.id, "logout")
        again = rolecall.events(last_id=changed.id)
        assert next(event for event in again if isinstance(event, SessionRevoked)) == revoked


def test_a_lost_connection_loses_no_event(kind: str, project: Given) -> None:
    relay = act("relay")["url"]
    with client_of(kind, relay, project["key"]) as rolecall, Rolecall(SERVICE_URL, project["key"]) as other:
        events = rolecall.events(last_id="1-1-1", heartbeat_sec=1)
        next(events)
        tokens = [token_of(project, "yusra") for _ in range(3)]
        ids = [session.session.id for session in map(other.validate, tokens) if session is not None]
        other.logout(tokens[0])
        found = [next(event for event in events if isinstance(event, SessionRevoked)).session_id]
        act("cut", relay=relay)
        other.logout(tokens[1])
        act("mend", relay=relay)
        other.logout(tokens[2])
        while len(found) < 3:
            found.append(next(event for event in events if isinstance(event, SessionRevoked)).session_id)
        assert found == ids


def test_a_key_that_does_not_count_ends_the_events(kind: str) -> None:
    with client_of(kind, SERVICE_URL, "rck_nobody") as rolecall, pytest.raises(AuthenticationError):
        next(rolecall.events())


def test_an_address_where_nobody_listens_ends_them_too(kind: str) -> None:
    with client_of(kind, "http://127.0.0.1:1", "rck_nobody") as rolecall:
        from_ = time.monotonic()
        with pytest.raises(NetworkError):
            next(rolecall.events())
        assert time.monotonic() - from_ < 5

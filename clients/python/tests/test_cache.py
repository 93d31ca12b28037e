"""Answers from memory, kept current by the events of the service."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

import httpx
import pytest

from conftest import KINDS, ROLES, SERVICE_URL, USERS, act, client_of, log_in, role_ids, token_of
from rolecall import Cache, NetworkError, Rolecall

Given = Dict[str, Any]
#: So long that only events, or their absence, evict a cache entry.
CACHE = Cache(max_age_sec=600)
#: The guarantee: no answer is outdated by more than this, under any fault.
LONGEST_STALE_SEC = 5.0
#: The time for an event on a busy machine: well before the cache loses its trust without events.
AT_ONCE_SEC = 3.0


class Wire:
    """The connections of a client: the stream is relayed, and validations are counted."""

    def __init__(self) -> None:
        self.relay: str = act("relay")["url"]
        self.validations = 0

    def _on_the_way(self, request: httpx.Request) -> httpx.Request:
        if request.url.path.endswith("/validate"):
            self.validations += 1
        elif request.url.path.endswith("/events"):
            relay = httpx.URL(self.relay)
            request.url = request.url.copy_with(port=relay.port)
        return request

    def http_client(self, kind: str) -> Any:
        wire = self

        class Threads(httpx.HTTPTransport):
            def handle_request(self, request: httpx.Request) -> httpx.Response:
                return super().handle_request(wire._on_the_way(request))

        class Asyncio(httpx.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
                return await super().handle_async_request(wire._on_the_way(request))

        if kind == "threads":
            return httpx.Client(transport=Threads())
        return httpx.AsyncClient(transport=Asyncio())


class Site:
    def __init__(self, client: Rolecall, wire: Wire) -> None:
        self.client = client
        self.wire = wire

    def when_local(self, token: str) -> None:
        """Validates until answers come from memory."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            before = self.wire.validations
            self.client.validate(token)
            if self.wire.validations == before:
                return
            time.sleep(0.02)
        raise AssertionError("no answer came from memory")

    def stale_sec(self, change: Callable[[], object], is_true: Callable[[], bool]) -> float:
        """
        Validates continuously after a change. Returns for how many seconds the client still gave the outdated answer.
        """
        change()
        changed_at = stale_at = time.monotonic()
        while time.monotonic() - changed_at < LONGEST_STALE_SEC + 2:
            asked_at = time.monotonic()
            if is_true():
                break
            stale_at = asked_at
            time.sleep(0.001)
        return stale_at - changed_at


@contextmanager
def site_of(kind: str, project: Given, cache: Any = CACHE) -> Iterator[Site]:
    wire = Wire()
    with client_of(kind, SERVICE_URL, project["key"], cache=cache, http_client=wire.http_client(kind)) as client:
        yield Site(client, wire)


@pytest.fixture
def site(kind: str, project: Given) -> Iterator[Site]:
    with site_of(kind, project) as made:
        yield made


def end_elsewhere(project: Given, token: str) -> None:
    with Rolecall(SERVICE_URL, project["key"]) as other:
        other.logout(token)


def test_it_answers_from_memory_what_the_service_would(site: Site, project: Given) -> None:
    token = token_of(project)
    site.when_local(token)
    assert site.client.validate(token) == site.client.validate(token, cache=False)


def test_it_follows_what_happens_elsewhere_at_once(site: Site, project: Given) -> None:
    act("roles", member=USERS["tomas"], role=ROLES["deckhand"])
    token = token_of(project, "tomas")
    site.when_local(token)

    def wears() -> Optional[List[str]]:
        session = site.client.validate(token)
        return None if session is None else role_ids(session.roles)

    late = site.stale_sec(
        lambda: act("roles", member=USERS["tomas"], role=ROLES["captain"]), lambda: wears() == [ROLES["captain"]]
    )
    assert late < AT_ONCE_SEC
    site.when_local(token)
    assert site.stale_sec(lambda: end_elsewhere(project, token), lambda: wears() is None) < AT_ONCE_SEC


def test_a_member_who_leaves_is_out_at_once(site: Site, kind: str, project: Given) -> None:
    leaver = {"threads": "rosa", "asyncio": "layla"}[kind]
    token = token_of(project, leaver)
    site.when_local(token)
    kick = lambda: act("kick", member=USERS[leaver])  # noqa: E731
    assert site.stale_sec(kick, lambda: site.client.validate(token) is None) < AT_ONCE_SEC


def test_it_knows_its_own_logouts_and_refreshes_at_once(site: Site, project: Given) -> None:
    session = log_in(site.client, project)
    site.when_local(session.token)
    pair = site.client.refresh(session.token, session.refresh_token)
    assert site.client.validate(session.token) is None
    site.when_local(pair.token)
    site.client.logout(pair.token)
    assert site.client.validate(pair.token) is None
    last = token_of(project)
    site.when_local(last)
    site.client.logout_all(USERS["ada"])
    assert site.client.validate(last) is None


def test_it_keeps_a_bounded_number_of_sessions_the_most_recently_used(kind: str, project: Given) -> None:
    with site_of(kind, project, Cache(max_age_sec=600, max_entries=2)) as site:
        a, b, c = token_of(project), token_of(project), token_of(project)
        site.when_local(a)
        site.when_local(b)
        # Both were used: the next new entry gives them a second chance, in order, and evicts the first.
        site.when_local(c)
        before = site.wire.validations
        site.client.validate(b)
        site.client.validate(c)
        assert site.wire.validations == before
        site.client.validate(a)
        assert site.wire.validations == before + 1


def test_a_stream_that_was_closed_opens_again_where_it_was(kind: str, project: Given) -> None:
    wire = Wire()
    with client_of(kind, SERVICE_URL, project["key"], cache=CACHE, http_client=wire.http_client(kind)) as client:
        site = Site(client, wire)
        first, second = token_of(project), token_of(project)
        site.when_local(first)
        site.when_local(second)
        (client.close if kind == "threads" else client.aclose)()  # type: ignore[attr-defined]
        end_elsewhere(project, first)
        assert client.validate(first) is None
        site.when_local(second)
        assert client.validate(first) is None


def after_a_fault(project: Given, kind: str, fault: str, end: str, **given: str) -> float:
    """
    Returns for how many seconds a logout was not noticed after a fault of the stream. Checks that the client recovers.
    """
    with site_of(kind, project) as site:
        token = token_of(project)
        site.when_local(token)
        act(fault, relay=site.wire.relay, **given)
        stale = site.stale_sec(lambda: end_elsewhere(project, token), lambda: site.client.validate(token) is None)
        act(end, relay=site.wire.relay, ms="0")
        site.when_local(token_of(project))
        return stale


def after_an_outage(project: Given, kind: str) -> float:
    """Returns for how many seconds a client still answered after the service went down."""
    relay = act("relay")["url"]
    with client_of(kind, relay, project["key"], cache=CACHE, retries=0) as client:
        token = token_of(project)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            assert client.validate(token) is not None
            time.sleep(0.01)
        act("cut", relay=relay)
        from_ = answered_at = time.monotonic()
        with pytest.raises(NetworkError):
            while time.monotonic() - from_ < LONGEST_STALE_SEC + 2:
                asked_at = time.monotonic()
                client.validate(token)
                answered_at = asked_at
                time.sleep(0.001)
        return answered_at - from_


def by_default(project: Given, kind: str) -> float:
    """Returns for how many seconds an answer is used that no event evicts."""
    with site_of(kind, project, True) as site:
        token = token_of(project)
        site.when_local(token)
        before = site.wire.validations
        from_ = answered_at = time.monotonic()
        while True:
            asked_at = time.monotonic()
            site.client.validate(token)
            # The client called the service, so this answer is new.
            if site.wire.validations > before:
                return answered_at - from_
            answered_at = asked_at
            time.sleep(0.001)


def test_whatever_happens_to_the_stream_or_the_service_no_answer_is_older_than_five_seconds(project: Given) -> None:
    """Runs all cases at once, as each takes seconds."""
    cases: Dict[str, Callable[[str], float]] = {
        "frozen": lambda kind: after_a_fault(project, kind, "freeze", "thaw"),
        "cut": lambda kind: after_a_fault(project, kind, "cut", "mend"),
        "held up": lambda kind: after_a_fault(project, kind, "delay", "delay", ms="10000"),
        "away": lambda kind: after_an_outage(project, kind),
        "well": lambda kind: by_default(project, kind),
    }
    names = [(name, kind) for name in cases for kind in KINDS]
    with ThreadPoolExecutor(len(names)) as pool:
        seconds = dict(zip(names, pool.map(lambda case: cases[case[0]](case[1]), names)))
    assert {case: late for case, late in seconds.items() if late >= LONGEST_STALE_SEC} == {}
    # An answer that was never cached would not test its age.
    assert min(late for (name, _), late in seconds.items() if name in ("frozen", "away", "well")) > 1


def test_it_keeps_no_process_alive(kind: str, project: Given) -> None:
    """A program that never closes its client ends with its own work."""
    name = "Rolecall" if kind == "threads" else "AsyncRolecall"
    program = f"""
import asyncio, time, rolecall
client = rolecall.{name}({SERVICE_URL!r}, {project["key"]!r}, cache=True)
async def main():
    for _ in range(20):
        await client.validate({token_of(project)!r})
        await asyncio.sleep(0.05)
def work():
    for _ in range(20):
        client.validate({token_of(project)!r})
        time.sleep(0.05)
{"work()" if kind == "threads" else "asyncio.run(main())"}
print(time.time())
"""
    source = str(Path(__file__).parents[1] / "src")
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": source}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert time.time() - float(done.stdout) < 3

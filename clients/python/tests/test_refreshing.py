"""One refresh for each pair, in threads and in asyncio."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List

import httpx
import pytest

from conftest import SERVICE_URL
from refresh_cases import is_live, new_pair
from rolecall import AsyncRolecall, Rolecall, RolecallError
from rolecall.web.refreshing import Replacement, StoredSession, refresh, refresh_async

Before = Callable[[str], None]


def nothing(_path: str) -> None:
    pass


class Watched(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Connects to the service, counts requests, and can run an action before them."""

    def __init__(self, before: Before) -> None:
        self.paths: List[str] = []
        self._before = before
        self._http = httpx.HTTPTransport()
        self._async_http = httpx.AsyncHTTPTransport()

    def _note(self, request: httpx.Request) -> None:
        self.paths.append(request.url.path)
        self._before(request.url.path)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._note(request)
        return self._http.handle_request(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._note(request)
        return await self._async_http.handle_async_request(request)


def stored_from(pair: Dict[str, Any]) -> StoredSession:
    now = int(time.time())
    return StoredSession(pair["token"], pair["refreshToken"], now - 100, now + 60)


def replace(kind: str, key: str, stored: StoredSession, way: Watched, times: int = 1) -> List[Replacement]:
    """All at the same moment."""
    if kind == "threads":
        with Rolecall(SERVICE_URL, key, retries=0, http_client=httpx.Client(transport=way)) as rolecall:
            with ThreadPoolExecutor(times) as pool:
                return list(pool.map(lambda _: refresh(rolecall, stored), range(times)))

    async def all_at_once() -> List[Replacement]:
        http_client = httpx.AsyncClient(transport=way)
        async with AsyncRolecall(SERVICE_URL, key, retries=0, http_client=http_client) as rolecall:
            return list(await asyncio.gather(*(refresh_async(rolecall, stored) for _ in range(times))))

    return asyncio.run(all_at_once())


def test_all_who_bring_a_pair_at_once_get_the_one_that_replaces_it(kind: str, project: Dict[str, Any]) -> None:
    way = Watched(nothing)
    replacements = replace(kind, project["key"], stored_from(new_pair(project)), way, 20)
    assert len(set(replacements)) == 1 and replacements[0] is not None
    assert way.paths.count("/api/auth/token/refresh") == 1
    assert is_live(project, replacements[0].token)


def test_a_pair_that_another_process_replaces_meanwhile_is_no_error(kind: str, project: Dict[str, Any]) -> None:
    pair = new_pair(project)

    def be_first(path: str) -> None:
        if path == "/api/auth/token/refresh":
            with Rolecall(SERVICE_URL, project["key"]) as elsewhere:
                newer.append(elsewhere.refresh(pair["token"], pair["refreshToken"]).token)

    newer: List[str] = []
    assert replace(kind, project["key"], stored_from(pair), Watched(be_first)) == [None]
    assert is_live(project, newer[0])


def test_a_pair_that_is_not_live_is_never_sent(kind: str, project: Dict[str, Any]) -> None:
    pair = new_pair(project)
    with Rolecall(SERVICE_URL, project["key"]) as elsewhere:
        elsewhere.logout(pair["token"])
    way = Watched(nothing)
    assert replace(kind, project["key"], stored_from(pair), way) == [None]
    assert way.paths == ["/api/auth/validate"]


def test_a_refresh_that_fails_leaves_the_pair_for_another_try(kind: str, project: Dict[str, Any]) -> None:
    stored = stored_from(new_pair(project))

    def fail(_path: str) -> None:
        raise httpx.ConnectError("away")

    with pytest.raises(RolecallError) as raised:
        replace(kind, project["key"], stored, Watched(fail))
    assert raised.value.code == "NETWORK_ERROR"
    [replacement] = replace(kind, project["key"], stored, Watched(nothing))
    assert replacement is not None and is_live(project, replacement.token)


def test_a_key_that_is_refused_is_no_end_of_the_session(kind: str, project: Dict[str, Any]) -> None:
    stored = stored_from(new_pair(project))
    with pytest.raises(RolecallError) as raised:
        replace(kind, "rck_of_nobody", stored, Watched(nothing))
    assert raised.value.code == "INVALID_API_KEY"
    assert is_live(project, stored.token)

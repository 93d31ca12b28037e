"""
The fixtures of the tests: a real service, which `python.test.ts` starts, and its "door", an HTTP server for actions
that a client cannot do, such as to change a member's roles.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from contextlib import contextmanager
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Union, cast
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from rolecall import AsyncRolecall, NewSession, Rolecall, mint_login

TERMS: Dict[str, Any] = json.loads(os.environ["ROLECALL_TEST"])
SERVICE_URL: str = TERMS["serviceUrl"]
SERVER: str = TERMS["serverId"]
USERS: Dict[str, str] = TERMS["users"]
ROLES: Dict[str, str] = TERMS["roles"]
#: A token that has the form of a session token, but is not valid.
NO_TOKEN = "rcs_" + "a" * 49
REDIRECT_URI = "https://site.example/callback?keep=1"


def act(action: str, **given: str) -> Dict[str, Any]:
    reply = httpx.post(f"{TERMS['door']}/{action}", json=given, timeout=30)
    assert reply.status_code == 200, reply.text
    return cast(Dict[str, Any], reply.json())


class Blocking:
    """Gives the client for asyncio the same methods as the client for threads, so that both run the same tests."""

    def __init__(self, make: Callable[[], AsyncRolecall]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._iterators: List[Any] = []
        self._client = self._wait(self._make(make))
        self.webhooks = Waiting(self, self._client.webhooks)

    def __repr__(self) -> str:
        return repr(self._client)

    def __getattr__(self, name: str) -> Any:
        return getattr(Waiting(self, self._client), name)

    def close(self) -> None:
        for iterator in self._iterators:
            self._wait(iterator.aclose())
        self._wait(self._client.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _make(self, make: Callable[[], AsyncRolecall]) -> AsyncRolecall:
        return make()

    def _wait(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    def _iterate(self, iterator: AsyncIterator[Any]) -> Iterator[Any]:
        self._iterators.append(iterator)
        while True:
            try:
                yield self._wait(iterator.__anext__())
            except StopAsyncIteration:
                return


class Waiting:
    def __init__(self, blocking: Blocking, target: Any) -> None:
        self._blocking = blocking
        self._target = target

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._target, name)

        def call(*args: Any, **options: Any) -> Any:
            result = attribute(*args, **options)
            if asyncio.iscoroutine(result):
                return self._blocking._wait(result)
            return self._blocking._iterate(result) if hasattr(result, "__anext__") else result

        return call if callable(attribute) else attribute


KINDS = ["threads", "asyncio"]


@contextmanager
def client_of(kind: str, base_url: str, api_key: str, **options: Any) -> Iterator[Rolecall]:
    made: Union[Rolecall, Blocking]
    if kind == "threads":
        made = Rolecall(base_url, api_key, **options)
    else:
        made = Blocking(lambda: AsyncRolecall(base_url, api_key, **options))
    try:
        yield cast(Rolecall, made)
    finally:
        made.close()


@pytest.fixture(scope="session")
def project() -> Dict[str, Any]:
    return act("project")


@pytest.fixture(scope="session", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def rolecall(kind: str, project: Dict[str, Any]) -> Iterator[Rolecall]:
    with client_of(kind, SERVICE_URL, project["key"]) as client:
        yield client


def walk(url: str, as_user: str = "ada") -> str:
    """Signs in with a person's browser, from the authorize address to the final redirect."""
    with httpx.Client() as browser:
        screen = browser.get(url).headers["location"]
        back = httpx.get(f"{screen}&login_as={USERS[as_user]}&auto=1").headers["location"]
        return browser.get(back).headers["location"]


def query_of(url: str) -> Dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def code_of(rolecall: Rolecall, project: Dict[str, Any], as_user: str = "ada") -> Dict[str, Any]:
    """Signs in, and returns the arguments for an exchange."""
    login = mint_login()
    url = rolecall.authorize_url(
        client_id=project["id"],
        redirect_uri=REDIRECT_URI,
        server_id=SERVER,
        state=login.state,
        code_verifier=login.code_verifier,
    )
    end = query_of(walk(url, as_user))
    assert end["state"] == login.state
    return {
        "client_id": project["id"],
        "code": end["code"],
        "redirect_uri": REDIRECT_URI,
        "code_verifier": login.code_verifier,
    }


def log_in(rolecall: Rolecall, project: Dict[str, Any], as_user: str = "ada") -> NewSession:
    return rolecall.exchange(**code_of(rolecall, project, as_user))


def token_of(project: Dict[str, Any], as_user: str = "ada") -> str:
    """Returns the token of a session that was created without a sign-in."""
    return str(act("session", id=project["id"], key=project["key"], **{"as": USERS[as_user]})["token"])


def role_ids(roles: Any) -> List[str]:
    return [role.role_id for role in roles]

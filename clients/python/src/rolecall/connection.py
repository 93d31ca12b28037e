"""The common part of both clients: the checks of address and key, settings of httpx, and the conversion of failures."""

from __future__ import annotations

import os
import re
import socket
import weakref
from typing import Dict, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import urlsplit

import httpx

from .errors import RolecallError, network_error, timeout_error
from .login import authorize_url
from .models import Session
from .session_cache import Cache

#: The limits of the connection pool. The service closes connections that are idle for longer than ``keepalive_expiry``.
limits = httpx.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=4.0)


def _without_delay(name: str, info: Mapping[str, object]) -> None:
    """
    Sets ``TCP_NODELAY`` on each new connection. The headers and the body of a request are two packets. Without this
    option, the second packet waits for the acknowledgment of the first, which adds 40 ms to each call. Newer versions
    of httpcore and asyncio set the option themselves.
    """
    if name == "connection.connect_tcp.complete":
        stream = info.get("return_value")
        connection = getattr(stream, "get_extra_info", lambda _: None)("socket")
        if isinstance(connection, socket.socket):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


#: The extensions of httpx for each request. Pass a copy, because older versions of httpx modify it.
extensions: Dict[str, object] = {"trace": _without_delay}
async_extensions: Dict[str, object] = {}

#: The format of a session token. Other values are not sent to the service, because anyone can invent a cookie, and each
#: call with an invalid token counts against the project's rate limit.
_session_token = re.compile(r"rcs_[0-9A-Za-z]{49}")


class Project:
    """The common base of both clients. Validates the address and the key, and sends nothing itself."""

    def __init__(self, base_url: str, api_key: str, timeout_sec: float) -> None:
        if not base_url:
            raise ValueError("base_url is missing: the address of the service, such as https://rolecall.example")
        parts = urlsplit(str(base_url))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url must begin with https:// (or http://) and name a host")
        if re.search("/api/*$", parts.path):
            raise ValueError("base_url must not end with /api, because the client adds it")
        if not api_key:
            raise ValueError("api_key is missing: the key of the project, rck_…")
        # A key read from a file or a terminal often ends with a line break.
        if re.fullmatch(r"[\x21-\x7e]+\s+", api_key):
            raise ValueError("api_key ends with a space or a line break. Remove it, for example with strip()")
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key must be the key of a project, rck_…, without spaces or line breaks")
        self._base_url = str(base_url).rstrip("/")
        self._api_key = api_key
        self._timeout_sec = timeout_sec
        _projects.add(self)

    def __repr__(self) -> str:
        """Omits the key, so that logging the client does not reveal it."""
        return f"{type(self).__name__}({self._base_url!r})"

    @property
    def base_url(self) -> str:
        return self._base_url

    def authorize_url(
        self,
        *,
        client_id: str,
        redirect_uri: str,
        server_id: str,
        state: str,
        code_verifier: Optional[str] = None,
        sso: bool = False,
        ui_locales: Optional[str] = None,
    ) -> str:
        """
        Returns the URL to which you send a browser to sign in. The browser returns to ``redirect_uri`` with ``code``,
        ``state`` and ``iss``, or with ``error``, ``error_description``, ``state`` and ``iss``.

        ``sso`` skips Discord's consent screen in a browser that has signed in before. ``ui_locales`` are the languages
        for the service's pages, in order of preference: BCP 47 tags, separated by spaces.
        """
        return authorize_url(
            self._base_url,
            client_id=client_id,
            redirect_uri=redirect_uri,
            server_id=server_id,
            state=state,
            code_verifier=code_verifier,
            sso=sso,
            ui_locales=ui_locales,
        )

    def _reset_after_fork(self) -> None:
        """
        Replaces connections, threads, and locks in a child process after a fork. They belong to the parent: on a shared
        connection, each process would read responses to the other.
        """
        raise NotImplementedError

    def _failure(self, reason: Exception, timeout_sec: float) -> RolecallError:
        if isinstance(reason, (httpx.TimeoutException, OutOfTime)):
            return timeout_error(self._base_url, timeout_sec)
        # The message of a protocol error may quote a header, and headers contain the key.
        is_quoting = isinstance(reason, httpx.ProtocolError) or not str(reason)
        return network_error(self._base_url, type(reason).__name__ if is_quoting else str(reason))


#: All clients of this process, which must be reset after a fork.
_projects: weakref.WeakSet[Project] = weakref.WeakSet()


def _reset_all_after_fork() -> None:
    for project in list(_projects):
        project._reset_after_fork()


# Windows has no fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all_after_fork)


class OutOfTime(Exception):
    """Raised if the time of a call ends before its response is complete."""


class InheritedTransport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """
    Fails every request. In a child process, it replaces the transport of an ``http_client`` that the app created,
    because its connections belong to the parent.
    """

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        raise RuntimeError(_inherited)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise RuntimeError(_inherited)


_inherited = (
    "This process was forked from the process that created http_client and must not use its connections: "
    "make http_client and the client of Rolecall after the fork, in each process"
)


def may_be_session_token(token: str) -> bool:
    """Returns true if a value has the format of a session token."""
    return _session_token.fullmatch(token) is not None


def connection_by_environment() -> Tuple[str, str]:
    """Returns ``ROLECALL_URL`` and ``ROLECALL_API_KEY`` from the environment."""
    url, key = read_environment("ROLECALL_URL", "ROLECALL_API_KEY")
    return url, key


def read_environment(*names: str) -> Sequence[str]:
    """Returns environment variables. Raises ValueError that names all variables that are missing or empty."""
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise ValueError(f"Missing in the environment: {', '.join(missing)}")
    return [os.environ[name] for name in names]


def cache_of(cache: Union[bool, Cache]) -> Cache:
    return cache if isinstance(cache, Cache) else Cache()


def none_if_not_live(error: RolecallError) -> Optional[Session]:
    """
    Returns None if an error means that a session is not live. Raises every other error, so that an outage is never
    mistaken for a logout. Anyone can write any value into a cookie. So a value that does not look like a token counts
    as an expired token.
    """
    if error.code in ("INVALID_TOKEN", "VALIDATION_FAILED", "PAYLOAD_TOO_LARGE"):
        return None
    raise error

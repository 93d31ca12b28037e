"""What both clients have in common: where the service is, and how its answers become results or errors."""

from __future__ import annotations

import os
import re
from typing import Optional, Sequence, Tuple, Union
from urllib.parse import urlsplit

import httpx

from .errors import RolecallError, network_error, timeout_error
from .login import authorize_url
from .models import Session
from .session_cache import Cache

#: The service closes connections that nobody has used for longer.
limits = httpx.Limits(max_connections=200, max_keepalive_connections=20, keepalive_expiry=4.0)


class Project:
    """A project's connection to Rolecall, without the network."""

    def __init__(self, base_url: str, api_key: str, timeout_sec: float) -> None:
        if not base_url:
            raise ValueError("base_url is missing: the address of the service, such as https://rolecall.example")
        parts = urlsplit(str(base_url))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url must begin with https:// (or http://) and name a host")
        if not api_key:
            raise ValueError("api_key is missing: the key of the project, rck_…")
        if not re.fullmatch(r"[\x21-\x7e]+", api_key):
            raise ValueError("api_key must be the key of a project: rck_…")
        self._base_url = str(base_url).rstrip("/")
        self._api_key = api_key
        self._timeout_sec = timeout_sec

    def __repr__(self) -> str:
        """Without the key, so that a logged client does not show it."""
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
    ) -> str:
        """
        The address to send a browser to for a login. It comes back to ``redirect_uri`` with ``code``, ``state`` and
        ``iss``, or with ``error``, ``error_description``, ``state`` and ``iss``.

        ``sso`` skips the chat platform's screen for a browser that logged in before.
        """
        return authorize_url(
            self._base_url,
            client_id=client_id,
            redirect_uri=redirect_uri,
            server_id=server_id,
            state=state,
            code_verifier=code_verifier,
            sso=sso,
        )

    def _failure(self, reason: Exception, timeout_sec: float) -> RolecallError:
        if isinstance(reason, (httpx.TimeoutException, OutOfTime)):
            return timeout_error(self._base_url, timeout_sec)
        # The message of a protocol error may quote a header, and headers carry the key.
        is_quoting = isinstance(reason, httpx.ProtocolError) or not str(reason)
        return network_error(self._base_url, type(reason).__name__ if is_quoting else str(reason))


class OutOfTime(Exception):
    """The answer was still coming when the call's time was over."""


def connection_by_environment() -> Tuple[str, str]:
    """``ROLECALL_URL`` and ``ROLECALL_API_KEY``; every missing name at once."""
    url, key = read_environment("ROLECALL_URL", "ROLECALL_API_KEY")
    return url, key


def read_environment(*names: str) -> Sequence[str]:
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise ValueError(f"Missing in the environment: {', '.join(missing)}")
    return [os.environ[name] for name in names]


def cache_of(cache: Union[bool, Cache]) -> Cache:
    return cache if isinstance(cache, Cache) else Cache()


def none_if_not_live(error: RolecallError) -> Optional[Session]:
    """
    Tokens come from cookies, which anyone can write: one that does not even look like a token is as much "not logged
    in" as one that has expired. Raises everything else, so that an outage is never mistaken for a logout.
    """
    if error.code in ("INVALID_TOKEN", "VALIDATION_FAILED", "PAYLOAD_TOO_LARGE"):
        return None
    raise error

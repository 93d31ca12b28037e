"""
Describes every call of a project as a ``Call``: the request, the parser of the response, and whether a retry is safe.
Nothing here uses the network, so both clients use it, the one with threads and the one with asyncio.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Callable, Generic, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from . import json_values as read
from .errors import RolecallError, error_of, unexpected_response
from .models import CheckedMember, MemberPage, NewSession, PermissionCheck, ServerMember, Session, SessionListItem, Submission
from .signing import sign

T = TypeVar("T")


class Received(NamedTuple):
    """A response with its complete body."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def refusal(self) -> Optional[RolecallError]:
        """Returns the error of a response that is not a success, or None."""
        return None if 200 <= self.status < 300 else error_of(self.status, self.headers, self.content)


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call: its request, and how to parse its response."""

    method: str
    path: str
    parse: Callable[[object], T]
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Optional[bytes] = field(default=None, repr=False)
    #: True if a retry is safe, because sending the call twice has the same effect as sending it once.
    is_repeatable: bool = False
    #: The secret with which each attempt is signed. A signature is valid only once, so a retry needs a new one.
    signing_secret: Optional[str] = field(default=None, repr=False)

    def headers_now(self) -> Mapping[str, str]:
        """Returns the headers for one attempt, with a new signature if the call is signed."""
        headers = {"accept": "application/json", **self.headers}
        if self.body is not None:
            headers["content-type"] = "application/json"
        if self.signing_secret is not None:
            headers["x-svc-signature"] = sign(self.body or b"", self.signing_secret)
        return headers

    def read(self, received: Received) -> T:
        """Parses the body of a successful response. Raises ``UNEXPECTED_RESPONSE`` if the service did not send it."""
        try:
            return self.parse(json.loads(received.content) if received.content else None)
        except ValueError:
            raise unexpected_response(received.status, received.headers) from None


@dataclass(frozen=True)
class Pair:
    """The two tokens of a session. Keep them on your server, and replace both after a refresh."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime

    @classmethod
    def from_json(cls, value: object) -> Pair:
        data = read.as_object(value)
        return cls(read.text(data, "accessToken"), read.text(data, "refreshToken"), read.time(data, "expiresAt"))


@dataclass(frozen=True)
class Client:
    """The browser that signs in. The member sees its IP address and user agent in the list of sessions."""

    ip: Optional[str] = None
    user_agent: Optional[str] = None


def exchange(
    key: str,
    client_id: str,
    code: str,
    redirect_uri: str,
    code_verifier: Optional[str],
    client: Optional[Client],
) -> Call[NewSession]:
    body = {"clientId": client_id, "code": code, "redirectUri": redirect_uri}
    if code_verifier is not None:
        body["codeVerifier"] = code_verifier
    headers = {**_as_project(key)}
    if client is not None and client.ip:
        headers["x-client-ip"] = _header_safe(client.ip)
    if client is not None and client.user_agent:
        headers["x-client-user-agent"] = _header_safe(client.user_agent)
    # Never retried: a second use of a code revokes the session that the first one created.
    return Call("POST", "/api/auth/token", NewSession.from_json, headers, _json(body))


def validate(key: str, token: str) -> Call[Session]:
    return _post("/api/auth/validate", {"token": token}, Session.from_json, _as_project(key), is_repeatable=True)


def logout(key: str, token: str) -> Call[None]:
    return _post("/api/auth/logout", {"token": token}, _nothing, _as_project(key), is_repeatable=True)


def logout_all(key: str, member_id: str) -> Call[None]:
    return _post("/api/auth/logout-all", {"memberId": member_id}, _nothing, _as_project(key), is_repeatable=True)


def refresh(token: str, refresh_token: str) -> Call[Pair]:
    # Never retried: a pair is valid once, and the use of an old one counts as theft.
    return _post("/api/auth/token/refresh", {"refreshToken": refresh_token}, Pair.from_json, _as_member(token))


def sessions(token: str) -> Call[Tuple[SessionListItem, ...]]:
    def parse(value: object) -> Tuple[SessionListItem, ...]:
        return read.items(read.as_object(value), "sessions", SessionListItem.from_json)

    return Call("GET", "/api/auth/sessions", parse, _as_member(token), is_repeatable=True)


def revoke_session(token: str, session_id: str) -> Call[None]:
    # Not retried, because the service would respond with SESSION_NOT_FOUND to the second attempt.
    return Call("DELETE", f"/api/auth/sessions/{_segment(session_id)}", _nothing, _as_member(token))


def member_page(key: str, server_id: str, cursor: Optional[str], page_size: int) -> Call[MemberPage]:
    query = {"limit": str(page_size), **({} if cursor is None else {"cursor": cursor})}
    path = f"/api/servers/{_segment(server_id)}/members?{urlencode(query)}"
    return Call("GET", path, MemberPage.from_json, _as_project(key), is_repeatable=True)


def member_changes(key: str, server_id: str, since: Optional[str]) -> Call[MemberPage]:
    query = {"limit": "1"} if since is None else {"limit": "100", "changedSince": since}
    path = f"/api/servers/{_segment(server_id)}/members?{urlencode(query)}"
    return Call("GET", path, MemberPage.from_json, _as_project(key), is_repeatable=True)


def member(key: str, server_id: str, member_id: str) -> Call[ServerMember]:
    path = f"/api/servers/{_segment(server_id)}/members/{_segment(member_id)}"
    return Call("GET", path, ServerMember.from_json, _as_project(key), is_repeatable=True)


def check_permissions(
    key: str,
    server_id: str,
    member_id: str,
    any_of: Optional[Sequence[str]],
    all_of: Optional[Sequence[str]],
) -> Call[PermissionCheck]:
    body: dict[str, Union[str, List[str]]] = {"memberId": member_id}
    if any_of is not None:
        body["anyOf"] = list(any_of)
    if all_of is not None:
        body["allOf"] = list(all_of)
    path = f"/api/servers/{_segment(server_id)}/permissions/check"
    return _post(path, body, PermissionCheck.from_json, _as_project(key), is_repeatable=True)


def check_many_permissions(
    key: str,
    server_id: str,
    member_ids: Sequence[str],
    any_of: Optional[Sequence[str]],
    all_of: Optional[Sequence[str]],
) -> Call[Tuple[CheckedMember, ...]]:
    def parse(value: object) -> Tuple[CheckedMember, ...]:
        return read.items(read.as_object(value), "data", CheckedMember.from_json)

    body: dict[str, List[str]] = {"memberIds": list(member_ids)}
    if any_of is not None:
        body["anyOf"] = list(any_of)
    if all_of is not None:
        body["allOf"] = list(all_of)
    path = f"/api/servers/{_segment(server_id)}/permissions/check-many"
    return _post(path, body, parse, _as_project(key), is_repeatable=True)


def submit(
    key: str,
    webhook: str,
    payload: object,
    secret: Optional[str],
    idempotency_key: Optional[str],
    origin: Optional[str],
) -> Call[Submission]:
    headers = {**_as_project(key)}
    if idempotency_key is not None:
        headers["idempotency-key"] = idempotency_key
    if origin is not None:
        headers["origin"] = origin
    return Call(
        "POST",
        f"/api/inbound-webhooks/{_segment(webhook)}/submit",
        Submission.from_json,
        headers,
        payload if isinstance(payload, bytes) else _json(payload),
        # Without the key, a retry would create a second submission.
        is_repeatable=idempotency_key is not None,
        signing_secret=secret,
    )


def _post(
    path: str,
    body: object,
    parse: Callable[[object], T],
    headers: Mapping[str, str],
    is_repeatable: bool = False,
) -> Call[T]:
    return Call("POST", path, parse, headers, _json(body), is_repeatable)


def _json(value: object) -> bytes:
    # `ensure_ascii` (the default) escapes lone surrogates, which cannot be encoded as UTF-8. The service rejects them
    # and names the field.
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def _nothing(value: object) -> None:
    return None


def _as_project(key: str) -> Mapping[str, str]:
    return {"x-api-key": key}


def _as_member(token: str) -> Mapping[str, str]:
    return {"authorization": f"Bearer {_header_safe(token)}"}


def _segment(value: str) -> str:
    """Encodes an ID for a path. Also encodes dots, because a segment ``.`` or ``..`` would change the path."""
    return quote(value, safe="").replace(".", "%2E")


def _header_safe(value: str) -> str:
    """
    Removes the characters that a header must not contain. Some headers repeat values from browsers, such as a user
    agent, and no such value may fail a sign-in.
    """
    return re.sub(r"[^\x20-\x7e]", "", value).strip()

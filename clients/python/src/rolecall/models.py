# Made by `npm run docs` from packages/contract. Do not edit.
"""What the service answers. Times know their zone; what is not there is `None`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Mapping, Optional, Tuple, Union

from . import json_values as read

#: Every reason for which a call fails. A newer service may send codes that this version does not list.
ErrorCode = Literal[
    "VALIDATION_FAILED",
    "MALFORMED_JSON",
    "BAD_REQUEST",
    "UNKNOWN_PROJECT",
    "LOGIN_REQUEST_INVALID",
    "CHALLENGE_WITHOUT_VERIFIER",
    "LOGIN_REQUIRED",
    "PROXY_NOT_TRUSTED",
    "FORWARDED_REQUEST_INVALID",
    "LOGIN_LOOP",
    "HOST_UNKNOWN",
    "ROLE_LACKING",
    "LOGIN_REFUSED",
    "INVALID_API_KEY",
    "PROJECT_INACTIVE",
    "INVALID_TOKEN",
    "INVALID_CODE",
    "INVALID_REFRESH_TOKEN",
    "REFRESH_TOKEN_SUPERSEDED",
    "REFRESH_TOKEN_REUSED",
    "INVALID_METRICS_TOKEN",
    "SIGNATURE_INVALID",
    "REDIRECT_URI_NOT_ALLOWED",
    "SERVER_NOT_ACCESSIBLE",
    "SCOPE_REQUIRED",
    "OPERATION_REQUIRED",
    "ROLE_REQUIRED",
    "ORIGIN_NOT_ALLOWED",
    "NOT_SYSTEM_ADMIN",
    "MEMBER_BLOCKED",
    "METRICS_LOCAL_ONLY",
    "CROSS_SITE_REQUEST",
    "NAVIGATION_REQUIRED",
    "NOT_FOUND",
    "PROJECT_NOT_FOUND",
    "SERVER_NOT_FOUND",
    "SESSION_NOT_FOUND",
    "API_KEY_NOT_FOUND",
    "MEMBER_NOT_FOUND",
    "REDIRECT_URI_NOT_FOUND",
    "ACCESS_NOT_FOUND",
    "IMAGE_NOT_FOUND",
    "WEBHOOK_NOT_FOUND",
    "DELIVERY_NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "REQUEST_TIMEOUT",
    "OWN_ACCOUNT",
    "HOST_TAKEN",
    "PROJECT_NAME_TAKEN",
    "NO_REVOKED_KEY",
    "API_KEY_LIMIT_REACHED",
    "MAIN_SERVER_EXISTS",
    "MAIN_SERVER_REQUIRED",
    "SERVER_EXISTS",
    "WEBHOOK_LIMIT_REACHED",
    "WEBHOOK_SLUG_TAKEN",
    "WEBHOOK_URL_MISSING",
    "EVENTS_URL_MISSING",
    "LOGOUT_URI_MISSING",
    "SIGNATURE_REPLAYED",
    "CURSOR_UNKNOWN",
    "WEBHOOK_INACTIVE",
    "PAYLOAD_TOO_LARGE",
    "URI_TOO_LONG",
    "UNSUPPORTED_MEDIA_TYPE",
    "EXPECTATION_FAILED",
    "PAYLOAD_INVALID",
    "IDEMPOTENCY_KEY_REUSED",
    "BOT_NOT_IN_SERVER",
    "RATE_LIMITED",
    "HEADERS_TOO_LARGE",
    "INTERNAL_ERROR",
    "ENCRYPTION_KEY_MISSING",
    "SECRET_UNREADABLE",
    "CHAT_PLATFORM_UNAVAILABLE",
    "LOGIN_NOT_CONFIGURED",
    "DATABASE_UNAVAILABLE",
    "SERVICE_OVERLOADED",
    "SHUTTING_DOWN",
    "NETWORK_ERROR",
    "TIMEOUT",
    "UNEXPECTED_RESPONSE",
]


@dataclass(frozen=True)
class ProblemDetail:
    """One thing that is wrong with a request."""

    #: JSON Pointer into the body, or into the query or path parameters.
    path: str
    message: str
    code: str

    @classmethod
    def from_json(cls, value: object) -> ProblemDetail:
        data = read.as_object(value)
        return cls(
            read.text(data, "path"),
            read.text(data, "message"),
            read.text(data, "code"),
        )


@dataclass(frozen=True)
class Role:
    """A role of a member in a server."""

    role_id: str
    role_name: str
    #: Decimal RGB; null is no colour.
    role_color: Optional[int]
    #: Higher stands above lower.
    role_position: Optional[int]

    @classmethod
    def from_json(cls, value: object) -> Role:
        data = read.as_object(value)
        return cls(
            read.text(data, "roleId"),
            read.text(data, "roleName"),
            read.optional_integer(data, "roleColor"),
            read.optional_integer(data, "rolePosition"),
        )


@dataclass(frozen=True)
class Member:
    """Who has logged in."""

    id: str
    username: str
    #: Is a member of the main server now.
    is_club_member: bool
    #: Full CDN address.
    avatar: Optional[str]
    #: Nickname in the server.
    display_name: Optional[str]
    #: As the account had it at the last login.
    email: Optional[str]
    global_name: Optional[str]
    #: When the account was created on the chat platform. When they joined a server is `joinedAt` of the member lists.
    joined_at: Optional[datetime]
    #: Set by an admin; overrides the display name.
    preferred_name: Optional[str]
    created_at: datetime
    updated_at: datetime
    synced_at: Optional[datetime]

    @classmethod
    def from_json(cls, value: object) -> Member:
        data = read.as_object(value)
        return cls(
            read.text(data, "id"),
            read.text(data, "username"),
            read.flag(data, "isClubMember"),
            read.optional_text(data, "avatar"),
            read.optional_text(data, "displayName"),
            read.optional_text(data, "email"),
            read.optional_text(data, "globalName"),
            read.optional_time(data, "joinedAt"),
            read.optional_text(data, "preferredName"),
            read.time(data, "createdAt"),
            read.time(data, "updatedAt"),
            read.optional_time(data, "syncedAt"),
        )


@dataclass(frozen=True)
class SessionSummary:
    """A session as its project sees it."""

    id: str
    server_id: str
    created_at: datetime
    expires_at: datetime

    @classmethod
    def from_json(cls, value: object) -> SessionSummary:
        data = read.as_object(value)
        return cls(
            read.text(data, "id"),
            read.text(data, "serverId"),
            read.time(data, "createdAt"),
            read.time(data, "expiresAt"),
        )


@dataclass(frozen=True)
class Session:
    """A live session: who it is, and what roles they hold in its server right now."""

    member: Member
    #: Roles in the server of the session, now; highest first.
    roles: Tuple[Role, ...]
    session: SessionSummary
    roles_as_of: datetime
    roles_source: str

    @classmethod
    def from_json(cls, value: object) -> Session:
        data = read.as_object(value)
        return cls(
            read.item(data, "member", Member.from_json),
            read.items(data, "roles", Role.from_json),
            read.item(data, "session", SessionSummary.from_json),
            read.time(data, "rolesAsOf"),
            read.text(data, "rolesSource"),
        )


@dataclass(frozen=True)
class NewSession:
    """What an exchange answers: the pair to keep, and who has logged in."""

    token: str = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime
    member: Member
    roles: Tuple[Role, ...]

    @classmethod
    def from_json(cls, value: object) -> NewSession:
        data = read.as_object(value)
        return cls(
            read.text(data, "token"),
            read.text(data, "refreshToken"),
            read.time(data, "expiresAt"),
            read.item(data, "member", Member.from_json),
            read.items(data, "roles", Role.from_json),
        )


@dataclass(frozen=True)
class ClientInfo:
    """The browser that a session was made for."""

    ip_address: Optional[str]
    user_agent: Optional[str]

    @classmethod
    def from_json(cls, value: object) -> ClientInfo:
        data = read.as_object(value)
        return cls(
            read.optional_text(data, "ipAddress"),
            read.optional_text(data, "userAgent"),
        )


@dataclass(frozen=True)
class SessionListItem:
    """One of the sessions of a member. Never carries a token."""

    id: str
    #: A session of a project, of the administration, or the single sign-on of a browser.
    kind: str
    created_at: datetime
    expires_at: datetime
    project_id: Optional[str]
    server_id: Optional[str]
    #: The browser that it was made for. Null where the session that asks is of another project.
    client_info: Optional[ClientInfo]

    @classmethod
    def from_json(cls, value: object) -> SessionListItem:
        data = read.as_object(value)
        return cls(
            read.text(data, "id"),
            read.text(data, "kind"),
            read.time(data, "createdAt"),
            read.time(data, "expiresAt"),
            read.optional_text(data, "projectId"),
            read.optional_text(data, "serverId"),
            read.optional_item(data, "clientInfo", ClientInfo.from_json),
        )


@dataclass(frozen=True)
class ServerMember:
    """A member of one server."""

    member_id: str
    username: str
    global_name: Optional[str]
    #: Nickname in the server.
    display_name: Optional[str]
    #: Full CDN address.
    avatar: Optional[str]
    #: When they joined this server. In a session’s `member` it is when the account was created.
    joined_at: Optional[datetime]
    roles: Tuple[Role, ...]

    @classmethod
    def from_json(cls, value: object) -> ServerMember:
        data = read.as_object(value)
        return cls(
            read.text(data, "memberId"),
            read.text(data, "username"),
            read.optional_text(data, "globalName"),
            read.optional_text(data, "displayName"),
            read.optional_text(data, "avatar"),
            read.optional_time(data, "joinedAt"),
            read.items(data, "roles", Role.from_json),
        )


@dataclass(frozen=True)
class RemovedMember:
    """Somebody who is no member any more."""

    member_id: str
    left_at: datetime

    @classmethod
    def from_json(cls, value: object) -> RemovedMember:
        data = read.as_object(value)
        return cls(
            read.text(data, "memberId"),
            read.time(data, "leftAt"),
        )


@dataclass(frozen=True)
class MemberPage:
    """Some members of a server."""

    data: Tuple[ServerMember, ...]
    next_cursor: Optional[str]
    #: On the first page, and with `changedSince`: where changes are asked for next.
    change_cursor: Optional[str]
    removed: Optional[Tuple[RemovedMember, ...]]
    roles: Optional[Tuple[Role, ...]]
    has_more: Optional[bool]

    @classmethod
    def from_json(cls, value: object) -> MemberPage:
        data = read.as_object(value)
        return cls(
            read.items(data, "data", ServerMember.from_json),
            read.optional_text(data, "nextCursor"),
            read.optional_text(data, "changeCursor"),
            read.optional_items(data, "removed", RemovedMember.from_json),
            read.optional_items(data, "roles", Role.from_json),
            read.optional_flag(data, "hasMore"),
        )


@dataclass(frozen=True)
class PermissionCheck:
    """Whether a member holds roles right now."""

    allowed: bool
    is_member: bool
    roles: Tuple[Role, ...]

    @classmethod
    def from_json(cls, value: object) -> PermissionCheck:
        data = read.as_object(value)
        return cls(
            read.flag(data, "allowed"),
            read.flag(data, "isMember"),
            read.items(data, "roles", Role.from_json),
        )


@dataclass(frozen=True)
class CheckedMember:
    """What a check of many members says of one."""

    member_id: str
    allowed: bool
    is_member: bool
    roles: Tuple[Role, ...]
    #: `gateway`: followed live. `rest`: read within `permissionTtlMs`. `mirror`: older, and nobody was asked again.
    roles_source: str
    #: Null where nothing is known that may be served; `allowed` and `isMember` are false then.
    roles_as_of: Optional[datetime]

    @classmethod
    def from_json(cls, value: object) -> CheckedMember:
        data = read.as_object(value)
        return cls(
            read.text(data, "memberId"),
            read.flag(data, "allowed"),
            read.flag(data, "isMember"),
            read.items(data, "roles", Role.from_json),
            read.text(data, "rolesSource"),
            read.optional_time(data, "rolesAsOf"),
        )


@dataclass(frozen=True)
class Submission:
    """A submission that is stored."""

    id: str
    received_at: datetime

    @classmethod
    def from_json(cls, value: object) -> Submission:
        data = read.as_object(value)
        return cls(
            read.text(data, "id"),
            read.time(data, "receivedAt"),
        )


@dataclass(frozen=True)
class SessionRevoked:
    """The event `session.revoked`."""

    id: Optional[str]
    session_id: str
    member_id: str
    server_id: str
    reason: Optional[str]
    at: datetime
    type: Literal["session.revoked"] = "session.revoked"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> SessionRevoked:
        return cls(
            id,
            read.text(data, "sessionId"),
            read.text(data, "memberId"),
            read.text(data, "serverId"),
            read.optional_text(data, "reason"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class SessionRotated:
    """The event `session.rotated`."""

    id: Optional[str]
    session_id: str
    member_id: str
    server_id: str
    expires_at: datetime
    at: datetime
    type: Literal["session.rotated"] = "session.rotated"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> SessionRotated:
        return cls(
            id,
            read.text(data, "sessionId"),
            read.text(data, "memberId"),
            read.text(data, "serverId"),
            read.time(data, "expiresAt"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class MemberRolesChanged:
    """The event `member.roles_changed`."""

    id: Optional[str]
    member_id: str
    server_id: str
    at: datetime
    type: Literal["member.roles_changed"] = "member.roles_changed"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> MemberRolesChanged:
        return cls(
            id,
            read.text(data, "memberId"),
            read.text(data, "serverId"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class MemberLeft:
    """The event `member.left`."""

    id: Optional[str]
    member_id: str
    server_id: str
    at: datetime
    type: Literal["member.left"] = "member.left"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> MemberLeft:
        return cls(
            id,
            read.text(data, "memberId"),
            read.text(data, "serverId"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class MemberBlocked:
    """The event `member.blocked`."""

    id: Optional[str]
    member_id: str
    until: Optional[datetime]
    at: datetime
    type: Literal["member.blocked"] = "member.blocked"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> MemberBlocked:
        return cls(
            id,
            read.text(data, "memberId"),
            read.optional_time(data, "until"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class MemberUnblocked:
    """The event `member.unblocked`."""

    id: Optional[str]
    member_id: str
    at: datetime
    type: Literal["member.unblocked"] = "member.unblocked"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> MemberUnblocked:
        return cls(
            id,
            read.text(data, "memberId"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class MemberErased:
    """The event `member.erased`."""

    id: Optional[str]
    member_id: str
    at: datetime
    type: Literal["member.erased"] = "member.erased"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> MemberErased:
        return cls(
            id,
            read.text(data, "memberId"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class ProjectDisabled:
    """The event `project.disabled`."""

    id: Optional[str]
    project_id: str
    reason: str
    at: datetime
    type: Literal["project.disabled"] = "project.disabled"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> ProjectDisabled:
        return cls(
            id,
            read.text(data, "projectId"),
            read.text(data, "reason"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class KeyEnding:
    """The event `key.ending`."""

    id: Optional[str]
    prefix: str
    ends_at: datetime
    at: datetime
    type: Literal["key.ending"] = "key.ending"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> KeyEnding:
        return cls(
            id,
            read.text(data, "prefix"),
            read.time(data, "endsAt"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class KeyEnded:
    """The event `key.ended`."""

    id: Optional[str]
    prefix: str
    reason: str
    at: datetime
    type: Literal["key.ended"] = "key.ended"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> KeyEnded:
        return cls(
            id,
            read.text(data, "prefix"),
            read.text(data, "reason"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class Reset:
    """The event `reset`."""

    id: Optional[str]
    reason: str
    at: datetime
    type: Literal["reset"] = "reset"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> Reset:
        return cls(
            id,
            read.text(data, "reason"),
            read.time(data, "at"),
        )


@dataclass(frozen=True)
class UnknownEvent:
    """An event of a newer service that this version does not know."""

    id: Optional[str]
    type: str
    data: Mapping[str, object]


Event = Union[SessionRevoked, SessionRotated, MemberRolesChanged, MemberLeft, MemberBlocked, MemberUnblocked, MemberErased, ProjectDisabled, KeyEnding, KeyEnded, Reset, UnknownEvent]


def event_from_json(id: Optional[str], type: str, value: object) -> Event:
    """The event of that name."""
    data = read.as_object(value)
    if type == "session.revoked":
        return SessionRevoked.from_json(id, data)
    if type == "session.rotated":
        return SessionRotated.from_json(id, data)
    if type == "member.roles_changed":
        return MemberRolesChanged.from_json(id, data)
    if type == "member.left":
        return MemberLeft.from_json(id, data)
    if type == "member.blocked":
        return MemberBlocked.from_json(id, data)
    if type == "member.unblocked":
        return MemberUnblocked.from_json(id, data)
    if type == "member.erased":
        return MemberErased.from_json(id, data)
    if type == "project.disabled":
        return ProjectDisabled.from_json(id, data)
    if type == "key.ending":
        return KeyEnding.from_json(id, data)
    if type == "key.ended":
        return KeyEnded.from_json(id, data)
    if type == "reset":
        return Reset.from_json(id, data)
    return UnknownEvent(id, type, data)

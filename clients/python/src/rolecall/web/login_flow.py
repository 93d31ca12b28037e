"""
The login of a site as values: requests in, answers out. What talks to the service is done in between, by the
framework's adapter, in threads or in asyncio.
"""

from __future__ import annotations

import posixpath
import re
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import List, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import unquote, urlencode, urlsplit

from ..connection import read_environment
from ..errors import RolecallError
from ..login import authorize_url, mint_login
from ..models import NewSession, Session
from .exchange import Answer, Cookie, IncomingRequest, page, problem, redirect
from .sealed_cookies import SealedCookies

#: How long a person may take at the chat platform.
_login_sec = 600
#: Tabs of one browser that may log in at once; of more the oldest are forgotten.
_most_logins = 5


@dataclass(frozen=True)
class LoginSettings:
    """What a site is, and how it logs members in."""

    #: The project's id.
    client_id: str
    #: The chat server whose members may log in.
    server_id: str
    #: Where browsers reach the site, such as ``https://crew.example``. Never taken from a request.
    app_url: str
    #: At least 32 random characters. Several: the first seals, all open.
    secret: Union[str, Sequence[str]] = field(repr=False)
    #: Below it are ``login``, ``callback`` and ``logout``.
    path: str = "/auth"
    #: Skip the chat platform's screen for a browser that logged in before.
    sso: bool = False

    @classmethod
    def from_environment(cls) -> LoginSettings:
        """
        By ``ROLECALL_CLIENT_ID``, ``ROLECALL_SERVER_ID``, ``ROLECALL_APP_URL`` and ``ROLECALL_SECRET`` (several with
        commas between them).
        """
        client_id, server_id, app_url, secret = read_environment(
            "ROLECALL_CLIENT_ID", "ROLECALL_SERVER_ID", "ROLECALL_APP_URL", "ROLECALL_SECRET"
        )
        return cls(client_id, server_id, app_url, secret.split(","))


@dataclass(frozen=True)
class PendingLogin:
    """A callback that belongs to a login of this browser: its code can be exchanged."""

    code: str = field(repr=False)
    code_verifier: str = field(repr=False)
    return_to: str
    cookie_name: str


class NotGiven(Enum):
    """An argument that was left out. None would also be a setting that is missing, which must not open a page."""

    NOT_GIVEN = "not given"


Roles = Union[Sequence[str], NotGiven]


@dataclass(frozen=True)
class RoleRules:
    """Who may come in. Neither: whoever has a live session."""

    #: At least one of these roles, by id.
    any_of: Roles = NotGiven.NOT_GIVEN
    #: Every one of these roles, by id.
    all_of: Roles = NotGiven.NOT_GIVEN

    def __post_init__(self) -> None:
        for name, roles in (("any_of", self.any_of), ("all_of", self.all_of)):
            if not isinstance(roles, NotGiven) and not _are_role_ids(roles):
                raise ValueError(f"{name} must be a list of role ids that is not empty; leave it out to ask for none")

    def allow(self, session: Session) -> bool:
        held = {role.role_id for role in session.roles}
        return (isinstance(self.any_of, NotGiven) or not held.isdisjoint(self.any_of)) and (
            isinstance(self.all_of, NotGiven) or held.issuperset(self.all_of)
        )


def _are_role_ids(roles: object) -> bool:
    """Not a single string either, which is a sequence of letters."""
    if not isinstance(roles, (list, tuple, set, frozenset)) or not roles:
        return False
    return all(isinstance(role, str) and role for role in roles)


class LoginFlow:
    def __init__(self, service_url: str, settings: LoginSettings) -> None:
        parts = urlsplit(settings.app_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
            raise ValueError("app_url must be the address of the site without a path: https://crew.example")
        if not re.fullmatch(r"(/[\w-]+)+", settings.path):
            raise ValueError("path must be like /auth")
        self._service_url = service_url
        self._settings = settings
        self._app_url = f"{parts.scheme}://{parts.netloc}"
        self._cookies = SealedCookies(settings.secret)
        self._is_secure = parts.scheme == "https"
        # `__Host-`: no other host of the same domain can set it. The project's id: ports do not separate cookies.
        self._prefix = f"{'__Host-' if self._is_secure else ''}rolecall-{settings.client_id[-8:]}"

    @property
    def client_id(self) -> str:
        return self._settings.client_id

    @property
    def redirect_uri(self) -> str:
        """To be listed among the project's redirect URIs."""
        return f"{self._app_url}{self._settings.path}/callback"

    def begin_login(self, request: IncomingRequest) -> Answer:
        login = mint_login()
        name = self._login_cookie(login.state)
        now = int(time.time())
        sealed = self._cookies.seal(
            name,
            {
                "verifier": login.code_verifier,
                "returnTo": self._return_to(request.query.get("return_to")),
                "at": now,
            },
        )
        url = authorize_url(
            self._service_url,
            client_id=self._settings.client_id,
            redirect_uri=self.redirect_uri,
            server_id=self._settings.server_id,
            state=login.state,
            code_verifier=login.code_verifier,
            sso=self._settings.sso,
        )
        return redirect(url, (self._cookie(name, sealed, _login_sec), *self._oldest_logins(request)))

    def read_callback(self, request: IncomingRequest) -> Union[Answer, PendingLogin]:
        state = request.query.get("state", "")
        name = self._login_cookie(state)
        opened = self._cookies.open(name, request.cookies.get(name)) if re.fullmatch(r"[A-Za-z0-9_-]{43}", state) else None
        # Only the browser that started this login holds its cookie; a link from elsewhere ends here. RFC 9207: an
        # answer of another service is not the answer to our question.
        at = 0 if opened is None else opened.get("at")
        if opened is None or not isinstance(at, int) or at < time.time() - _login_sec:
            return self._unknown_login(())
        done = (self._cookie(name, "", 0),)
        if request.query.get("iss") != self._service_url:
            return self._unknown_login(done)
        code = request.query.get("code")
        if not code:
            return self._refused_login(request.query, done)
        return PendingLogin(code, str(opened.get("verifier")), str(opened.get("returnTo")), name)

    def finish_login(self, pending: PendingLogin, session: NewSession) -> Answer:
        name = self._session_cookie
        pair = {"token": session.token, "refreshToken": session.refresh_token}
        left_sec = max(1, int(session.expires_at.timestamp() - time.time()))
        cookies = (
            self._cookie(name, self._cookies.seal(name, pair), left_sec),
            self._cookie(pending.cookie_name, "", 0),
        )
        # Absolute: a browser takes a path that begins with two slashes for another host.
        return redirect(self._app_url + pending.return_to, cookies)

    def refuse_exchange(self, pending: PendingLogin, error: RolecallError) -> Answer:
        done = (self._cookie(pending.cookie_name, "", 0),)
        if error.code in ("INVALID_CODE", "VALIDATION_FAILED", "CHALLENGE_WITHOUT_VERIFIER"):
            return self._unknown_login(done)
        return self._unavailable_page(error, done)

    def token(self, request: IncomingRequest) -> Optional[str]:
        """The session token of a request: of its Bearer header, or of the site's cookie."""
        if request.bearer is not None:
            return request.bearer
        opened = self._cookies.open(self._session_cookie, request.cookies.get(self._session_cookie))
        token = None if opened is None else opened.get("token")
        return token if isinstance(token, str) else None

    def refusal(self, request: IncomingRequest, session: Optional[Session], rules: RoleRules) -> Optional[Answer]:
        """The answer that keeps somebody out; None when they may come in."""
        if session is None:
            if request.is_navigation:
                query = urlencode({"return_to": self._return_to(request.target)})
                return redirect(f"{self._app_url}{self._settings.path}/login?{query}")
            return problem(401, "LOGIN_REQUIRED", "Log in first.", {"www-authenticate": "Bearer"})
        if rules.allow(session):
            return None
        title = "This takes a role that you do not hold."
        if request.is_navigation:
            return page(403, "Not for your role", title, self._app_url, "Home")
        return problem(403, "ROLE_REQUIRED", title)

    def unavailable(self, request: IncomingRequest, error: RolecallError) -> Answer:
        """Nobody can tell who is asking: neither in nor out."""
        if request.is_navigation:
            return self._unavailable_page(error, ())
        title = "Who you are cannot be checked right now. Try again in a moment."
        return problem(503, "SESSION_CHECK_UNAVAILABLE", title, {"retry-after": _retry_after(error)})

    def begin_logout(self, request: IncomingRequest) -> Optional[Answer]:
        """A refusal; or None: the session of `token(request)` is to be ended."""
        if request.method != "POST":
            return problem(405, "METHOD_NOT_ALLOWED", "Logging out takes a form that posts.", {"allow": "POST"})
        if not request.is_from(self._app_url):
            return problem(403, "CROSS_SITE_REQUEST", "Only a page of this site can log out.")
        return None

    def finish_logout(self, error: Optional[RolecallError]) -> Answer:
        done = (self._cookie(self._session_cookie, "", 0),)
        if error is None:
            return redirect(f"{self._app_url}/", done)
        return page(
            503,
            "Logged out here",
            "This browser has forgotten you, but the service could not be told. End the session there as well.",
            self._app_url,
            "Home",
            done,
            {"retry-after": _retry_after(error)},
        )

    def wrong_method(self) -> Answer:
        return problem(405, "METHOD_NOT_ALLOWED", "This address takes GET.", {"allow": "GET"})

    @property
    def _session_cookie(self) -> str:
        return f"{self._prefix}-session"

    def _login_cookie(self, state: str) -> str:
        """One cookie a login: two tabs may log in at once, and neither takes the other's."""
        return f"{self._prefix}-login-{state[:16]}"

    def _cookie(self, name: str, value: str, max_age_sec: int) -> Cookie:
        return Cookie(name, value, max_age_sec, self._is_secure)

    def _oldest_logins(self, request: IncomingRequest) -> Tuple[Cookie, ...]:
        """
        Deletes what would make more cookies than servers take. Only names that a login made: others are a visitor's own,
        and may hold what no header can carry.
        """
        found: List[Tuple[int, str]] = []
        for name, value in request.cookies.items():
            if re.fullmatch(re.escape(self._login_cookie("")) + r"[A-Za-z0-9_-]{16}", name):
                at = (self._cookies.open(name, value) or {}).get("at")
                found.append((at if isinstance(at, int) else 0, name))
        found.sort(reverse=True)
        return tuple(self._cookie(name, "", 0) for _, name in found[_most_logins - 1 :])

    def _return_to(self, wanted: Optional[str]) -> str:
        """A path of this site, or the start page. Addresses are never compared: only a path is taken at all."""
        if wanted is None or not re.fullmatch(r"/[!-\[\]-~]*", wanted) or len(wanted) > 1024:
            return "/"
        path = posixpath.normpath(unquote(wanted.split("?")[0].split("#")[0]))
        # POSIX keeps two slashes at the beginning. Below the login's own path a redirect would go in circles.
        if wanted.startswith("//") or path.startswith("//") or (path + "/").startswith(self._settings.path + "/"):
            return "/"
        return wanted

    def _login_url(self) -> str:
        return f"{self._app_url}{self._settings.path}/login"

    def _unknown_login(self, cookies: Tuple[Cookie, ...]) -> Answer:
        text = "It belongs to another browser, was used before, or took longer than ten minutes."
        return page(400, "This login was not started here", text, self._login_url(), "Log in", cookies)

    def _refused_login(self, query: Mapping[str, str], cookies: Tuple[Cookie, ...]) -> Answer:
        """RFC 6749 §4.1.2.1: the service says why there is no code."""
        text = query.get("error_description", "The service gave no reason.")
        status = 403 if query.get("error") in ("access_denied", "login_required") else 503
        return page(status, "You are not logged in", text, self._login_url(), "Try again", cookies)

    def _unavailable_page(self, error: RolecallError, cookies: Tuple[Cookie, ...]) -> Answer:
        text = "Who you are cannot be checked right now. Try again in a moment."
        headers = {"retry-after": _retry_after(error)}
        return page(503, "Try again in a moment", text, self._app_url, "Home", cookies, headers)


def _retry_after(error: RolecallError) -> str:
    return str(int(error.retry_after_sec or 2))

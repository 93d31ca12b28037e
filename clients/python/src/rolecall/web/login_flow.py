"""
The sign-in of a site, without any I/O. Each method of ``LoginFlow`` takes a request, and returns a response or the data
for the next call to the service. The adapters of the frameworks make these calls, in threads or in asyncio.
"""

from __future__ import annotations

import logging
import posixpath
import re
import time
from dataclasses import dataclass, field
from typing import List, Optional, Sequence, Tuple, Union
from urllib.parse import unquote, urlencode, urlsplit

from ..connection import read_environment
from ..errors import RolecallError
from ..login import authorize_url, mint_login
from ..models import NewSession, Session
from .exchange import Answer, Cookie, IncomingRequest, problem, redirect
from .pages import ChooseLanguage, OnRefused, PageMaker, Pages
from .refreshing import Replacement, StoredSession
from .role_rules import RoleRules
from .sealed_cookies import SealedCookies

_log = logging.getLogger("rolecall")

#: How long a sign-in may take, in seconds. The service has the same limit.
_login_sec = 600
#: The lifetime of the sign-in's cookie, in seconds. It is longer, so that a member who returns too late sees why.
_login_cookie_sec = 3600
#: The lifetime, in seconds, of the cookie that marks the second attempt after a lost refresh.
_retry_sec = 10
_unavailable_title = "Your session cannot be checked right now. Try again in a moment."
#: The hosts of this machine. Plain HTTP is allowed for them, because it does not pass a network.
_loopback = re.compile(r"localhost|.+\.localhost|127(\.\d{1,3}){3}|::1")
#: The maximum number of pending sign-ins per browser. Beyond it, the cookies of the oldest sign-ins are deleted.
_most_logins = 5


@dataclass(frozen=True)
class LoginSettings:
    """The settings of a site and its sign-in."""

    #: The project's ID.
    client_id: str
    #: The ID of the Discord server. Only its members may sign in.
    server_id: str
    #: The address of the site, as browsers use it, such as ``https://crew.example``. It is never taken from a request,
    #: because the sender chooses the ``Host``.
    app_url: str
    #: At least 32 random characters, with which cookies are sealed. To replace the secret, put the new one before the
    #: old one in a list: the first secret seals, and all of them open.
    secret: Union[str, Sequence[str]] = field(repr=False)
    #: The path of the routes ``login``, ``callback`` and ``logout``.
    path: str = "/auth"
    #: Skips Discord's consent screen in a browser that has signed in to any project before.
    sso: bool = False
    #: Pages of the site that replace those of this library.
    pages: Pages = Pages()
    #: Called with the reason when a person is refused. It may return the page to show. If it returns None,
    #: ``pages.refused`` is shown.
    on_refused: Optional[OnRefused] = None
    #: Chooses the language of the pages. Also applies to the pages of the service. Default: the language of the
    #: visitor's browser.
    language: Optional[ChooseLanguage] = None

    @classmethod
    def from_environment(
        cls,
        *,
        pages: Pages = Pages(),
        on_refused: Optional[OnRefused] = None,
        language: Optional[ChooseLanguage] = None,
    ) -> LoginSettings:
        """
        Creates settings from the environment variables ``ROLECALL_CLIENT_ID``, ``ROLECALL_SERVER_ID``,
        ``ROLECALL_APP_URL``, and ``ROLECALL_SECRET``. Separate several secrets by commas.
        """
        client_id, server_id, app_url, secret = read_environment(
            "ROLECALL_CLIENT_ID", "ROLECALL_SERVER_ID", "ROLECALL_APP_URL", "ROLECALL_SECRET"
        )
        return cls(
            client_id,
            server_id,
            app_url,
            secret.split(","),
            pages=pages,
            on_refused=on_refused,
            language=language,
        )


@dataclass(frozen=True)
class PendingLogin:
    """A sign-in that returned with a code to the browser that started it. The adapter exchanges the code."""

    code: str = field(repr=False)
    code_verifier: str = field(repr=False)
    return_to: str
    cookie_name: str


@dataclass(frozen=True)
class RequestSession:
    """The session of a request, after a possible refresh."""

    #: The session token to validate.
    token: Optional[str] = field(default=None, repr=False)
    #: The cookies to set with the response.
    cookies: Tuple[Cookie, ...] = ()
    #: Sent instead of the site's response, if not None.
    instead: Optional[Answer] = None


class LoginFlow:
    """
    The steps of the sign-in, for any framework.

    - Sign in: ``begin_login``, then ``read_callback``. If that returns a ``PendingLogin``, the adapter exchanges its
      code, and calls ``finish_login`` or ``refuse_exchange``.
    - Each request: ``stored_session``, then ``request_session``, or ``request_session_after`` if the session is
      refreshed. The adapter validates the token. ``refusal`` and ``unavailable`` create the responses without access.
    - Sign out: ``begin_logout``. The adapter ends the session, and calls ``finish_logout``.
    """

    def __init__(self, service_url: str, settings: LoginSettings) -> None:
        parts = urlsplit(settings.app_url)
        is_origin = parts.path in ("", "/") and not (parts.query or parts.fragment or "@" in parts.netloc)
        if parts.scheme not in ("http", "https") or not parts.hostname or not is_origin:
            raise ValueError("app_url must be the address of the site without a path: https://crew.example")
        if parts.scheme == "http" and not _loopback.fullmatch(parts.hostname):
            raise ValueError("app_url must begin with https://. Only an app on this machine may use http://.")
        if not re.fullmatch(r"(/[\w-]+)+", settings.path):
            raise ValueError("path must be like /auth")
        self._service_url = service_url
        self._settings = settings
        self._app_url = f"{parts.scheme}://{parts.netloc}"
        self._pages = PageMaker(self._app_url, settings.pages, settings.on_refused, settings.language)
        self._cookies = SealedCookies(settings.secret)
        self._is_secure = parts.scheme == "https"
        # Browsers accept a name with `__Host-` only from this host, not from other hosts of its domain. The project's
        # ID is part of the name, because browsers send cookies to all ports of a host, and so to other apps.
        self._prefix = f"{'__Host-' if self._is_secure else ''}rolecall-{settings.client_id[-8:]}"

    @property
    def client_id(self) -> str:
        return self._settings.client_id

    @property
    def redirect_uri(self) -> str:
        """The address to which sign-ins return. Register it as a redirect URI of the project."""
        return f"{self._app_url}{self._settings.path}/callback"

    def begin_login(self, request: IncomingRequest) -> Answer:
        """Starts a sign-in: redirects to the service, and stores the secrets of the sign-in in a sealed cookie."""
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
            ui_locales=self._pages.chosen_language(request),
        )
        return redirect(url, (self._cookie(name, sealed, _login_cookie_sec), *self._oldest_logins(request)))

    def read_callback(self, request: IncomingRequest) -> Union[Answer, PendingLogin]:
        """
        Reads the redirect with which a sign-in returns. Returns a refusal if this browser did not start it, if it took
        too long, if another service sent it, or if it has no code.
        """
        state = request.query.get("state", "")
        name = self._login_cookie(state)
        value = request.cookies.get(name) if re.fullmatch(r"[A-Za-z0-9_-]{43}", state) else None
        # Only the browser that started this sign-in has its cookie. A forged link, or another browser, ends here.
        if not value:
            return self._expired_login(request, "LOGIN_NOT_FOUND")
        opened = self._cookies.open(name, value)
        if opened is None:
            return self._expired_login(request, "LOGIN_UNREADABLE")
        at = opened.get("at")
        if not isinstance(at, int) or at < time.time() - _login_sec:
            return self._expired_login(request, "LOGIN_EXPIRED")
        done = (self._cookie(name, "", 0),)
        retry_url = self._login_url(str(opened.get("returnTo")))
        # Rejects a response that another service created for this site (RFC 9207).
        if request.query.get("iss") != self._service_url:
            _log.error(
                "The issuer (iss) of the sign-in response is missing, or is not base_url (%s). "
                "Set it to the address that browsers use.",
                self._service_url,
            )
            return self._pages.make(request, 400, "LOGIN_FAILED", retry_url=retry_url, cookies=done)
        code = request.query.get("code")
        if not code:
            return self._refused_login(request, retry_url, done)
        return PendingLogin(code, str(opened.get("verifier")), str(opened.get("returnTo")), name)

    def finish_login(self, pending: PendingLogin, session: NewSession) -> Answer:
        """Stores a new session in the cookie, and redirects to the page that the visitor wanted."""
        expires_at = int(session.expires_at.timestamp())
        stored = StoredSession(session.token, session.refresh_token, int(time.time()), expires_at)
        cookies = (self._stored_cookie(stored), self._cookie(pending.cookie_name, "", 0))
        # Redirects to an absolute address, because browsers read a path with two slashes at its start as another host.
        return redirect(self._app_url + pending.return_to, cookies)

    def refuse_exchange(self, request: IncomingRequest, pending: PendingLogin, error: RolecallError) -> Answer:
        """Returns the page for a code that the service did not exchange."""
        done = (self._cookie(pending.cookie_name, "", 0),)
        retry_url = self._login_url(pending.return_to)
        # Does not log these errors, because visitors can cause them: they can put any code into the address.
        if error.code in ("INVALID_CODE", "VALIDATION_FAILED"):
            return self._pages.make(request, 400, "LOGIN_CODE_USED", retry_url=retry_url, cookies=done)
        _log.error("Sign-in failed: %s", error)
        if error.status in (None, 429, 502, 503, 504):
            headers = {"retry-after": _retry_after(error)}
            return self._pages.make(request, 503, "LOGIN_FAILED", retry_url=retry_url, cookies=done, headers=headers)
        # The service rejects the site itself, e.g. because of its key. The page offers no retry, which would not help.
        return self._pages.make(request, 503, "LOGIN_FAILED", reason="server_error", cookies=done)

    def stored_session(self, request: IncomingRequest) -> Optional[StoredSession]:
        """Reads the session from the cookie. Returns None if the request has a Bearer token, which takes precedence."""
        if request.bearer is not None:
            return None
        opened = self._cookies.open(self._session_cookie, request.cookies.get(self._session_cookie))
        if opened is None:
            return None
        # The seal has been verified. Cookies of earlier versions contain no times, so their sessions are not refreshed.
        token, refresh_token = opened.get("token"), opened.get("refreshToken")
        times = opened.get("obtainedAt", 0), opened.get("expiresAt", 0)
        if not isinstance(token, str) or not isinstance(refresh_token, str):
            return None
        obtained_at, expires_at = (value if isinstance(value, int) else 0 for value in times)
        return StoredSession(token, refresh_token, obtained_at, expires_at)

    def may_refresh(self, request: IncomingRequest, stored: StoredSession) -> bool:
        """
        Returns true if the session is due for a refresh, and a person opens a page. Other requests must not cause a
        refresh, because it invalidates the tokens of all requests that are under way.
        """
        return stored.expires_at > 0 and request.is_navigation and stored.is_due

    def request_session(self, request: IncomingRequest, stored: Optional[StoredSession]) -> RequestSession:
        """Returns the session of a request without a refresh."""
        return RequestSession(request.bearer if stored is None else stored.token)

    def request_session_after(self, request: IncomingRequest, replacement: Replacement) -> RequestSession:
        """
        Returns the session of a request after a refresh. ``replacement`` is None if another process refreshed the pair
        first, or if the session has ended. Does not delete the cookie then, because another response may have just
        replaced it.
        """
        if replacement is not None:
            return RequestSession(replacement.token, (self._stored_cookie(replacement),))
        if not request.is_navigation:
            headers = {"retry-after": "1"}
            return RequestSession(instead=problem(503, "SESSION_CHECK_UNAVAILABLE", _unavailable_title, headers))
        # If another process refreshed the pair first, the browser should have the new cookie by now. Redirects once, so
        # that the browser sends it. If the second request has the old pair as well, the visitor counts as signed out.
        name = f"{self._prefix}-retry"
        if name in request.cookies:
            return RequestSession(cookies=(self._cookie(name, "", 0),))
        url = self._app_url + self._return_to(request.target)
        return RequestSession(instead=redirect(url, (self._cookie(name, "1", _retry_sec),)))

    def refresh_failed(self, error: RolecallError) -> None:
        """Logs that a refresh failed. The next page tries again."""
        _log.error("Session refresh failed: %s", error)

    def cross_site_refusal(self, request: IncomingRequest) -> Optional[Answer]:
        """
        Returns a refusal if a request changes something and comes from a page of another origin, e.g. of another
        subdomain. Accepts a request with a Bearer token from anywhere, because browsers do not add one by themselves.
        """
        if request.is_safe or request.bearer is not None or request.is_from(self._app_url):
            return None
        return problem(403, "CROSS_SITE_REQUEST", "This request is accepted only from a page of this site.")

    def log_former_session(self, error: RolecallError) -> None:
        """Logs that the browser's previous session could not be ended. It stays live until it expires."""
        _log.error("Ending the former session of a browser failed: %s", error)

    def refusal(self, request: IncomingRequest, session: Optional[Session], rules: RoleRules) -> Optional[Answer]:
        """Returns the response that refuses a visitor, or None if they have access."""
        if session is None:
            if request.is_navigation:
                return redirect(self._login_url(self._return_to(request.target)))
            return problem(401, "LOGIN_REQUIRED", "Sign in first.", {"www-authenticate": "Bearer"})
        if rules.allow(session):
            return None
        if request.is_navigation:
            return self._pages.make(request, 403, "ROLE_REQUIRED")
        return problem(403, "ROLE_REQUIRED", "You do not have the required role.")

    def unavailable(self, request: IncomingRequest, error: RolecallError) -> Answer:
        """Returns the response for a request of which the session could not be checked."""
        _log.error("Session check failed: %s", error)
        headers = {"retry-after": _retry_after(error)}
        if request.is_navigation:
            retry_url = self._app_url + self._return_to(request.target)
            return self._pages.make(request, 503, "SESSION_CHECK_UNAVAILABLE", retry_url=retry_url, headers=headers)
        return problem(503, "SESSION_CHECK_UNAVAILABLE", _unavailable_title, headers)

    def begin_logout(self, request: IncomingRequest) -> Optional[Answer]:
        """Returns a refusal, or None if the adapter must end the session of the request."""
        if request.method != "POST":
            return problem(405, "METHOD_NOT_ALLOWED", "Sign out with a form that uses POST.", {"allow": "POST"})
        if not request.is_from(self._app_url):
            return problem(403, "CROSS_SITE_REQUEST", "Sign-out is accepted only from a page of this site.")
        return None

    def finish_logout(self, request: IncomingRequest, error: Optional[RolecallError]) -> Answer:
        """
        Deletes the cookie, and redirects. With ``error``, the service could not end the session. The page then says
        that the visitor is signed out only in this browser (``LOGOUT_INCOMPLETE``).
        """
        done = (self._cookie(self._session_cookie, "", 0),)
        if error is None:
            path = f"{self._settings.path}/signed-out" if self._settings.pages.signed_out else "/"
            return redirect(f"{self._app_url}{path}", done)
        _log.error("Sign-out at the service failed: %s", error)
        headers = {"retry-after": _retry_after(error)}
        return self._pages.make(request, 503, "LOGOUT_INCOMPLETE", cookies=done, headers=headers)

    def signed_out(self, request: IncomingRequest, session: Optional[Session]) -> Answer:
        """
        Returns the page to which a sign-out leads. Any site can link to it. So it redirects a member who is still
        signed in to the start page, and does not claim that they signed out.
        """
        if session is not None:
            return redirect(f"{self._app_url}/")
        return self._pages.make(request, 200, "SIGNED_OUT")

    def wrong_method(self) -> Answer:
        return problem(405, "METHOD_NOT_ALLOWED", "This address supports only GET.", {"allow": "GET"})

    @property
    def _session_cookie(self) -> str:
        return f"{self._prefix}-session"

    def _stored_cookie(self, stored: StoredSession) -> Cookie:
        name = self._session_cookie
        value = {
            "token": stored.token,
            "refreshToken": stored.refresh_token,
            "obtainedAt": stored.obtained_at,
            "expiresAt": stored.expires_at,
        }
        return self._cookie(name, self._cookies.seal(name, value), max(1, stored.expires_at - int(time.time())))

    def _login_cookie(self, state: str) -> str:
        """
        Returns the name of a sign-in's cookie. Each sign-in has its own, because several tabs may sign in at once.
        """
        return f"{self._prefix}-login-{state[:16]}"

    def _cookie(self, name: str, value: str, max_age_sec: int) -> Cookie:
        return Cookie(name, value, max_age_sec, self._is_secure)

    def _oldest_logins(self, request: IncomingRequest) -> Tuple[Cookie, ...]:
        """
        Returns cookies that delete the oldest pending sign-ins, if there are too many. Counts only names that a sign-in
        can have, because a visitor can send other names with characters that are not valid in a header.
        """
        found: List[Tuple[int, str]] = []
        for name, value in request.cookies.items():
            if re.fullmatch(re.escape(self._login_cookie("")) + r"[A-Za-z0-9_-]{16}", name):
                at = (self._cookies.open(name, value) or {}).get("at")
                found.append((at if isinstance(at, int) else 0, name))
        found.sort(reverse=True)
        return tuple(self._cookie(name, "", 0) for _, name in found[_most_logins - 1 :])

    def _return_to(self, wanted: Optional[str]) -> str:
        """
        Returns the path to which the browser goes after the sign-in: ``wanted`` if it is a path of this site, or ``/``.
        """
        if wanted is None or not re.fullmatch(r"/[!-\[\]-~]*", wanted) or len(wanted) > 1024:
            return "/"
        path = posixpath.normpath(unquote(wanted.split("?")[0].split("#")[0]))
        # Browsers read two slashes at the start as another host. `normpath` keeps them. The sign-in's own paths are
        # excluded, because they would start over.
        if wanted.startswith("//") or path.startswith("//") or (path + "/").startswith(self._settings.path + "/"):
            return "/"
        return wanted

    def _login_url(self, return_to: str) -> str:
        return f"{self._app_url}{self._settings.path}/login?{urlencode({'return_to': return_to})}"

    def _expired_login(self, request: IncomingRequest, code: str) -> Answer:
        return self._pages.make(request, 400, code, retry_url=self._login_url("/"))

    def _refused_login(self, request: IncomingRequest, retry_url: str, cookies: Tuple[Cookie, ...]) -> Answer:
        """
        Returns the page for a redirect without a code, with the reason that the service states (RFC 6749 §4.1.2.1). The
        state and the issuer are verified, so no other site can choose the reason.
        """
        is_refused = request.query.get("error") in ("access_denied", "login_required")
        return self._pages.make(
            request,
            403 if is_refused else 503,
            "LOGIN_REFUSED" if is_refused else "LOGIN_FAILED",
            retry_url=retry_url,
            reason=_matching(r"[a-z_]{1,40}", request.query.get("error_reason")),
            service_text=_matching(r"[ -~]{1,500}", request.query.get("error_description")),
            cookies=cookies,
        )


def _matching(pattern: str, value: Optional[str]) -> Optional[str]:
    return value if value is not None and re.fullmatch(pattern, value) else None


def _retry_after(error: RolecallError) -> str:
    return str(int(error.retry_after_sec or 2))

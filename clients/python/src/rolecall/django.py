"""
Adds the sign-in to a Django site. In the settings::

    ROLECALL = {"base_url": …, "api_key": …, "client_id": …, "server_id": …, "app_url": …, "secret": …}
    MIDDLEWARE = [..., "rolecall.django.RolecallMiddleware"]

and in the URLs ``path("auth/", include("rolecall.django"))``.
"""

from __future__ import annotations

import functools
import os
import threading
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.utils.cache import patch_cache_control, patch_vary_headers

from .calls import Client
from .client import Rolecall
from .errors import RolecallError
from .models import Session
from .web.exchange import Answer, Cookie, IncomingRequest, read_cookies
from .web.login_flow import LoginFlow, LoginSettings, RequestSession
from .web.refreshing import is_under_way, refresh
from .web.role_rules import NotGiven, RoleRules, Roles

View = Callable[..., Any]


class Site:
    """The client and the sign-in, created from ``settings.ROLECALL``. Each process has one."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        given: Dict[str, Any] = dict(options)
        of_client = {name: given.pop(name) for name in _client_options if name in given}
        self.rolecall = Rolecall(**of_client)
        self.flow = LoginFlow(self.rolecall.base_url, LoginSettings(**given))


_client_options = ("base_url", "api_key", "timeout_sec", "retries", "cache", "http_client")
_site: Optional[Site] = None
_lock = threading.Lock()
if hasattr(os, "register_at_fork"):
    # If another thread held the lock during a fork, the lock would stay locked in the child forever. So the fork itself
    # acquires and releases it.
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def site() -> Site:
    """Returns the site of this process. Creates it at the first call."""
    global _site
    with _lock:
        if _site is None:
            _site = Site(settings.ROLECALL)
        return _site


class AnsweredInstead(Exception):
    """Raised to end a request with a response of its own. The middleware sends that response."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


class Visitor:
    """The session of a request, as ``request.rolecall``. Checked when a view first reads it, and only once."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        #: True if a view has read the session. The response is then personal, and shared caches must not store it.
        self.is_read = False
        #: The error that prevented checking the session.
        self.failure: Optional[RolecallError] = None
        #: The cookies to set with the response.
        self.cookies: Tuple[Cookie, ...] = ()

    @functools.cached_property
    def session(self) -> Optional[Session]:
        """
        Returns the session of the signed-in member, or None. Raises during an outage, when that cannot be determined.
        """
        self.is_read = True
        # Tells `cache_page` not to store the response. It would store it before the middleware can mark it as private.
        self._request._cache_update_cache = False
        request_session = _request_session(_incoming(self._request))
        self.cookies = request_session.cookies
        if request_session.instead is not None:
            raise AnsweredInstead(request_session.instead)
        try:
            return site().rolecall.validate(request_session.token)
        except RolecallError as error:
            self.failure = error
            raise


class RolecallMiddleware:
    """
    Adds ``request.rolecall`` to every request. If a view reads the session, the response is marked as private for
    caches. If the session cannot be checked because of an outage, responds with 503.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.rolecall = Visitor(request)
        response = self._get_response(request)
        if request.rolecall.is_read:
            patch_vary_headers(response, ["Cookie", "Authorization"])
            patch_cache_control(response, private=True)
        if request.rolecall.cookies:
            _set_cookies(response, request.rolecall.cookies)
            patch_cache_control(response, private=True, no_store=True)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> Optional[HttpResponse]:
        if isinstance(error, AnsweredInstead):
            return _response_of(error.answer)
        # Handles only the error of reading the session. A view handles the errors of its own calls.
        failure: Optional[RolecallError] = request.rolecall.failure
        if failure is None or error is not failure:
            return None
        return _response_of(site().flow.unavailable(_incoming(request), failure))


def require_member(
    *, any_of: Roles = NotGiven.NOT_GIVEN, all_of: Roles = NotGiven.NOT_GIVEN
) -> Callable[[View], View]:
    """
    Admits members with a live session and the required roles. The view can then read ``request.rolecall.session``. If
    no member is signed in, a person is redirected to sign in. If the member lacks a role, a person sees a page.
    Programs receive 401 or 403, as problem JSON.
    """
    rules = RoleRules(any_of, all_of)

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(request: HttpRequest, *args: Any, **options: Any) -> Any:
            flow, incoming = site().flow, _incoming(request)
            refusal = flow.cross_site_refusal(incoming) or flow.refusal(incoming, request.rolecall.session, rules)
            return view(request, *args, **options) if refusal is None else _response_of(refusal)

        return guarded

    return decorate


def login(request: HttpRequest) -> HttpResponse:
    flow = site().flow
    if request.method != "GET":
        return _response_of(flow.wrong_method())
    return _response_of(flow.begin_login(_incoming(request)))


def callback(request: HttpRequest) -> HttpResponse:
    flow = site().flow
    if request.method != "GET":
        return _response_of(flow.wrong_method())
    incoming = _incoming(request)
    pending = flow.read_callback(incoming)
    if isinstance(pending, Answer):
        return _response_of(pending)
    try:
        session = site().rolecall.exchange(
            client_id=flow.client_id,
            code=pending.code,
            redirect_uri=flow.redirect_uri,
            code_verifier=pending.code_verifier,
            client=Client(incoming.client_ip, incoming.headers.get("user-agent")),
        )
    except RolecallError as error:
        return _response_of(flow.refuse_exchange(incoming, pending, error))
    _end_former(incoming)
    return _response_of(flow.finish_login(pending, session))


def _end_former(incoming: IncomingRequest) -> None:
    """Ends the previous session of this browser, because the new session replaces its cookie."""
    former = site().flow.stored_session(incoming)
    if former is None:
        return
    try:
        site().rolecall.logout(former.token)
    except RolecallError as error:
        site().flow.log_former_session(error)


def logout(request: HttpRequest) -> HttpResponse:
    flow = site().flow
    incoming = _incoming(request)
    refusal = flow.begin_logout(incoming)
    if refusal is not None:
        return _response_of(refusal)
    failure: Optional[RolecallError] = None
    request_session = _request_session(incoming)
    if request_session.token:
        try:
            site().rolecall.logout(request_session.token)
        except RolecallError as error:
            failure = error
    return _response_of(flow.finish_logout(incoming, failure))


# The view checks itself that a page of this site sent the request, so its form needs no CSRF token.
logout.csrf_exempt = True  # type: ignore[attr-defined]

def signed_out(request: HttpRequest) -> HttpResponse:
    flow = site().flow
    if request.method != "GET":
        return _response_of(flow.wrong_method())
    return _response_of(flow.signed_out(_incoming(request), request.rolecall.session))


urlpatterns = [
    path("login", login),
    path("callback", callback),
    path("logout", logout),
    path("signed-out", signed_out),
]


def _request_session(incoming: IncomingRequest) -> RequestSession:
    """
    Returns the session of a request. It is a new one if this request refreshes it, or if another request with the same
    cookie has just done so.
    """
    rolecall, flow = site().rolecall, site().flow
    stored = flow.stored_session(incoming)
    if stored is None or not (is_under_way(stored) or flow.may_refresh(incoming, stored)):
        return flow.request_session(incoming, stored)
    try:
        return flow.request_session_after(incoming, refresh(rolecall, stored))
    except RolecallError as error:
        flow.refresh_failed(error)
        return flow.request_session(incoming, stored)


def _incoming(request: HttpRequest) -> IncomingRequest:
    return IncomingRequest(
        method=request.method or "",
        target=request.get_full_path(),
        headers={name.lower(): value for name, value in request.headers.items()},
        cookies=read_cookies(request.META.get("HTTP_COOKIE", "")),
        query=request.GET,
        client_ip=request.META.get("REMOTE_ADDR"),
    )


def _response_of(answer: Answer) -> HttpResponse:
    response = HttpResponse(answer.body, status=answer.status)
    for name, value in answer.headers.items():
        response[name] = value
    _set_cookies(response, answer.cookies)
    return response


def _set_cookies(response: HttpResponse, cookies: Tuple[Cookie, ...]) -> None:
    for cookie in cookies:
        response.set_cookie(
            cookie.name,
            cookie.value,
            max_age=cookie.max_age_sec,
            path="/",
            secure=cookie.is_secure,
            httponly=True,
            samesite="Lax",
        )

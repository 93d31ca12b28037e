"""A site with Django."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List

import django
import httpx
import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import Client
from django.urls import include, path
from django.views.decorators.cache import cache_page

import refresh_cases
import site_cases
from conftest import ROLES, SERVER, SERVICE_URL, act
from rolecall import django as ours
from rolecall.web.login_flow import LoginFlow, LoginSettings

Given = Dict[str, Any]


@ours.require_member()
def member(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"id": request.rolecall.session.member.id})


# The test is about this guard, and not the one of Django.
member.csrf_exempt = True  # type: ignore[attr-defined]


@ours.require_member(any_of=[ROLES["captain"]])
def captain(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"id": request.rolecall.session.member.id})


@ours.require_member()
def broken(request: HttpRequest) -> HttpResponse:
    raise AssertionError("nobody can be let in")


def who(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"known": request.rolecall.session is not None})


def kept(request: HttpRequest) -> HttpResponse:
    response = who(request)
    response["cache-control"] = "public, max-age=60"
    return response


def kept_by_django(request: HttpRequest) -> HttpResponse:
    # The decorator needs the settings, which are made later than this module.
    return cache_page(60)(kept)(request)


def is_open(request: HttpRequest) -> HttpResponse:
    return JsonResponse({})


@ours.require_member()
def calls_by_itself(request: HttpRequest) -> HttpResponse:
    ours.site().rolecall.member(SERVER, "1000000000000000001")
    raise AssertionError("there is no such member")


class AwayForSome(httpx.HTTPTransport):
    """A connection that fails for the page that tests a failing session check."""

    is_away = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.is_away:
            raise httpx.ConnectError("away")
        return super().handle_request(request)


SERVICE = AwayForSome()


urlpatterns = [
    path("auth/", include("rolecall.django")),
    path("member", member),
    path("café", member),
    path("captain", captain),
    path("broken", broken),
    path("who", who),
    path("kept", kept_by_django),
    path("open", is_open),
    path("calls", calls_by_itself),
]


@pytest.fixture(scope="module")
def own_project() -> Iterator[Given]:
    project = act("project", redirectUri=f"{site_cases.APP_URL}/auth/callback")
    settings.configure(
        ALLOWED_HOSTS=["crew.example"],
        ROOT_URLCONF=__name__,
        SECRET_KEY="of Django, and not used here",
        MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware", "rolecall.django.RolecallMiddleware"],
        ROLECALL={
            "base_url": SERVICE_URL,
            "retries": 0,
            "http_client": httpx.Client(transport=SERVICE),
            "api_key": project["key"],
            "client_id": project["id"],
            "server_id": SERVER,
            "app_url": site_cases.APP_URL,
            "secret": [site_cases.NEW_SECRET, site_cases.SECRET],
        },
    )
    django.setup()
    yield project
    ours.site().rolecall.close()


class Reply:
    def __init__(self, response: Any) -> None:
        self.status_code: int = response.status_code
        lines: List[Any] = list(response.items())
        lines += [("set-cookie", morsel.OutputString()) for morsel in response.cookies.values()]
        self.headers = httpx.Headers(lines)
        self.text: str = response.content.decode()
        self.json = response.json


class Browser:
    def __init__(self) -> None:
        self._client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        self.cookies = Jar(self._client)

    def get(self, path: str, headers: Dict[str, str]) -> Reply:
        SERVICE.is_away = path == "/broken"
        return self._reply(self._client.get(path, secure=True, **environ_of(headers)))

    def post(self, path: str, headers: Dict[str, str]) -> Reply:
        return self._reply(self._client.post(path, secure=True, **environ_of(headers)))

    def _reply(self, response: Any) -> Reply:
        # A browser removes deleted cookies; the test client of Django keeps them with an empty value.
        for name, morsel in list(self._client.cookies.items()):
            if not morsel.value or morsel["max-age"] == 0:
                del self._client.cookies[name]
        return Reply(response)


class Jar:
    def __init__(self, client: Any) -> None:
        self._client = client

    def keys(self) -> List[str]:
        return list(self._client.cookies.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, name: str) -> str:
        return str(self._client.cookies[name].value)

    def set(self, name: str, value: str, domain: str) -> None:
        self._client.cookies[name] = value


def environ_of(headers: Dict[str, Any]) -> Dict[str, str]:
    # WSGI passes the bytes of a header as Latin-1.
    texts = {name: value.decode("latin-1") if isinstance(value, bytes) else value for name, value in headers.items()}
    given = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in texts.items()}
    return {**given, "SERVER_NAME": "crew.example"}


@pytest.fixture
def browser(own_project: Given) -> Browser:
    return Browser()


CASES = [*site_cases.CASES, *refresh_cases.CASES]


@pytest.mark.parametrize("case", CASES, ids=[case.__name__ for case in CASES])
def test_a_site(case: Callable[[Browser, Given], None], browser: Browser, own_project: Given) -> None:
    case(browser, own_project)


def test_a_callback_counts_only_where_the_login_began(browser: Browser, own_project: Given) -> None:
    site_cases.a_callback_counts_only_where_the_login_began(browser, own_project, Browser)


def test_a_site_with_pages_of_its_own(
    own_project: Given, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    given = {name: settings.ROLECALL[name] for name in ("client_id", "server_id", "app_url", "secret")}
    own = LoginFlow(SERVICE_URL, LoginSettings(**given, **site_cases.OWN_PAGES))
    monkeypatch.setattr(ours.site(), "flow", own)
    site_cases.pages_of_the_site_replace_those_of_the_library(Browser(), caplog)


def test_a_refusal_of_a_call_that_a_view_made_is_the_views_own(browser: Browser) -> None:
    site_cases.finish(browser, site_cases.begin(browser))
    assert browser.get("/calls", headers=site_cases.NAVIGATE).status_code == 500

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

import site_cases
from conftest import ROLES, SERVER, SERVICE_URL, act
from rolecall import Rolecall
from rolecall import django as ours

Given = Dict[str, Any]


@ours.require_member()
def member(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"id": request.rolecall.session.member.id})


@ours.require_member(any_of=[ROLES["captain"]])
def captain(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"id": request.rolecall.session.member.id})


def broken(request: HttpRequest) -> HttpResponse:
    with Rolecall("http://127.0.0.1:1", "k", retries=0) as away:
        away.validate("rcs_x")
    raise AssertionError("nobody can be let in")


urlpatterns = [
    path("auth/", include("rolecall.django")),
    path("member", member),
    path("café", member),
    path("captain", captain),
    path("broken", broken),
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
        return self._reply(self._client.get(path, secure=True, **environ_of(headers)))

    def post(self, path: str, headers: Dict[str, str]) -> Reply:
        return self._reply(self._client.post(path, secure=True, **environ_of(headers)))

    def _reply(self, response: Any) -> Reply:
        # A browser forgets what is deleted; the test client of Django keeps it as an empty value.
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


def environ_of(headers: Dict[str, str]) -> Dict[str, str]:
    given = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    return {**given, "SERVER_NAME": "crew.example"}


@pytest.fixture
def browser(own_project: Given) -> Browser:
    return Browser()


@pytest.mark.parametrize("case", site_cases.CASES, ids=[case.__name__ for case in site_cases.CASES])
def test_a_site(case: Callable[[Browser, Given], None], browser: Browser, own_project: Given) -> None:
    case(browser, own_project)


def test_a_callback_counts_only_where_the_login_began(browser: Browser, own_project: Given) -> None:
    site_cases.a_callback_counts_only_where_the_login_began(browser, own_project, Browser)

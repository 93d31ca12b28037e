"""A site with FastAPI."""

from __future__ import annotations

import asyncio
from typing import Any, Callable, Dict, Iterator, Optional

import httpx
import pytest
from fastapi import Depends, FastAPI, Response
from fastapi.responses import JSONResponse

import refresh_cases
import site_cases
from conftest import ROLES, SERVER, SERVICE_URL, act
from rolecall import AsyncRolecall, Session
from rolecall.django import require_member as require_member_of_django
from rolecall.fastapi import RolecallLogin
from rolecall.web.login_flow import LoginSettings
from rolecall.web.role_rules import RoleRules

Given = Dict[str, Any]


@pytest.fixture(scope="module")
def own_project() -> Given:
    return act("project", redirectUri=f"{site_cases.APP_URL}/auth/callback")


def site_of(project: Given, rolecall: AsyncRolecall, broken: AsyncRolecall, own: Given) -> FastAPI:
    app = FastAPI()
    settings = LoginSettings(
        client_id=project["id"],
        server_id=SERVER,
        app_url=site_cases.APP_URL,
        secret=[site_cases.NEW_SECRET, site_cases.SECRET],
        **own,
    )
    login = RolecallLogin(rolecall, settings)
    login.install(app)
    away = RolecallLogin(broken, settings)

    @app.get("/café")
    @app.get("/member")
    @app.post("/member")
    async def member(session: Session = Depends(login.require_member())) -> Dict[str, str]:
        return {"id": session.member.id}

    @app.get("/captain")
    async def captain(
        session: Session = Depends(login.require_member(any_of=[ROLES["captain"]])),
    ) -> Dict[str, str]:
        return {"id": session.member.id}

    @app.get("/who")
    async def who(session: Optional[Session] = Depends(login.current_session)) -> Dict[str, bool]:
        return {"known": session is not None}

    @app.get("/kept")
    async def kept(session: Optional[Session] = Depends(login.current_session)) -> Response:
        # Returns its own response, to which FastAPI adds no header of a dependency.
        return JSONResponse({"known": session is not None}, headers={"cache-control": "public, max-age=60, s-maxage=60"})

    @app.get("/open")
    async def is_open() -> Dict[str, str]:
        return {}

    @app.get("/broken")
    async def unavailable(session: Session = Depends(away.require_member())) -> None:
        raise AssertionError("nobody can be let in")

    return app


class Browser:
    """Runs the site in this process, one request after the other."""

    def __init__(self, project: Given, own: Optional[Given] = None) -> None:
        self._project = project
        self._own = own or {}
        self.cookies = httpx.Cookies()

    def get(self, path: str, headers: Dict[str, str]) -> httpx.Response:
        return asyncio.run(self._ask("GET", path, headers))

    def post(self, path: str, headers: Dict[str, str]) -> httpx.Response:
        return asyncio.run(self._ask("POST", path, headers))

    async def _ask(self, method: str, path: str, headers: Dict[str, str]) -> httpx.Response:
        async with AsyncRolecall(SERVICE_URL, self._project["key"]) as rolecall, AsyncRolecall(
            "http://127.0.0.1:1", "k", retries=0
        ) as broken:
            site: Any = site_of(self._project, rolecall, broken, self._own)
            transport = httpx.ASGITransport(app=site)
            async with httpx.AsyncClient(
                transport=transport, base_url=site_cases.APP_URL, cookies=self.cookies
            ) as client:
                reply = await client.request(method, path, headers=headers)
                self.cookies = client.cookies
                return reply


@pytest.fixture
def browser(own_project: Given) -> Iterator[Browser]:
    yield Browser(own_project)


CASES = [*site_cases.CASES, *refresh_cases.CASES]


@pytest.mark.parametrize("case", CASES, ids=[case.__name__ for case in CASES])
def test_a_site(case: Callable[[Browser, Given], None], browser: Browser, own_project: Given) -> None:
    case(browser, own_project)


def test_a_callback_counts_only_where_the_login_began(browser: Browser, own_project: Given) -> None:
    site_cases.a_callback_counts_only_where_the_login_began(browser, own_project, lambda: Browser(own_project))


def test_a_site_with_pages_of_its_own(own_project: Given, caplog: pytest.LogCaptureFixture) -> None:
    site_cases.pages_of_the_site_replace_those_of_the_library(Browser(own_project, site_cases.OWN_PAGES), caplog)


@pytest.mark.parametrize(("wanted", "taken"), site_cases.RETURN_TO)
def test_a_login_returns_to_this_site_only(browser: Browser, wanted: str, taken: str) -> None:
    end = site_cases.finish(browser, site_cases.begin(browser, wanted))
    assert site_cases.location_of(end) == site_cases.APP_URL + taken


@pytest.mark.parametrize("roles", [None, [], [None], [""], "captain", 5], ids=repr)
def test_a_rule_that_names_no_role_opens_no_page(roles: Any) -> None:
    for name in ("any_of", "all_of"):
        with pytest.raises(ValueError, match=f"{name} must be a list of role IDs"):
            RoleRules(**{name: roles})
    with pytest.raises(ValueError):
        require_member_of_django(any_of=roles)


def test_current_session_keeps_nobody_out(browser: Browser) -> None:
    assert browser.get("/who", headers={}).json() == {"known": False}
    site_cases.finish(browser, site_cases.begin(browser))
    assert browser.get("/who", headers={}).json() == {"known": True}


def test_a_login_that_fails_by_the_sites_own_key_is_in_its_log(
    own_project: Given, caplog: pytest.LogCaptureFixture
) -> None:
    browser = Browser({**own_project, "key": "rck_of_nobody"})
    failed = site_cases.finish(browser, site_cases.begin(browser))
    assert failed.status_code == 503 and "Something is wrong on our side" in failed.text
    lines = [record.getMessage() for record in caplog.records if record.name == "rolecall"]
    assert len(lines) == 1 and "INVALID_API_KEY" in lines[0] and "rck_of_nobody" not in lines[0]


def test_a_session_that_cannot_be_checked_is_in_the_log(
    browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    site_cases.finish(browser, site_cases.begin(browser))
    assert browser.get("/broken", headers=site_cases.NAVIGATE).status_code == 503
    assert any(record.name == "rolecall" and "NETWORK_ERROR" in record.getMessage() for record in caplog.records)

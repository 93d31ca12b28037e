"""The tests of refreshing sessions. Each framework runs them with its site."""

from __future__ import annotations

import time
from typing import Any, Dict, List

from conftest import SERVICE_URL, USERS, act
from rolecall import Rolecall
from rolecall.web.sealed_cookies import SealedCookies
from site_cases import APP_URL, NAVIGATE, NEW_SECRET, Browser, location_of

SCRIPT = {"sec-fetch-mode": "cors"}


def name_of(project: Dict[str, Any], kind: str) -> str:
    return f"__Host-rolecall-{project['id'][-8:]}-{kind}"


def bring(browser: Browser, project: Dict[str, Any], pair: Dict[str, Any], *, got_ago: int = 100, ends_in: int = 60) -> None:
    """Gives the browser the cookie of a session, by default after more than half of its lifetime."""
    name, now = name_of(project, "session"), int(time.time())
    times = {"obtainedAt": now - got_ago, "expiresAt": now + ends_in}
    pair = {"token": pair["token"], "refreshToken": pair["refreshToken"]}
    browser.cookies.set(name, SealedCookies(NEW_SECRET).seal(name, {**pair, **times}), domain="crew.example")


def new_pair(project: Dict[str, Any]) -> Dict[str, Any]:
    return act("session", id=project["id"], key=project["key"], **{"as": USERS["ada"]})


def is_live(project: Dict[str, Any], token: str) -> bool:
    with Rolecall(SERVICE_URL, project["key"]) as rolecall:
        return rolecall.validate(token) is not None


def set_names(reply: Any) -> List[str]:
    return [line.split("=")[0] for line in reply.headers.get_list("set-cookie")]


def a_page_replaces_a_pair_that_is_past_half_of_its_life(browser: Browser, project: Dict[str, Any]) -> None:
    pair = new_pair(project)
    bring(browser, project, pair)
    page = browser.get("/member", headers=NAVIGATE)
    assert page.json() == {"id": USERS["ada"]}
    assert set_names(page) == [name_of(project, "session")]
    directives = {one.strip() for one in page.headers["cache-control"].split(",")}
    assert {"private", "no-store"} <= directives
    assert not is_live(project, pair["token"])
    again = browser.get("/member", headers=NAVIGATE)
    assert again.json() == {"id": USERS["ada"]} and set_names(again) == []


def nothing_is_replaced_before_or_for_a_script_or_ahead_of_a_visit(browser: Browser, project: Dict[str, Any]) -> None:
    pair = new_pair(project)
    bring(browser, project, pair, got_ago=40, ends_in=60)
    assert set_names(browser.get("/member", headers=NAVIGATE)) == []
    bring(browser, project, pair)
    for headers in (SCRIPT, {**NAVIGATE, "sec-purpose": "prefetch"}):
        reply = browser.get("/member", headers=headers)
        assert reply.json() == {"id": USERS["ada"]} and set_names(reply) == []
    assert is_live(project, pair["token"])


def whoever_still_brings_the_old_cookie_gets_the_new_pair(browser: Browser, project: Dict[str, Any]) -> None:
    pair = new_pair(project)
    bring(browser, project, pair)
    browser.get("/member", headers=NAVIGATE)
    for headers in (SCRIPT, NAVIGATE):
        bring(browser, project, pair)
        late = browser.get("/member", headers=headers)
        assert late.json() == {"id": USERS["ada"]}
        assert set_names(late) == [name_of(project, "session")]


def a_pair_that_another_process_has_replaced_is_worth_one_more_try(browser: Browser, project: Dict[str, Any]) -> None:
    pair = new_pair(project)
    with Rolecall(SERVICE_URL, project["key"]) as elsewhere:
        newer = elsewhere.refresh(pair["token"], pair["refreshToken"])
    bring(browser, project, pair)
    first = browser.get("/member?tab=2", headers=NAVIGATE)
    assert location_of(first) == f"{APP_URL}/member?tab=2"
    assert set_names(first) == [name_of(project, "retry")]
    second = browser.get("/member?tab=2", headers=NAVIGATE)
    assert location_of(second).startswith(f"{APP_URL}/auth/login?")
    # The response must not delete the session cookie, because the browser may have a newer one by now.
    assert name_of(project, "session") not in set_names(second)
    bring(browser, project, {"token": newer.token, "refreshToken": newer.refresh_token}, got_ago=0)
    assert browser.get("/member?tab=2", headers=NAVIGATE).json() == {"id": USERS["ada"]}


def a_cookie_of_an_earlier_version_is_taken_and_not_replaced(browser: Browser, project: Dict[str, Any]) -> None:
    pair = new_pair(project)
    name = name_of(project, "session")
    value = SealedCookies(NEW_SECRET).seal(name, {"token": pair["token"], "refreshToken": pair["refreshToken"]})
    browser.cookies.set(name, value, domain="crew.example")
    reply = browser.get("/member", headers=NAVIGATE)
    assert reply.json() == {"id": USERS["ada"]} and set_names(reply) == []


CASES = [
    a_page_replaces_a_pair_that_is_past_half_of_its_life,
    nothing_is_replaced_before_or_for_a_script_or_ahead_of_a_visit,
    whoever_still_brings_the_old_cookie_gets_the_new_pair,
    a_pair_that_another_process_has_replaced_is_worth_one_more_try,
    a_cookie_of_an_earlier_version_is_taken_and_not_replaced,
]

"""The tests of the sign-in. Each framework runs them with the same site."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from pathlib import Path
from typing import Any, Callable, Dict, Optional
from urllib.parse import quote, urlencode

import httpx

from conftest import NO_TOKEN, ROLES, SERVICE_URL, USERS, act, query_of, token_of, walk
from rolecall.web.page_texts import PAGE_TEXTS
from rolecall.web.pages import PageAnswer, PageDetails, Pages, Redirect
from rolecall.web.sealed_cookies import SealedCookies

APP_URL = "https://crew.example"
SECRET = "an old secret, random enough for tests"
NEW_SECRET = "a new secret, random enough for tests"
NAVIGATE = {"sec-fetch-mode": "navigate", "sec-fetch-site": "none"}
SAME_SITE = {"sec-fetch-site": "same-origin", "origin": APP_URL}

#: The requests to guards, and whether a guard accepts each. The client for JavaScript is tested with the same table.
GUARD_CASES = json.loads((Path(__file__).parents[2] / "guard-cases.json").read_text())

#: A browser at the site. It stores cookies, but does not follow redirects.
Browser = Any


def location_of(reply: Any) -> str:
    assert reply.status_code == 303, (reply.status_code, reply.text)
    return str(reply.headers["location"])


def begin(browser: Browser, return_to: Optional[str] = None) -> str:
    """Starts a sign-in, and returns the address at which the service sends the browser back."""
    query = "" if return_to is None else f"?return_to={quote(return_to, safe='')}"
    return walk(location_of(browser.get(f"/auth/login{query}", headers=NAVIGATE)))


def finish(browser: Browser, url: str) -> Any:
    assert url.startswith(f"{APP_URL}/auth/callback?")
    return browser.get(url[len(APP_URL) :], headers=NAVIGATE)


def a_page_leads_through_the_login_and_back(browser: Browser, project: Dict[str, Any]) -> None:
    start = location_of(browser.get("/member?tab=2", headers=NAVIGATE))
    assert start == f"{APP_URL}/auth/login?return_to=%2Fmember%3Ftab%3D2"
    end = finish(browser, begin(browser, "/member?tab=2"))
    assert location_of(end) == f"{APP_URL}/member?tab=2"
    assert browser.get("/member?tab=2", headers=NAVIGATE).json() == {"id": USERS["ada"]}


def a_page_with_letters_of_any_language_is_returned_to(browser: Browser, project: Dict[str, Any]) -> None:
    start = location_of(browser.get("/caf%C3%A9", headers=NAVIGATE))
    end = finish(browser, walk(location_of(browser.get(start[len(APP_URL) :], headers=NAVIGATE))))
    assert location_of(end) == f"{APP_URL}/caf%C3%A9"


def cookies_are_sealed_and_kept_from_scripts(browser: Browser, project: Dict[str, Any]) -> None:
    end = finish(browser, begin(browser))
    [line] = [one for one in end.headers.get_list("set-cookie") if "-session=" in one]
    assert re.match(r"__Host-rolecall-[0-9a-f]{8}-session=1\.[0-9a-f]{8}\.[\w-]+;", line)
    for attribute in ("HttpOnly", "Secure", "Path=/", "SameSite=lax"):
        assert attribute.lower() in line.lower()
    assert "domain=" not in line.lower() and "rcs_" not in line and len(line) < 500
    assert end.headers["cache-control"] == "no-store"


def an_api_call_is_refused_and_not_redirected(browser: Browser, project: Dict[str, Any]) -> None:
    reply = browser.get("/member", headers={"sec-fetch-mode": "cors", "accept": "text/html"})
    assert (reply.status_code, reply.json()["code"]) == (401, "LOGIN_REQUIRED")
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.headers["www-authenticate"] == "Bearer"


def a_role_is_asked_for_live(browser: Browser, project: Dict[str, Any]) -> None:
    finish(browser, begin(browser))
    act("roles", member=USERS["ada"], role=ROLES["crew"])
    assert browser.get("/captain", headers=NAVIGATE).status_code == 403
    refused = browser.get("/captain", headers={"sec-fetch-mode": "cors"})
    assert (refused.status_code, refused.json()["code"]) == (403, "ROLE_REQUIRED")
    act("roles", member=USERS["ada"], role=ROLES["captain"])
    assert browser.get("/captain", headers=NAVIGATE).json() == {"id": USERS["ada"]}
    act("roles", member=USERS["ada"], role=ROLES["crew"])


def a_bearer_token_counts_as_well(browser: Browser, project: Dict[str, Any]) -> None:
    headers = {"authorization": f"Bearer {token_of(project)}", "sec-fetch-mode": "cors"}
    assert browser.get("/member", headers=headers).json() == {"id": USERS["ada"]}


def logging_out_ends_the_session_itself(browser: Browser, project: Dict[str, Any]) -> None:
    finish(browser, begin(browser))
    kept = dict(browser.cookies)
    assert location_of(browser.post("/auth/logout", headers=SAME_SITE)) == f"{APP_URL}/"
    assert not any(name.endswith("-session") for name in browser.cookies.keys())
    for name, value in kept.items():
        browser.cookies.set(name, value, domain="crew.example")
    assert browser.get("/member", headers={"sec-fetch-mode": "cors"}).status_code == 401
    assert browser.get("/auth/signed-out", headers=NAVIGATE).status_code == 200


def no_other_site_can_log_anyone_out(browser: Browser, project: Dict[str, Any]) -> None:
    finish(browser, begin(browser))
    for headers in ({"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.example"}, {}):
        assert browser.post("/auth/logout", headers=headers).status_code == 403
    assert browser.get("/auth/logout", headers=NAVIGATE).status_code == 405
    assert location_of(browser.get("/auth/signed-out", headers=NAVIGATE)) == f"{APP_URL}/"
    assert browser.get("/member", headers=NAVIGATE).status_code == 200


def a_callback_counts_only_where_the_login_began(
    browser: Browser, project: Dict[str, Any], another: Callable[[], Browser]
) -> None:
    url = begin(browser)
    stranger = another()
    refused = finish(stranger, url)
    assert refused.status_code == 400 and "set-cookie" not in refused.headers
    assert location_of(finish(browser, url)) == f"{APP_URL}/"
    assert finish(browser, url).status_code == 400


def an_answer_of_another_service_is_refused(browser: Browser, project: Dict[str, Any]) -> None:
    url = begin(browser)
    assert query_of(url)["iss"] == SERVICE_URL
    assert finish(browser, url.replace(quote(SERVICE_URL, safe=""), "https%3A%2F%2Fevil.example")).status_code == 400


def a_login_that_cannot_be_finished_says_why(browser: Browser, project: Dict[str, Any]) -> None:
    url = begin(browser)
    name = next(name for name in browser.cookies.keys() if "-login-" in name)
    value = browser.cookies[name]
    seals = SealedCookies(NEW_SECRET)
    late: Dict[str, object] = {**(seals.open(name, value) or {})}
    late["at"] = int(time.time()) - 601
    for kept, reason in (
        (value[:-9] + ("A" if value[-9] != "A" else "B") + value[-8:], "was changed"),
        (seals.seal(name, late), "longer than ten minutes"),
    ):
        browser.cookies.set(name, kept, domain="crew.example")
        reply = finish(browser, url)
        assert reply.status_code == 400 and reason in reply.text
    browser.cookies.set(name, value, domain="crew.example")
    assert location_of(finish(browser, url)) == f"{APP_URL}/"
    again = finish(browser, url)
    assert again.status_code == 400 and "Start again in this browser and allow cookies" in again.text
    url = begin(browser)
    code = query_of(url)["code"]
    used = finish(browser, url.replace(code, code[:-1] + ("A" if code[-1] != "A" else "B")))
    assert used.status_code == 400 and "was already used" in used.text


def two_tabs_both_finish(browser: Browser, project: Dict[str, Any]) -> None:
    first, second = begin(browser, "/member?tab=1"), begin(browser, "/member?tab=2")
    assert location_of(finish(browser, first)) == f"{APP_URL}/member?tab=1"
    assert location_of(finish(browser, second)) == f"{APP_URL}/member?tab=2"


def logins_that_nobody_finishes_do_not_pile_up(browser: Browser, project: Dict[str, Any]) -> None:
    for _ in range(8):
        last = begin(browser)
    assert len([name for name in browser.cookies.keys() if "-login-" in name]) == 5
    assert location_of(finish(browser, last)) == f"{APP_URL}/"


def a_person_who_declines_reads_why(browser: Browser, project: Dict[str, Any]) -> None:
    state = query_of(location_of(browser.get("/auth/login", headers=NAVIGATE)))["state"]
    query = f"error=access_denied&error_description=No+%3Cb%3Ethanks&state={state}&iss={quote(SERVICE_URL)}"
    reply = browser.get(f"/auth/callback?{query}", headers=NAVIGATE)
    assert reply.status_code == 403 and "No &lt;b&gt;thanks" in reply.text
    style = reply.text.split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in reply.headers["content-security-policy"]


def come_back(browser: Browser, answer: Dict[str, str], language: str = "") -> Any:
    """Starts a sign-in, and returns from it with the given response of the service."""
    state = query_of(location_of(browser.get("/auth/login", headers=NAVIGATE)))["state"]
    query = urlencode({"state": state, "iss": SERVICE_URL, **answer})
    return browser.get(f"/auth/callback?{query}", headers={**NAVIGATE, "accept-language": language})


REFUSAL = {"error": "access_denied", "error_description": "Not a member of <Crew>."}


def a_page_speaks_the_language_of_the_visitor(browser: Browser, project: Dict[str, Any]) -> None:
    german = come_back(browser, {**REFUSAL, "error_reason": "not_a_member"}, "de-AT,en;q=0.5")
    texts = PAGE_TEXTS["de"]
    assert german.status_code == 403 and german.headers["content-language"] == "de"
    assert '<html lang="de">' in german.text and german.headers["vary"] == "Accept-Language"
    assert f"<h1>{texts['refusedTitle']}</h1><p>{texts['not_a_member']}</p>" in german.text
    assert f">{texts['tryAgain']}</a>" in german.text
    english = come_back(browser, {**REFUSAL, "error_reason": "not_a_member"}, "ca")
    assert '<html lang="en">' in english.text and "<p>Not a member of &lt;Crew&gt;.</p>" in english.text
    newer = come_back(browser, {**REFUSAL, "error_reason": "of_a_newer_service"}, "ja")
    assert '<html lang="ja">' in newer.text and '<p lang="en">Not a member of &lt;Crew&gt;.</p>' in newer.text
    silent = come_back(browser, {"error": "access_denied", "error_description": "no\u202eASCII"}, "ja")
    assert f"<p>{PAGE_TEXTS['ja']['LOGIN_REFUSED']}</p>" in silent.text
    blocked = come_back(browser, {**REFUSAL, "error_reason": "blocked"}, "ko")
    assert f'<a href="{APP_URL}">{PAGE_TEXTS["ko"]["startPage"]}</a>' in blocked.text
    signed_out = browser.get("/auth/signed-out", headers={**NAVIGATE, "accept-language": "pl"})
    assert signed_out.status_code == 200 and "<h1>Wylogowano</h1>" in signed_out.text


def own_expired(details: PageDetails) -> str:
    raise ValueError("planted in a page")


def redirect_blocked(details: PageDetails) -> Optional[PageAnswer]:
    return Redirect("/appeal") if details.reason == "blocked" and details.retry_url is None else None


#: The settings of a site that replaces the library's pages. One of them raises an error.
OWN_PAGES: Dict[str, Any] = {
    "pages": Pages(
        refused=lambda details: f"<p>own: {details.code} {details.description}</p>",
        expired=own_expired,
        failed=lambda details: f"own: {details.code} {details.retry_url}",
        signed_out=lambda details: f'<p lang="{details.language}">own: {details.title}</p>',
    ),
    "on_refused": redirect_blocked,
    "language": lambda request: request.query.get("lang"),
}


def pages_of_the_site_replace_those_of_the_library(browser: Browser, caplog: Any) -> None:
    """Needs a site with `OWN_PAGES`."""
    refused = come_back(browser, {**REFUSAL, "error_reason": "not_a_member"})
    assert (refused.status_code, refused.text) == (403, "<p>own: LOGIN_REFUSED Not a member of <Crew>.</p>")
    assert refused.headers["content-type"] == "text/html; charset=utf-8"
    assert "no-store" in refused.headers["cache-control"]
    assert re.match("default-src 'self';.+frame-ancestors 'none'", refused.headers["content-security-policy"])
    blocked = come_back(browser, {**REFUSAL, "error_reason": "blocked"})
    assert location_of(blocked) == "/appeal" and "no-store" in blocked.headers["cache-control"]

    expired = browser.get("/auth/callback?state=x", headers={**NAVIGATE, "accept-language": "de"})
    assert expired.status_code == 400 and "Beginnen Sie in diesem Browser neu" in expired.text
    assert any("planted in a page" in (record.exc_text or "") for record in caplog.records if record.name == "rolecall")

    headers = {"authorization": f"Bearer {NO_TOKEN}", **NAVIGATE}
    failed = browser.get("/broken", headers=headers)
    assert (failed.status_code, failed.text) == (503, f"own: SESSION_CHECK_UNAVAILABLE {APP_URL}/broken")
    assert int(failed.headers["retry-after"]) > 0

    assert location_of(browser.post("/auth/logout", headers=SAME_SITE)) == f"{APP_URL}/auth/signed-out"
    signed_out = browser.get("/auth/signed-out", headers={**NAVIGATE, "accept-language": "fr"})
    assert (signed_out.status_code, signed_out.text) == (200, '<p lang="fr">own: Déconnexion terminée</p>')

    chosen = browser.get("/auth/login?lang=pt-PT", headers={**NAVIGATE, "accept-language": "nl"})
    assert query_of(location_of(chosen))["ui_locales"] == "pt-BR"
    page = browser.get("/auth/signed-out?lang=pt-PT", headers={**NAVIGATE, "accept-language": "nl"})
    assert page.text == '<p lang="pt-BR">own: Você saiu</p>'
    assert "ui_locales" not in query_of(location_of(browser.get("/auth/login?lang=xx", headers=NAVIGATE)))


def nobody_is_logged_out_by_an_outage(browser: Browser, project: Dict[str, Any]) -> None:
    """Needs a page `/broken` of a site that cannot reach its service."""
    headers = {"authorization": f"Bearer {NO_TOKEN}"}
    page = browser.get("/broken", headers={**headers, **NAVIGATE})
    assert page.status_code == 503 and int(page.headers["retry-after"]) > 0
    call = browser.get("/broken", headers={**headers, "sec-fetch-mode": "cors"})
    assert (call.status_code, call.json()["code"]) == (503, "SESSION_CHECK_UNAVAILABLE")


def no_shared_cache_keeps_what_was_made_for_one_visitor(browser: Browser, project: Dict[str, Any]) -> None:
    def is_private(reply: Any) -> bool:
        vary = {name.strip().lower() for name in reply.headers.get("vary", "").split(",")}
        cache = {one.strip() for one in reply.headers.get("cache-control", "").split(",")}
        return {"cookie", "authorization"} <= vary and "private" in cache and "public" not in cache

    cors = {"sec-fetch-mode": "cors"}
    finish(browser, begin(browser))
    answers = {path: browser.get(path, headers=cors) for path in ("/member", "/who", "/kept", "/captain")}
    assert [path for path, reply in answers.items() if not is_private(reply)] == []
    assert answers["/kept"].json() == {"known": True}
    assert "max-age=60" in answers["/kept"].headers["cache-control"]
    stranger = browser.get("/kept", headers={**cors, "authorization": f"Bearer {NO_TOKEN}"})
    assert stranger.json() == {"known": False} and is_private(stranger)
    assert not is_private(browser.get("/open", headers=cors))


def a_cookie_that_no_login_made_is_left_alone(browser: Browser, project: Dict[str, Any]) -> None:
    start = browser.get("/auth/login", headers=NAVIGATE)
    [made] = [line.split("=")[0] for line in start.headers.get_list("set-cookie")]
    odd = [made[:-16] + name for name in ("a[1]", "c,c", "e@e", "short", "x" * 17, "(" * 16, "/" * 16)]
    cookie = "; ".join(f"{name}=x" for name in odd)
    reply = browser.get("/auth/login", headers={**NAVIGATE, "cookie": cookie})
    assert reply.status_code == 303
    assert len(reply.headers.get_list("set-cookie")) == 1


def a_cookie_whose_name_begins_with_a_space_of_unicode_is_another_cookie(
    browser: Browser, project: Dict[str, Any]
) -> None:
    finish(browser, begin(browser))
    [name] = [name for name in browser.cookies.keys() if name.endswith("-session")]
    pair = f"{name}={browser.cookies[name]}"
    known = []
    # Browsers accept such a name from a sibling host, because it does not begin with `__Host-`.
    for space in ("", " ", "\xa0", "\x85", "\u2000", "\u3000"):
        cookie = ("a=1; ".encode() + space.encode("latin-1" if space < "\u0100" else "utf-8") + pair.encode())
        reply = browser.get("/who", headers={"cookie": cookie})
        known.append(reply.json()["known"])
    assert known == [True, True, False, False, False, False]


def every_row_of_the_shared_guard_table_holds(browser: Browser, project: Dict[str, Any]) -> None:
    finish(browser, begin(browser))
    rows = GUARD_CASES["requests"]
    assert GUARD_CASES["appUrl"] == APP_URL and len(rows) > 10
    for row in rows:
        ask = {"GET": browser.get, "POST": browser.post}[row["method"]]
        reply = ask("/member", headers=row["headers"])
        assert (reply.status_code == 200) is row["isAccepted"], row
        assert row["isAccepted"] or reply.json()["code"] == "CROSS_SITE_REQUEST", row
    # A request with a Bearer token is accepted from anywhere, because browsers do not add one by themselves.
    headers = {"authorization": f"Bearer {token_of(project)}", "sec-fetch-site": "cross-site"}
    assert browser.post("/member", headers=headers).status_code == 200


def a_second_login_ends_the_session_before_it(browser: Browser, project: Dict[str, Any]) -> None:
    finish(browser, begin(browser))
    names = [name for name in browser.cookies.keys() if name.endswith("-session")]
    before = {name: str(browser.cookies[name]) for name in names}
    finish(browser, begin(browser))
    assert browser.get("/member", headers=NAVIGATE).status_code == 200
    for name, value in before.items():
        browser.cookies.set(name, value, domain="crew.example")
    assert browser.get("/member", headers={"sec-fetch-mode": "cors"}).status_code == 401


CASES = [
    every_row_of_the_shared_guard_table_holds,
    a_second_login_ends_the_session_before_it,
    no_shared_cache_keeps_what_was_made_for_one_visitor,
    a_cookie_that_no_login_made_is_left_alone,
    a_cookie_whose_name_begins_with_a_space_of_unicode_is_another_cookie,
    a_page_leads_through_the_login_and_back,
    a_page_with_letters_of_any_language_is_returned_to,
    cookies_are_sealed_and_kept_from_scripts,
    an_api_call_is_refused_and_not_redirected,
    a_role_is_asked_for_live,
    a_bearer_token_counts_as_well,
    logging_out_ends_the_session_itself,
    no_other_site_can_log_anyone_out,
    an_answer_of_another_service_is_refused,
    a_login_that_cannot_be_finished_says_why,
    two_tabs_both_finish,
    logins_that_nobody_finishes_do_not_pile_up,
    a_person_who_declines_reads_why,
    a_page_speaks_the_language_of_the_visitor,
    nobody_is_logged_out_by_an_outage,
]

RETURN_TO = [
    ("/member?tab=2#x", "/member?tab=2#x"),
    ("/a%20b", "/a%20b"),
    *(
        (evil, "/")
        for evil in (
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "/x\r\nset-cookie: a=b",
            "javascript:alert(1)",
            "member",
            "",
            "/auth/login",
            "/auth/../auth/logout",
            "/x/../auth/logout",
            "/%61uth/logout",
            "/é",
            "/" + "a" * 2_000,
        )
    ),
    # The redirect is absolute, so the browser stays on the site, however it reads the path.
    ("/.//evil.example", "/.//evil.example"),
    ("/..//evil.example", "/..//evil.example"),
]

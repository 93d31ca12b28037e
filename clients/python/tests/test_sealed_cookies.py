"""Cookies that only the site can read, write or move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict

import pytest

from rolecall.web.login_flow import LoginFlow, LoginSettings
from rolecall.web.sealed_cookies import SealedCookies

#: The client in JavaScript passes the same table.
GUARD_CASES = json.loads((Path(__file__).parents[2] / "guard-cases.json").read_text())
OLD, NEW = "o" * 32, "n" * 32
VALUE = {"token": "rcs_secret"}


def test_what_was_sealed_opens_under_its_name_only() -> None:
    cookies = SealedCookies(NEW)
    sealed = cookies.seal("session", VALUE)
    assert cookies.open("session", sealed) == VALUE
    assert cookies.open("login", sealed) is None
    assert "secret" not in sealed
    assert sealed != cookies.seal("session", VALUE)


def test_a_new_secret_opens_what_an_old_one_sealed_and_seals_by_itself() -> None:
    sealed = SealedCookies(OLD).seal("session", VALUE)
    assert SealedCookies([NEW, OLD]).open("session", sealed) == VALUE
    assert SealedCookies(NEW).open("session", sealed) is None
    assert SealedCookies(NEW).open("session", SealedCookies([NEW, OLD]).seal("session", VALUE)) == VALUE


def test_a_cookie_that_somebody_changed_anywhere_does_not_open() -> None:
    cookies = SealedCookies(NEW)
    sealed = cookies.seal("session", VALUE)
    for i, letter in enumerate(sealed[:-1]):
        other = "A" if letter != "A" else "B"
        assert cookies.open("session", sealed[:i] + other + sealed[i + 1 :]) is None, i
    key_id = sealed.split(".")[1]
    for strange in (None, "", ".", "1..", f"1.{key_id}.", f"1.{key_id}.é", f"1.{key_id}.!!", sealed + "AAAA"):
        assert cookies.open("session", strange) is None


def test_a_short_secret_and_a_long_cookie_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 32"):
        SealedCookies("short")
    with pytest.raises(ValueError, match="at least 32"):
        SealedCookies([])
    with pytest.raises(ValueError, match="too long"):
        SealedCookies(NEW).seal("session", {"token": "x" * 4_000})


@pytest.mark.parametrize("row", GUARD_CASES["appUrls"], ids=[row["appUrl"] for row in GUARD_CASES["appUrls"]])
def test_the_address_of_a_site_is_checked_at_the_start(row: Dict[str, Any]) -> None:
    settings = LoginSettings("client", "server", row["appUrl"], NEW)
    if row["isAccepted"]:
        LoginFlow("https://id.example", settings)
        return
    with pytest.raises(ValueError, match="app_url"):
        LoginFlow("https://id.example", settings)


def test_the_settings_never_show_their_secret() -> None:
    assert NEW not in repr(LoginSettings("client", "server", "https://crew.example", NEW))

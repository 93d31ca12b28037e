"""Every call of a project, by threads and by asyncio, against the service."""

from __future__ import annotations

import inspect
import re
from datetime import datetime, timedelta, timezone
from typing import Any, Dict

import httpx
import pytest

from conftest import REDIRECT_URI, ROLES, SERVER, SERVICE_URL, USERS, act, code_of, log_in, role_ids, token_of
from rolecall import (
    AsyncRolecall,
    AuthenticationError,
    BadRequestError,
    Client,
    ConflictError,
    NotFoundError,
    Rolecall,
    RolecallError,
    UnprocessableError,
    mint_login,
    sign,
)

Given = Dict[str, Any]


def test_both_clients_have_the_same_calls_with_the_same_arguments() -> None:
    def calls_of(kind: type) -> Dict[str, Any]:
        public = {name: one for name, one in inspect.getmembers(kind, callable) if not name.startswith("_")}
        return {name.replace("aclose", "close"): list(inspect.signature(one).parameters) for name, one in public.items()}

    assert calls_of(Rolecall) == calls_of(AsyncRolecall)
    assert "exchange" in calls_of(Rolecall)


def test_a_login_ends_in_a_session_bound_by_pkce(rolecall: Rolecall, project: Given) -> None:
    session = log_in(rolecall, project)
    assert session.token.startswith("rcs_") and session.refresh_token.startswith("rcr_")
    assert (session.member.id, session.member.username) == (USERS["ada"], "ada.osei")
    assert [role.role_name for role in session.roles] == ["Crew"]
    assert timedelta(days=29) < session.expires_at - datetime.now(timezone.utc) < timedelta(days=31)


def test_a_login_without_its_verifier_is_refused_with_a_code(rolecall: Rolecall, project: Given) -> None:
    request = code_of(rolecall, project)
    del request["code_verifier"]
    with pytest.raises(BadRequestError) as refused:
        rolecall.exchange(**request)
    assert (refused.value.status, refused.value.code) == (400, "CHALLENGE_WITHOUT_VERIFIER")
    assert refused.value.request_id


def test_a_code_is_good_once(rolecall: Rolecall, project: Given) -> None:
    request = code_of(rolecall, project)
    rolecall.exchange(**request)
    with pytest.raises(AuthenticationError) as refused:
        rolecall.exchange(**request)
    assert refused.value.code == "INVALID_CODE"


def test_single_sign_on_starts_at_its_own_address(rolecall: Rolecall, project: Given) -> None:
    url = rolecall.authorize_url(
        client_id=project["id"], redirect_uri=REDIRECT_URI, server_id=SERVER, state="s", sso=True
    )
    assert url.startswith(f"{SERVICE_URL}/api/auth/sso/authorize?client_id=")
    assert "code_challenge" not in url


def test_the_service_is_told_which_browser_it_is_about(rolecall: Rolecall, project: Given) -> None:
    client = Client("203.0.113.9", "Boat\nBrowser ⛵ 1.0")
    session = rolecall.exchange(**code_of(rolecall, project, "piper"), client=client)
    info = rolecall.sessions(session.token)[0].client_info
    assert info is not None
    assert (info.ip_address, info.user_agent) == ("203.0.113.9", "BoatBrowser  1.0")


def test_secrets_of_a_login_fit_rfc_7636_and_never_repeat() -> None:
    logins = [mint_login() for _ in range(100)]
    secrets = {secret for login in logins for secret in (login.state, login.code_verifier)}
    assert len(secrets) == 200
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", secret) for secret in secrets)


def test_validate_answers_the_member_and_the_roles_they_hold_now(rolecall: Rolecall, project: Given) -> None:
    act("roles", member=USERS["tomas"], role=ROLES["deckhand"])
    token = token_of(project, "tomas")
    before = rolecall.validate(token)
    act("roles", member=USERS["tomas"], role=ROLES["captain"])
    after = rolecall.validate(token)
    assert before is not None and after is not None
    assert role_ids(before.roles) == [ROLES["deckhand"]]
    assert role_ids(after.roles) == [ROLES["captain"]]
    assert (before.groups, after.groups) == (("Deckhand",), ("Captain",))
    assert after.session.server_id == SERVER


@pytest.mark.parametrize(
    "token", ["rcs_" + "a" * 49, None, "", "x" * 10_000, "\x00\ud800⛵"], ids=["unknown", "none", "empty", "long", "odd"]
)
def test_validate_answers_none_for_what_is_no_live_token(rolecall: Rolecall, token: str) -> None:
    assert rolecall.validate(token) is None


def test_a_bad_key_raises_rather_than_calling_everyone_logged_out(project: Given) -> None:
    with Rolecall(SERVICE_URL, "rck_nobody") as stranger, pytest.raises(AuthenticationError) as refused:
        stranger.validate(token_of(project))
    assert refused.value.code == "INVALID_API_KEY"


def test_sessions_are_listed_without_tokens_and_revoked_one_by_one(rolecall: Rolecall, project: Given) -> None:
    first, second = token_of(project, "joon"), token_of(project, "joon")
    listed = [one for one in rolecall.sessions(second) if one.project_id == project["id"]]
    mine = rolecall.validate(second)
    assert mine is not None and listed[0].id == mine.session.id
    assert not re.search(r"rc[sr]_", repr(listed))
    rolecall.revoke_session(second, listed[1].id)
    assert rolecall.validate(first) is None
    assert rolecall.validate(second) is not None


@pytest.mark.parametrize("id", ["0199d2a0-0000-7000-8000-000000000000", "../logout", "..", ".", "a/b?c"])
def test_an_id_is_never_taken_for_a_path(rolecall: Rolecall, project: Given, id: str) -> None:
    token = token_of(project)
    with pytest.raises(NotFoundError) as refused:
        rolecall.revoke_session(token, id)
    assert refused.value.code == "SESSION_NOT_FOUND"


def test_logout_ends_one_session_and_logout_all_the_rest(rolecall: Rolecall, project: Given) -> None:
    one, two, three = token_of(project), token_of(project), token_of(project)
    rolecall.logout(one)
    rolecall.logout(one)
    assert rolecall.validate(one) is None
    assert rolecall.validate(two) is not None
    rolecall.logout_all(USERS["ada"])
    assert rolecall.validate(two) is None
    assert rolecall.validate(three) is None


def test_refresh_gives_a_new_pair_and_the_old_one_is_dead(rolecall: Rolecall, project: Given) -> None:
    session = log_in(rolecall, project)
    pair = rolecall.refresh(session.token, session.refresh_token)
    assert rolecall.validate(session.token) is None
    live = rolecall.validate(pair.token)
    assert live is not None and live.session.expires_at == pair.expires_at
    with pytest.raises(AuthenticationError) as refused:
        rolecall.refresh(session.token, session.refresh_token)
    assert refused.value.code == "REFRESH_TOKEN_SUPERSEDED"


def test_a_token_that_no_header_could_carry_is_refused_like_any_bad_one(rolecall: Rolecall) -> None:
    with pytest.raises(AuthenticationError) as refused:
        rolecall.sessions("line\nbreak ⛵")
    assert refused.value.code == "INVALID_TOKEN"


def test_members_come_page_by_page_each_once(rolecall: Rolecall) -> None:
    by_threes = [member.member_id for member in rolecall.members(SERVER, page_size=3)]
    at_once = [member.member_id for member in rolecall.members(SERVER)]
    assert by_threes == at_once
    assert len(set(at_once)) == len(at_once) > 3
    assert USERS["ada"] in at_once


def test_one_member_comes_with_roles_and_an_unknown_one_is_not_found(rolecall: Rolecall) -> None:
    act("roles", member=USERS["kenji"], role=ROLES["quiet"])
    assert role_ids(rolecall.member(SERVER, USERS["kenji"]).roles) == [ROLES["quiet"]]
    with pytest.raises(NotFoundError) as refused:
        rolecall.member(SERVER, "1000000000000000001")
    assert refused.value.code == "MEMBER_NOT_FOUND"


def test_changes_of_members_are_told_from_where_one_began(rolecall: Rolecall) -> None:
    begin = rolecall.member_changes(SERVER).change_cursor
    page = rolecall.member_changes(SERVER, begin)
    assert begin is not None and page.change_cursor is not None
    assert (page.removed, page.has_more) == ((), False)


def test_permissions_are_checked_by_any_and_by_all(rolecall: Rolecall) -> None:
    act("roles", member=USERS["kenji"], role=ROLES["quiet"])
    quiet, crew = ROLES["quiet"], ROLES["crew"]
    assert rolecall.check_permissions(SERVER, USERS["kenji"], any_of=[quiet, crew]).allowed
    refused = rolecall.check_permissions(SERVER, USERS["kenji"], all_of=[quiet, crew])
    assert (refused.allowed, refused.is_member, role_ids(refused.roles)) == (False, True, [quiet])
    assert not rolecall.check_permissions(SERVER, "1000000000000000001").is_member
    known, unknown = rolecall.check_many_permissions(
        SERVER, [USERS["kenji"], "1000000000000000001"], any_of=[quiet, crew]
    )
    assert (known.member_id, known.allowed, role_ids(known.roles)) == (USERS["kenji"], True, [quiet])
    assert (unknown.allowed, unknown.is_member) == (False, False)


def test_a_submission_is_signed_and_stored_once_by_its_key(rolecall: Rolecall, project: Given) -> None:
    webhook = act("webhook", id=project["id"], key=project["key"])
    secret = webhook["secret"]
    first = rolecall.webhooks.submit(webhook["id"], {"name": "Zoë ⛵"}, secret=secret, idempotency_key="a-1")
    again = rolecall.webhooks.submit(webhook["slug"], {"name": "Zoë ⛵"}, secret=secret, idempotency_key="a-1")
    assert first == again
    with pytest.raises(AuthenticationError) as unsigned:
        rolecall.webhooks.submit(webhook["id"], {"name": "Zoë"})
    assert unsigned.value.code == "SIGNATURE_INVALID"
    with pytest.raises(UnprocessableError) as invalid:
        rolecall.webhooks.submit(webhook["id"], {"name": "", "age": -1}, secret=secret)
    assert sorted(error.path for error in invalid.value.errors) == ["/age", "/name"]


def test_a_signature_counts_for_its_bytes_and_once(project: Given) -> None:
    webhook = act("webhook", id=project["id"], key=project["key"])
    body = '{"name":"Zoë"}'.encode()
    signature = sign(body, webhook["secret"], datetime.now(timezone.utc) - timedelta(minutes=1))

    def send(content: bytes) -> int:
        headers = {"x-api-key": project["key"], "x-svc-signature": signature, "content-type": "application/json"}
        return httpx.post(
            f"{SERVICE_URL}/api/inbound-webhooks/{webhook['id']}/submit", content=content, headers=headers
        ).status_code

    assert [send(b'{"name":"Zoe"}'), send(body), send(body)] == [401, 201, 409]


def test_a_conflict_has_its_class(rolecall: Rolecall, project: Given) -> None:
    webhook = act("webhook", id=project["id"], key=project["key"])
    rolecall.webhooks.submit(webhook["id"], {"name": "a"}, secret=webhook["secret"], idempotency_key="b-1")
    with pytest.raises((ConflictError, UnprocessableError)) as refused:
        rolecall.webhooks.submit(webhook["id"], {"name": "b"}, secret=webhook["secret"], idempotency_key="b-1")
    assert refused.value.code == "IDEMPOTENCY_KEY_REUSED"


def test_an_error_names_every_problem_at_once(rolecall: Rolecall) -> None:
    with pytest.raises(RolecallError) as refused:
        rolecall.exchange(client_id="", code="", redirect_uri="x", code_verifier="short")
    assert sorted(error.path for error in refused.value.errors) == ["/clientId", "/code", "/codeVerifier"]
    assert "/codeVerifier" in str(refused.value)


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "server_id", "state"])
@pytest.mark.parametrize("missing", [None, ""])
def test_an_address_without_what_it_needs_is_refused_by_its_name(rolecall: Rolecall, name: str, missing: Any) -> None:
    terms: Any = {"client_id": "a", "redirect_uri": "b", "server_id": "c", "state": "d", name: missing}
    with pytest.raises(ValueError, match=f"^{name} is missing$"):
        rolecall.authorize_url(**terms)

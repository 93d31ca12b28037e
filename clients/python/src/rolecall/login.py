"""The start of a sign-in: its URL, and its two secrets."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Optional
from urllib.parse import urlencode


@dataclass(frozen=True)
class Login:
    """
    The two secrets of one sign-in. Store them where only the browser that started it can return them, e.g. in a cookie.
    """

    #: Pass it to ``authorize_url()``. Check that the redirect contains the same value.
    state: str = field(repr=False)
    #: The PKCE verifier (RFC 7636). Pass it to ``authorize_url()``, which sends only its hash, and to ``exchange()``.
    code_verifier: str = field(repr=False)


def mint_login() -> Login:
    """Creates ``state`` and ``code_verifier`` for one sign-in: 256 random bits each."""
    return Login(secrets.token_urlsafe(32), secrets.token_urlsafe(32))


def authorize_url(
    base_url: str,
    *,
    client_id: str,
    redirect_uri: str,
    server_id: str,
    state: str,
    code_verifier: Optional[str] = None,
    sso: bool = False,
    ui_locales: Optional[str] = None,
) -> str:
    given = {"client_id": client_id, "redirect_uri": redirect_uri, "server_id": server_id, "state": state}
    for name, value in given.items():
        # `urlencode` would send None as the word "None", and the service would reject it much later.
        if not value:
            raise ValueError(f"{name} is missing")
    query = dict(given)
    if ui_locales is not None:
        query["ui_locales"] = ui_locales
    if code_verifier is not None:
        query["code_challenge"] = _challenge_of(code_verifier)
        query["code_challenge_method"] = "S256"
    return f"{base_url}/api/auth/{'sso/' if sso else ''}authorize?{urlencode(query)}"


def _challenge_of(code_verifier: str) -> str:
    """Returns the PKCE challenge for a verifier, by the method S256 (RFC 7636 §4.2)."""
    digest = hashlib.sha256(code_verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

"""Cookies that only the site can read and write, and that are valid only under their own name."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
from typing import Mapping, Optional, Sequence, Union

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_version = "1"
_shortest_secret = 32
#: The maximum length of a cookie with its name. Browsers silently drop longer cookies.
_longest_cookie = 4096
_nonce_size = 12


class SealedCookies:
    """
    Seals the values of cookies with AES-256-GCM, as ``version.keyId.base64url(nonce, ciphertext, tag)``. The name of
    the cookie is authenticated, so the value of one cookie is not valid in another.

    The first secret seals, and all of them open. To replace a secret, put the new one first.
    """

    def __init__(self, secret: Union[str, Sequence[str]]) -> None:
        given = [secret] if isinstance(secret, str) else list(secret)
        if not given or any(len(one) < _shortest_secret for one in given):
            raise ValueError(f"secret must have at least {_shortest_secret} random characters")
        keys = [_key_of(one) for one in given]
        self._sealing_id = _id_of(keys[0])
        self._ciphers: Mapping[str, AESGCM] = {_id_of(key): AESGCM(key) for key in keys}

    def seal(self, name: str, value: Mapping[str, object]) -> str:
        """Seals a value for the cookie ``name``. Raises ValueError if the cookie would be too long."""
        nonce = secrets.token_bytes(_nonce_size)
        text = json.dumps(value, separators=(",", ":")).encode()
        sealed = nonce + self._ciphers[self._sealing_id].encrypt(nonce, text, name.encode())
        encoded = base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()
        cookie = f"{_version}.{self._sealing_id}.{encoded}"
        if len(name) + len(cookie) > _longest_cookie:
            raise ValueError(f"The cookie {name} is too long. Browsers would reject it.")
        return cookie

    def open(self, name: str, cookie: Optional[str]) -> Optional[Mapping[str, object]]:
        """Opens the value of the cookie ``name``. Returns None if it was not sealed for that name."""
        version, _, rest = (cookie or "").partition(".")
        key_id, _, encoded = rest.partition(".")
        cipher = self._ciphers.get(key_id)
        if version != _version or cipher is None:
            return None
        try:
            sealed = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
            text = cipher.decrypt(sealed[:_nonce_size], sealed[_nonce_size:], name.encode())
            value = json.loads(text)
        except (InvalidTag, ValueError, binascii.Error):
            return None
        return value if isinstance(value, dict) else None


def _key_of(secret: str) -> bytes:
    return HKDF(SHA256(), 32, None, b"rolecall cookies 1").derive(secret.encode())


def _id_of(key: bytes) -> str:
    """Returns an ID of a key, which does not reveal the key."""
    return hashlib.sha256(b"id" + key).hexdigest()[:8]

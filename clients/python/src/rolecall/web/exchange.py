"""Requests and responses, independent of the framework. Each adapter converts those of its framework."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import dataclass, field
from typing import Dict, Mapping, Optional, Tuple


@dataclass(frozen=True)
class IncomingRequest:
    """A request, as an adapter has read it."""

    method: str
    #: The path and query, still encoded.
    target: str
    #: The headers, by their names in lower case.
    headers: Mapping[str, str] = field(repr=False)
    cookies: Mapping[str, str] = field(repr=False)
    query: Mapping[str, str] = field(repr=False)
    client_ip: Optional[str] = None

    @property
    def is_navigation(self) -> bool:
        """Returns true if a person opens a page. False for requests of scripts, and for prefetching."""
        if re.search("prefetch|preview", self.headers.get("sec-purpose", "") + self.headers.get("purpose", "")):
            return False
        mode = self.headers.get("sec-fetch-mode")
        if mode is not None:
            return self.method == "GET" and mode == "navigate"
        return self.method == "GET" and "text/html" in self.headers.get("accept", "")

    @property
    def is_safe(self) -> bool:
        """Returns true for methods that change nothing (RFC 9110). Such requests are accepted from any site."""
        return self.method in ("GET", "HEAD", "OPTIONS")

    def is_from(self, origin: str) -> bool:
        """
        Returns true if a page of this site sent the request. Use it for methods that change something: with these,
        browsers always send ``Sec-Fetch-Site`` or ``Origin``. Other clients must send the ``Origin``.
        """
        site = self.headers.get("sec-fetch-site")
        return site == "same-origin" if site is not None else self.headers.get("origin") == origin

    @property
    def bearer(self) -> Optional[str]:
        """The token of an ``Authorization: Bearer`` header, if there is one."""
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() or None if kind.lower() == "bearer" else None


@dataclass(frozen=True)
class Cookie:
    """A cookie with HttpOnly and SameSite=Lax. An empty value deletes it."""

    name: str
    value: str = field(repr=False)
    max_age_sec: int
    is_secure: bool


@dataclass(frozen=True)
class Answer:
    """A response, which an adapter converts to that of its framework."""

    status: int
    headers: Mapping[str, str]
    body: str = ""
    cookies: Tuple[Cookie, ...] = ()


def read_cookies(header: str) -> Mapping[str, str]:
    """
    Parses a ``Cookie`` header. If two cookies have the same name, the first one wins, because it has the more specific
    path.

    Removes only spaces and tabs around a name. The frameworks remove every white space of Unicode. A sibling host can
    set a cookie with such a white space in front of ``__Host-…``, which would then be ours.
    """
    cookies: Dict[str, str] = {}
    for pair in header.split(";"):
        name, equals, value = pair.partition("=")
        if equals:
            cookies.setdefault(name.strip(" \t"), value.strip(" \t"))
    return cookies


def redirect(url: str, cookies: Tuple[Cookie, ...] = ()) -> Answer:
    return Answer(303, {"location": url, "cache-control": "no-store"}, "", cookies)


def problem(status: int, code: str, title: str, headers: Optional[Mapping[str, str]] = None) -> Answer:
    """Returns a response with problem JSON (RFC 9457), as the service refuses requests."""
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "code": code})
    return Answer(
        status, {"content-type": "application/problem+json", "cache-control": "no-store", **(headers or {})}, body
    )


#: The style of the page, for the light and the dark color scheme. The client for JavaScript has the same style.
_style = (
    ":root{color-scheme:light dark}"
    "body{max-width:34rem;margin:15vh auto;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}"
    ":lang(ko){word-break:keep-all}h1{font-size:1.25rem;overflow-wrap:anywhere}p{overflow-wrap:anywhere}"
    "a{display:inline-block;padding:.5rem 1rem;border:1px solid;border-radius:.5rem;color:inherit;text-decoration:none}"
)
#: The hash with which the Content-Security-Policy allows this style, and no other.
_style_hash = base64.b64encode(hashlib.sha256(_style.encode()).digest()).decode()


def page(
    status: int,
    language: str,
    title: str,
    description: str,
    description_language: Optional[str],
    link: Tuple[str, str],
) -> Answer:
    """
    Returns the page that this library shows by default. Escapes all texts. ``link`` is the text and the address of its
    link. ``description_language`` is the language of the description if it differs from that of the page.
    """
    link_text, link_url = link
    lang = "" if description_language is None else f' lang="{description_language}"'
    text = f"<p{lang}>{html.escape(description)}</p>" if description else ""
    body = (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{_style}</style>"
        f"<main><h1>{html.escape(title)}</h1>{text}"
        f'<p><a href="{html.escape(link_url)}">{html.escape(link_text)}</a></p></main></html>'
    )
    policy = f"default-src 'none'; style-src 'sha256-{_style_hash}'; frame-ancestors 'none'; base-uri 'none'"
    headers = {
        "content-type": "text/html; charset=utf-8",
        "content-language": language,
        "vary": "Accept-Language",
        "content-security-policy": policy,
        "cache-control": "no-store",
    }
    return Answer(status, headers, body)

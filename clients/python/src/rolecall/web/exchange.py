"""A request and a response, independent of the framework."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple


@dataclass(frozen=True)
class IncomingRequest:
    method: str
    #: Path and query, as they were requested.
    target: str
    #: By names in lower case.
    headers: Mapping[str, str] = field(repr=False)
    cookies: Mapping[str, str] = field(repr=False)
    query: Mapping[str, str] = field(repr=False)
    client_ip: Optional[str] = None

    @property
    def is_navigation(self) -> bool:
        """Returns true if a person opens a page: not a script, and not a browser that prefetches."""
        if re.search("prefetch|preview", self.headers.get("sec-purpose", "") + self.headers.get("purpose", "")):
            return False
        mode = self.headers.get("sec-fetch-mode")
        if mode is not None:
            return self.method == "GET" and mode == "navigate"
        return self.method == "GET" and "text/html" in self.headers.get("accept", "")

    @property
    def is_safe(self) -> bool:
        """Returns true for methods that change nothing, which any site may send (RFC 9110)."""
        return self.method in ("GET", "HEAD", "OPTIONS")

    def is_from(self, origin: str) -> bool:
        """
        Returns true if a page of this site sent the request. Browsers state that. Another client has no cookies to
        abuse, and must state the origin.
        """
        site = self.headers.get("sec-fetch-site")
        return site == "same-origin" if site is not None else self.headers.get("origin") == origin

    @property
    def bearer(self) -> Optional[str]:
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
    status: int
    headers: Mapping[str, str]
    body: str = ""
    cookies: Tuple[Cookie, ...] = ()


def redirect(url: str, cookies: Tuple[Cookie, ...] = ()) -> Answer:
    return Answer(303, {"location": url, "cache-control": "no-store"}, "", cookies)


def problem(status: int, code: str, title: str, headers: Optional[Mapping[str, str]] = None) -> Answer:
    """Returns a problem response (RFC 9457), like the refusals of the service."""
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "code": code})
    return Answer(
        status, {"content-type": "application/problem+json", "cache-control": "no-store", **(headers or {})}, body
    )


#: The style of the page, in both color schemes: the same as in the client for JavaScript.
_style = (
    ":root{color-scheme:light dark}"
    "body{max-width:34rem;margin:15vh auto;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}"
    ":lang(ko){word-break:keep-all}h1{font-size:1.25rem;overflow-wrap:anywhere}p{overflow-wrap:anywhere}"
    "a{display:inline-block;padding:.5rem 1rem;border:1px solid;border-radius:.5rem;color:inherit;text-decoration:none}"
)
#: Allows this style alone.
_style_hash = base64.b64encode(hashlib.sha256(_style.encode()).digest()).decode()


def page(
    status: int,
    language: str,
    title: str,
    description: str,
    description_language: Optional[str],
    link: Tuple[str, str],
) -> Answer:
    """Returns the page of this library for a person. All texts are escaped."""
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

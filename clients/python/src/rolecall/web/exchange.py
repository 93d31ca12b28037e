"""A request and an answer, as every framework has them."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple


@dataclass(frozen=True)
class IncomingRequest:
    method: str
    #: Path and query, as they were asked for.
    target: str
    #: By names in lower case.
    headers: Mapping[str, str] = field(repr=False)
    cookies: Mapping[str, str] = field(repr=False)
    query: Mapping[str, str] = field(repr=False)
    client_ip: Optional[str] = None

    @property
    def is_navigation(self) -> bool:
        """A person opens a page, and not a script, or a browser that only looks ahead."""
        if re.search("prefetch|preview", self.headers.get("sec-purpose", "") + self.headers.get("purpose", "")):
            return False
        mode = self.headers.get("sec-fetch-mode")
        if mode is not None:
            return self.method == "GET" and mode == "navigate"
        return self.method == "GET" and "text/html" in self.headers.get("accept", "")

    @property
    def is_safe(self) -> bool:
        """Changes nothing, so that it may come from anywhere (RFC 9110)."""
        return self.method in ("GET", "HEAD", "OPTIONS")

    def is_from(self, origin: str) -> bool:
        """
        A page of this very site asks. Browsers say so; who is no browser has no cookies that anyone could abuse, and
        must name the origin.
        """
        site = self.headers.get("sec-fetch-site")
        return site == "same-origin" if site is not None else self.headers.get("origin") == origin

    @property
    def bearer(self) -> Optional[str]:
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() or None if kind.lower() == "bearer" else None


@dataclass(frozen=True)
class Cookie:
    """HttpOnly and SameSite=Lax. An empty value deletes it."""

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
    """RFC 9457, like the refusals of the service."""
    body = json.dumps({"type": "about:blank", "title": title, "status": status, "code": code})
    return Answer(
        status, {"content-type": "application/problem+json", "cache-control": "no-store", **(headers or {})}, body
    )


def page(
    status: int,
    title: str,
    text: str,
    link: str,
    link_text: str,
    cookies: Tuple[Cookie, ...] = (),
    headers: Optional[Mapping[str, str]] = None,
) -> Answer:
    """A plain page for a person. Whatever it says is escaped."""
    body = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<h1>{html.escape(title)}</h1><p>{html.escape(text)}</p>"
        f'<p><a href="{html.escape(link)}">{html.escape(link_text)}</a></p></html>'
    )
    return Answer(
        status,
        {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
            "cache-control": "no-store",
            **(headers or {}),
        },
        body,
        cookies,
    )

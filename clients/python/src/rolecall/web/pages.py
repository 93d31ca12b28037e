"""The pages for a person, and the functions by which a site replaces them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Tuple, Union

from .exchange import Answer, Cookie, IncomingRequest, page
from .page_language import language_of_header
from .page_texts import PAGE_TEXTS

_log = logging.getLogger("rolecall")

#: The page of each code.
_kinds = {
    "LOGIN_REFUSED": "refused",
    "ROLE_REQUIRED": "refused",
    "LOGIN_NOT_FOUND": "expired",
    "LOGIN_UNREADABLE": "expired",
    "LOGIN_EXPIRED": "expired",
    "LOGIN_CODE_USED": "expired",
    "LOGIN_FAILED": "failed",
    "SESSION_CHECK_UNAVAILABLE": "failed",
    "LOGOUT_INCOMPLETE": "failed",
    "SIGNED_OUT": "signed_out",
}
_titles = {"refused": "refusedTitle", "expired": "expiredTitle", "failed": "failedTitle", "signed_out": "signedOutTitle"}
#: The titles that are more precise than those of the page.
_titles_of_codes = {"ROLE_REQUIRED": "roleTitle", "LOGOUT_INCOMPLETE": "signedOutTitle"}
#: The reasons that this version has a text for.
_known_reasons = frozenset(
    ("declined", "not_a_member", "blocked", "no_access", "temporarily_unavailable", "server_error")
)
#: The reasons after which another sign-in has the same result.
_final_reasons = frozenset(("blocked", "no_access"))
#: Keeps a page of the site from running code of others, and out of frames.
_policy = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
    "frame-ancestors 'none'; base-uri 'none'"
)


@dataclass(frozen=True)
class PageDetails:
    """The content of a page for a visitor. It contains nothing that the visitor must not read."""

    #: ``refused``, ``expired``, ``failed`` or ``signed_out``.
    kind: str
    #: Stable code, e.g. ``LOGIN_REFUSED`` or ``ROLE_REQUIRED``.
    code: str
    #: The reason of a refused sign-in, as the service names it: ``not_a_member``, ``blocked``, ``declined``,
    #: ``no_access``. A newer service may name others.
    reason: Optional[str]
    #: The HTTP status of the page.
    status: int
    #: The language of the visitor, as a BCP 47 tag.
    language: str
    #: Plain text in that language.
    title: str
    #: The reason and the next step, in that language. Plain text that may contain a name from Discord: escape it in
    #: HTML. Empty after a sign-out.
    description: str
    #: The address at which the visitor can try again; None if that does not help.
    retry_url: Optional[str]


@dataclass(frozen=True)
class Redirect:
    """Leads the visitor to another address in place of a page."""

    url: str


#: HTML, which is sent with the status of the page; or a redirect.
PageAnswer = Union[str, Redirect]
MakePage = Callable[[PageDetails], PageAnswer]
#: Receives each refusal of a person, and may return the page for it.
OnRefused = Callable[[PageDetails], Optional[PageAnswer]]
#: Chooses the language for a request, as a BCP 47 tag.
ChooseLanguage = Callable[[IncomingRequest], Optional[str]]


@dataclass(frozen=True)
class Pages:
    """
    The pages of a site, in place of those of this library. If a function raises, the error is logged and the page of
    this library is shown. Programs always receive problem JSON.
    """

    #: The sign-in was refused, or the member lacks a role that the page requires: 403.
    refused: Optional[MakePage] = None
    #: The sign-in cannot be completed in this browser, or took too long: 400.
    expired: Optional[MakePage] = None
    #: The service cannot be reached, or cannot sign the visitor in: 503.
    failed: Optional[MakePage] = None
    #: The visitor signed out: 200. With this page, a sign-out leads to it and not to the start page.
    signed_out: Optional[MakePage] = None


@dataclass(frozen=True)
class PageMaker:
    """Makes the pages of a site."""

    app_url: str
    pages: Pages
    on_refused: Optional[OnRefused]
    language: Optional[ChooseLanguage]

    def chosen_language(self, request: IncomingRequest) -> Optional[str]:
        """Returns the language that the site chose; None if it chose none that exists."""
        try:
            return language_of_header((self.language and self.language(request)) or "")
        except Exception:
            _log.exception("Choosing the language of a page failed")
            return None

    def make(
        self,
        request: IncomingRequest,
        status: int,
        code: str,
        *,
        retry_url: Optional[str] = None,
        reason: Optional[str] = None,
        service_text: Optional[str] = None,
        cookies: Tuple[Cookie, ...] = (),
        headers: Optional[Mapping[str, str]] = None,
    ) -> Answer:
        """Returns the page of the site if it has one, otherwise that of this library."""
        language = self.chosen_language(request) or language_of_header(request.headers.get("accept-language", "")) or "en"
        texts = PAGE_TEXTS[language]
        kind = _kinds[code]
        title = texts[_titles_of_codes.get(code, _titles[kind])]
        description, description_language = _describe(language, code, reason, service_text)
        retry = None if reason in _final_reasons else retry_url
        details = PageDetails(kind, code, reason, status, language, title, description, retry)
        answer = self._replacement(details)
        if answer is None:
            link = (texts["startPage"], self.app_url) if retry is None else (texts["tryAgain"], retry)
            answer = page(status, language, title, description, description_language, link)
        return Answer(answer.status, {**answer.headers, **(headers or {})}, answer.body, cookies)

    def _replacement(self, details: PageDetails) -> Optional[Answer]:
        own = {
            "refused": self.pages.refused,
            "expired": self.pages.expired,
            "failed": self.pages.failed,
            "signed_out": self.pages.signed_out,
        }
        hook = self.on_refused if details.kind == "refused" else None
        return _try_page(hook, details) or _try_page(own[details.kind], details)


def _try_page(make: Optional[OnRefused], details: PageDetails) -> Optional[Answer]:
    """Returns the page that a function of the site created, or None if there is none or it raised an error."""
    if make is None:
        return None
    try:
        answer = make(details)
        return None if answer is None else _answer_of(answer, details.status)
    except Exception:
        _log.exception("A page of the site failed. The page of the library is shown instead")
        return None


def _answer_of(answer: PageAnswer, status: int) -> Answer:
    if isinstance(answer, Redirect):
        return Answer(303, {"location": answer.url, "cache-control": "no-store"})
    if not isinstance(answer, str):
        raise TypeError("A page must be HTML or a Redirect.")
    headers = {"content-type": "text/html; charset=utf-8", "content-security-policy": _policy, "cache-control": "no-store"}
    return Answer(status, headers, answer)


def _describe(
    language: str, code: str, reason: Optional[str], service_text: Optional[str]
) -> Tuple[str, Optional[str]]:
    """
    Returns the reason for a visitor, and its language if it is another one. The sentence of the service is shown in
    English only if no text exists.
    """
    texts = PAGE_TEXTS[language]
    if code == "SIGNED_OUT":
        return "", None
    if service_text and language == "en":
        return service_text, None
    if reason in _known_reasons:
        return texts[str(reason)], None
    if service_text:
        return service_text, "en"
    return texts[code], None

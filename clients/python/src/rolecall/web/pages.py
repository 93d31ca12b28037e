"""The pages that people see, and the functions with which a site can replace them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Tuple, Union

from .exchange import Answer, Cookie, IncomingRequest, page
from .page_language import language_of_header
from .page_texts import PAGE_TEXTS

_log = logging.getLogger("rolecall")

#: The kind of page that a visitor sees, by code.
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
#: The titles of the codes that have another title than their kind of page.
_titles_of_codes = {"ROLE_REQUIRED": "roleTitle", "LOGOUT_INCOMPLETE": "signedOutTitle"}
#: The reasons for which the catalogs have a text.
_known_reasons = frozenset(
    ("declined", "not_a_member", "blocked", "no_access", "temporarily_unavailable", "server_error")
)
#: The reasons for which another attempt would have the same result. The page then offers no retry.
_final_reasons = frozenset(("blocked", "no_access"))
#: The Content-Security-Policy of a site's page: no code of other sites, and no frames.
_policy = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; "
    "frame-ancestors 'none'; base-uri 'none'"
)


@dataclass(frozen=True)
class PageDetails:
    """The content of a page for a visitor. Everything in it may be shown to the visitor."""

    #: ``refused``, ``expired``, ``failed`` or ``signed_out``.
    kind: str
    #: Stable code, e.g. ``LOGIN_REFUSED`` or ``ROLE_REQUIRED``.
    code: str
    #: The service's reason for a failed sign-in: ``not_a_member``, ``blocked``, ``declined``, ``no_access``,
    #: ``temporarily_unavailable``, or ``server_error``. A newer service may send others. None if it sent none.
    reason: Optional[str]
    #: The HTTP status of the page.
    status: int
    #: The language of the visitor, as a BCP 47 tag.
    language: str
    #: The title, as plain text in that language.
    title: str
    #: The reason and the next step, as plain text in that language. It may contain a name from Discord, so escape it in
    #: HTML. Empty after a sign-out.
    description: str
    #: The address at which the visitor can try again. None if another attempt would not help.
    retry_url: Optional[str]


@dataclass(frozen=True)
class Redirect:
    """Redirects the visitor to another address instead of showing a page."""

    url: str


#: A page as HTML, which is sent with the status of the page, or a redirect.
PageAnswer = Union[str, Redirect]
MakePage = Callable[[PageDetails], PageAnswer]
#: Called when a person is refused. May return the page to show.
OnRefused = Callable[[PageDetails], Optional[PageAnswer]]
#: Chooses the language for a request, as a BCP 47 tag.
ChooseLanguage = Callable[[IncomingRequest], Optional[str]]


@dataclass(frozen=True)
class Pages:
    """
    The pages of a site that replace those of this library. If a function raises an error, it is logged, and the page of
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
    """Creates the pages that people see: those of the site if it has them, or else those of this library."""

    app_url: str
    pages: Pages
    on_refused: Optional[OnRefused]
    language: Optional[ChooseLanguage]

    def chosen_language(self, request: IncomingRequest) -> Optional[str]:
        """
        Returns the language that the site's ``language`` option chooses. None without the option, or if none exists.
        """
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
        """Returns the page of the site if it has one, or else the page of this library."""
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
    """Returns the page that a function of the site creates. None if there is no function, or if it raised an error."""
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
    Returns the description for a visitor, and its language if it differs from that of the page. In English, the
    service's sentence comes first. In other languages, it is only used for a reason that has no text.
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

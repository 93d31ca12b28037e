"""Chooses the language of the pages for a visitor."""

from __future__ import annotations

import re
from typing import Optional, Tuple

from .page_texts import PAGE_TEXTS

#: The maximum number of languages to read. Browsers do not send more.
_max_tags = 20
_max_tag_length = 35
_tag = re.compile(r"\*|[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
#: The languages by their first subtag. So ``pt-PT`` selects ``pt-BR``, the only Portuguese that exists.
_by_primary_subtag = {language.split("-")[0]: language for language in PAGE_TEXTS}


def language_of_header(header: str) -> Optional[str]:
    """
    Returns the language of the pages that an ``Accept-Language`` header prefers (RFC 9110 §12.5.4). None if none of its
    languages exists.
    """
    ranges = [_read_range(given) for given in header.split(",")[:_max_tags]]
    is_traditional = False
    for tag, quality in sorted(ranges, key=lambda given: -given[1]):
        if quality == 0:
            continue
        if tag == "*":
            return None
        language, *subtags = tag.lower().split("-")
        # Recognizes Traditional Chinese by its script or a region. A script takes precedence over a region.
        is_hant = language == "zh" and "hans" not in subtags and not {"hant", "tw", "hk", "mo"}.isdisjoint(subtags)
        is_traditional = is_traditional or is_hant
        # Traditional Chinese does not exist. Browsers add a bare `zh` after `zh-TW`, which is no wish for Simplified
        # Chinese.
        is_addition = is_traditional and tag.lower() == "zh"
        if not is_hant and not is_addition and language in _by_primary_subtag:
            return _by_primary_subtag[language]
    return None


def _read_range(given: str) -> Tuple[str, float]:
    tag, *parameters = (part.strip() for part in given.split(";"))
    written = next((one[2:] for one in parameters if one.lower().startswith("q=")), "1")
    is_tag = len(tag) <= _max_tag_length and _tag.fullmatch(tag) is not None
    is_quality = re.fullmatch(r"0(\.\d*)?|1(\.0*)?", written) is not None
    return tag, float(written) if is_tag and is_quality else 0.0

"""The language of a visitor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import pytest

from rolecall.web.page_language import language_of_header

#: The service and the client for JavaScript pass the same table.
CASES = json.loads((Path(__file__).parents[2] / "language-cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["header"] or "nothing" for case in CASES])
def test_a_header_asks_for_a_language(case: "dict[str, Optional[str]]") -> None:
    assert language_of_header(str(case["header"])) == case["language"]


@pytest.mark.parametrize(("header", "language"), [("x" * 5_000 + ",de", "de"), ("xx," * 5_000 + "de", None)], ids=["tag", "list"])
def test_a_header_of_an_unusual_length(header: str, language: Optional[str]) -> None:
    assert language_of_header(header) == language

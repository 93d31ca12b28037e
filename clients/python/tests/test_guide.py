"""The example of the guide about pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict

import pytest

from rolecall.web.exchange import IncomingRequest
from rolecall.web.login_flow import LoginFlow
from rolecall.web.pages import PageDetails, Redirect

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "sign-in-pages.md"
ENVIRONMENT = {"CLIENT_ID": "guide", "SERVER_ID": "1", "APP_URL": "https://crew.example", "SECRET": "x" * 32}


def test_the_example_shows_its_own_pages_and_follows_its_own_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(f"ROLECALL_{name}", value)
    [code] = re.findall(r"^```python\n(# pages\.py\n.*?)^```$", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    made: Dict[str, Any] = {}
    exec(compile(code, "pages.py", "exec"), made)
    flow = LoginFlow("https://id.example", made["settings"])
    answer = flow.read_callback(IncomingRequest("GET", "/auth/callback", {}, {}, {}))
    assert getattr(answer, "status") == 400
    assert re.search('<html lang="en">.+allow cookies[.]</p>.+Pier 7', getattr(answer, "body"))
    german = flow.read_callback(IncomingRequest("GET", "/auth/callback", {}, {"lang": "de"}, {}))
    assert '<html lang="de">' in getattr(german, "body")
    refused = PageDetails("refused", "LOGIN_REFUSED", "not_a_member", 403, "en", "", "", None)
    assert made["on_refused"](refused) == Redirect("https://discord.gg/example")

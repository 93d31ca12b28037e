"""A site with FastAPI: a page for every member, a page for one role, an endpoint for programs, and the sign-in."""

import os
from html import escape
from typing import Dict, Optional

import uvicorn
from fastapi import Depends, FastAPI
from fastapi.responses import HTMLResponse
from rolecall import AsyncRolecall, Session
from rolecall.fastapi import RolecallLogin
from rolecall.web.login_flow import LoginSettings

captain = "1100094049760706562"

app = FastAPI()
login = RolecallLogin(AsyncRolecall.from_environment(cache=True), LoginSettings.from_environment())
login.install(app)


@app.get("/", response_class=HTMLResponse)
async def home(session: Optional[Session] = Depends(login.current_session)) -> str:
    if session is None:
        return page("Harbour notice board", '<a href="/auth/login">Sign in</a>')
    return page("Harbour notice board", greeting(session.member.username))


# A page for every member of the Discord server.
@app.get("/members", response_class=HTMLResponse)
async def members(session: Session = Depends(login.require_member())) -> str:
    held = "".join(f"<li>{escape(role.role_name)}</li>" for role in session.roles)
    return page("Members", f"<p>You are {escape(session.member.username)}. Your roles:</p><ul>{held}</ul>")


# A page for members who have the role at this moment.
@app.get("/captains", response_class=HTMLResponse)
async def captains(session: Session = Depends(login.require_member(any_of=[captain]))) -> str:
    return page("Captains", f"<p>Welcome to the bridge, {escape(session.member.username)}.</p>")


# An endpoint for programs. Without access, they receive 401 or 403 instead of a page.
@app.get("/api/me")
async def me(session: Session = Depends(login.require_member())) -> Dict[str, object]:
    return {"username": session.member.username, "roles": [role.role_name for role in session.roles]}


def greeting(username: str) -> str:
    return (
        f"<p>Hello {escape(username)}</p>"
        '<p><a href="/members">Members</a> <a href="/captains">Captains</a> <a href="/api/me">API</a></p>'
        '<form method="post" action="/auth/logout"><button>Sign out</button></form>'
    )


def page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>{body}</html>'
    )


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "8080")))

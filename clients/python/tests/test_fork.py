"""Tests a process that is forked, as servers do that load the site before they start their workers."""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Set

from conftest import NO_TOKEN
from test_errors import PROBLEM, Reply, another_server

INVALID: Reply = (401, PROBLEM, b'{"code":"INVALID_TOKEN","detail":"No."}')


def start(kind: str, url: str, program: str, options: str = "") -> "subprocess.Popen[str]":
    """Starts a program with `ask()`, a validation by a client that it created at its start."""
    name, http = ("Rolecall", "Client") if kind == "threads" else ("AsyncRolecall", "AsyncClient")
    call = f"client.validate({NO_TOKEN!r})"
    # A loop for each process: a child would share the parent's.
    in_loop = f"loops.setdefault(os.getpid(), asyncio.new_event_loop()).run_until_complete({call})"
    lines = f"""
import asyncio, httpx, os, signal, sys, threading, rolecall
client = rolecall.{name}({url!r}, "k", retries=0{options.replace("HTTP", f"httpx.{http}()")})
loops = {{}}
def ask():
    return {call if kind == "threads" else in_loop}
{program}
"""
    return subprocess.Popen(
        [sys.executable, "-c", lines],
        env={"PYTHONPATH": str(Path(__file__).parents[1] / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


FORK_AND_ASK = """
ask()
if os.fork() == 0:
    try:
        print(ask(), flush=True)
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
print(ask(), flush=True)
"""


def test_a_child_never_uses_a_connection_of_its_parent(kind: str) -> None:
    ports: Set[int] = set()

    def noted(_: int, handler: BaseHTTPRequestHandler) -> Reply:
        ports.add(handler.client_address[1])
        return INVALID

    with another_server(noted) as (url, asked):
        out, error = start(kind, url, FORK_AND_ASK).communicate(timeout=60)
        assert out.split() == ["None", "None"], error
        # The parent makes two calls on one connection, and the child one on another.
        assert (len(asked), len(ports)) == (3, 2)


def test_a_child_does_not_wait_for_a_thread_of_its_parent() -> None:
    begun, asked_again = threading.Event(), threading.Event()

    def first_is_slow(_: int, handler: BaseHTTPRequestHandler) -> Reply:
        if handler.path.endswith("/validate"):
            if begun.is_set():
                asked_again.set()
            begun.set()
            asked_again.wait(15)
        return INVALID

    program = """
threading.Thread(target=ask).start()
sys.stdin.readline()
if os.fork() == 0:
    signal.alarm(10)
    print(ask(), flush=True)
    os._exit(0)
os.wait()
"""
    with another_server(first_is_slow) as (url, _):
        child = start("threads", url, program, ", cache=True")
        assert begun.wait(30)
        out, error = child.communicate("go\n", timeout=60)
        assert out.split() == ["None"], error
        assert asked_again.is_set()


def test_an_http_client_of_the_parent_is_refused_by_name(kind: str) -> None:
    with another_server(lambda *_: INVALID) as (url, asked):
        out, error = start(kind, url, FORK_AND_ASK, ", http_client=HTTP").communicate(timeout=60)
        assert "make http_client and the client of Rolecall after the fork" in out.splitlines()[0], error
        assert len(asked) == 2

"""Failures between client and service, against servers that are not the service."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Tuple

import httpx
import pytest

from conftest import NO_TOKEN, SERVICE_URL, client_of, log_in
from rolecall import (
    CallTimeoutError,
    NetworkError,
    RateLimitError,
    Rolecall,
    RolecallError,
    ServiceError,
    UnexpectedResponseError,
)

Reply = Tuple[int, Dict[str, str], bytes]
PROBLEM = {"content-type": "application/problem+json"}
BUSY = b'{"code":"SERVICE_OVERLOADED","detail":"Too much.","requestId":"r1"}'


@contextmanager
def another_server(answer: Callable[[int, BaseHTTPRequestHandler], Reply]) -> Iterator[Tuple[str, List[str]]]:
    """Starts a server with given responses (0: it has responded by itself), and yields the requested paths."""
    asked: List[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers.get("content-length", "0")))
            status, headers, body = answer(len(asked), self)
            if status == 0:
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    "reply",
    [
        (200, {"content-type": "text/html"}, b"<h1>Hello</h1>"),
        (302, {"location": "https://elsewhere.example/"}, b""),
        (404, {"content-type": "text/html"}, b"<h1>Nothing</h1>"),
        (500, {"content-type": "application/json"}, b'{"error":"no"}'),
        (200, {"content-type": "application/json"}, b'{"member":{"id":5}}'),
    ],
    ids=["page", "redirect", "not found", "other JSON", "other shape"],
)
def test_something_else_that_answers_is_told_apart(kind: str, reply: Reply) -> None:
    with another_server(lambda *_: reply) as (url, _), client_of(kind, url, "k") as client:
        with pytest.raises(UnexpectedResponseError) as failed:
            client.validate(NO_TOKEN)
    assert (failed.value.code, failed.value.status) == ("UNEXPECTED_RESPONSE", reply[0])


def test_an_address_where_nobody_listens_is_named(kind: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with client_of(kind, url, "k", retries=0) as client, pytest.raises(NetworkError) as failed:
        client.validate(NO_TOKEN)
    assert failed.value.detail.startswith(f"{url} cannot be reached (")
    assert failed.value.status is None


def test_a_call_ends_at_its_time_also_in_the_middle_of_a_body(kind: str) -> None:
    def drip(_: int, handler: BaseHTTPRequestHandler) -> Reply:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        try:
            for _ in range(100):
                handler.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            pass
        handler.close_connection = True
        return 0, {}, b""

    with another_server(drip) as (url, asked), client_of(kind, url, "k", timeout_sec=60) as client:
        with pytest.raises(CallTimeoutError) as failed:
            client.validate(NO_TOKEN, timeout_sec=0.2)
    assert failed.value.detail == f"{url} did not respond within 0.2 s."
    assert len(asked) == 1, "what has used up its time is not tried again"


def test_a_read_is_tried_again_when_the_service_is_busy_and_waits_as_long_as_it_says(kind: str) -> None:
    def busy_once(count: int, _: BaseHTTPRequestHandler) -> Reply:
        if count == 1:
            return 503, {**PROBLEM, "retry-after": "1"}, BUSY
        return 200, {"content-type": "application/json"}, b'{"success":true}'

    with another_server(busy_once) as (url, asked), client_of(kind, url, "k") as client:
        from_ = time.monotonic()
        client.logout("t")
        assert len(asked) == 2
        assert time.monotonic() - from_ >= 1


def test_what_does_not_pass_is_told_after_three_tries_with_how_long_to_wait(kind: str) -> None:
    with another_server(lambda *_: (503, PROBLEM, BUSY)) as (url, asked), client_of(kind, url, "k") as client:
        with pytest.raises(ServiceError) as failed:
            client.validate(NO_TOKEN)
    assert (len(asked), failed.value.code, failed.value.request_id) == (3, "SERVICE_OVERLOADED", "r1")


def test_those_who_ask_for_the_same_at_the_same_time_share_one_call(kind: str) -> None:
    begun: List[str] = []

    def slow(_: int, handler: BaseHTTPRequestHandler) -> Reply:
        until = time.monotonic() + 5
        while handler.path.endswith("/validate") and len(begun) < 20 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.2)
        return 401, PROBLEM, b'{"code":"INVALID_TOKEN","detail":"No."}'

    with another_server(slow) as (url, asked), client_of(kind, url, "k", cache=True) as client:

        def ask(_: int) -> object:
            begun.append("one")
            return client.validate(NO_TOKEN)

        with ThreadPoolExecutor(20) as pool:
            assert list(pool.map(ask, range(20))) == [None] * 20
    # A caller more than a second after the first one sends a new request.
    assert 1 <= len([path for path in asked if path.endswith("/validate")]) <= 3


def test_who_is_interrupted_interrupts_nobody_who_asked_the_same() -> None:
    """Simulates a signal, or the timeout of a server that is raised in one of its threads."""
    both, interrupted = threading.Event(), threading.Event()

    class Interrupting(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/validate") and not interrupted.is_set():
                interrupted.set()
                both.wait(0.5)
                raise SystemExit
            return super().handle_request(request)

    invalid = (401, PROBLEM, b'{"code":"INVALID_TOKEN","detail":"No."}')
    with another_server(lambda *_: invalid) as (url, _), Rolecall(
        url, "k", cache=True, http_client=httpx.Client(transport=Interrupting())
    ) as client:

        def ask_second() -> object:
            assert interrupted.wait(10)
            return client.validate(NO_TOKEN)

        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(client.validate, NO_TOKEN)
            second = pool.submit(ask_second)
            assert second.result(20) is None
            assert isinstance(first.exception(20), SystemExit)


def test_what_cannot_be_a_session_token_is_no_session_without_a_call(kind: str) -> None:
    odd = ["t", "rcs_x", NO_TOKEN + "a", NO_TOKEN + "\n", NO_TOKEN[:-1] + "-", NO_TOKEN[:-1] + "é", "rcr_" + "a" * 49]
    with another_server(lambda *_: (503, PROBLEM, BUSY)) as (url, asked), client_of(kind, url, "k", retries=0) as client:
        assert [client.validate(token) for token in odd] == [None] * len(odd)
        assert asked == []
        with pytest.raises(ServiceError):
            client.validate(NO_TOKEN)


def test_nobody_waits_for_minutes(kind: str) -> None:
    limited = (429, {**PROBLEM, "retry-after": "60"}, b'{"code":"RATE_LIMITED","detail":"Slow down."}')
    with another_server(lambda *_: limited) as (url, asked), client_of(kind, url, "k") as client:
        with pytest.raises(RateLimitError) as failed:
            client.validate(NO_TOKEN)
    assert (len(asked), failed.value.retry_after_sec) == (1, 60)


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.exchange(client_id="c", code="c", redirect_uri="r"),
        lambda client: client.refresh("t", "r"),
        lambda client: client.webhooks.submit("w", {}),
    ],
    ids=["exchange", "refresh", "submit without a key"],
)
def test_what_must_not_be_sent_twice_is_sent_once(kind: str, call: Callable[[Rolecall], object]) -> None:
    with another_server(lambda *_: (503, PROBLEM, BUSY)) as (url, asked), client_of(kind, url, "k") as client:
        with pytest.raises(ServiceError):
            call(client)
    assert len(asked) == 1


def test_a_submission_with_a_key_is_sent_again_and_signed_anew(kind: str) -> None:
    signatures: List[str] = []

    def busy_once(count: int, handler: BaseHTTPRequestHandler) -> Reply:
        signatures.append(handler.headers["x-svc-signature"])
        if count == 1:
            return 503, {**PROBLEM, "retry-after": "1"}, BUSY
        return 201, {"content-type": "application/json"}, b'{"id":"i","receivedAt":"2026-01-01T00:00:00.000Z"}'

    with another_server(busy_once) as (url, _), client_of(kind, url, "k") as client:
        client.webhooks.submit("w", {}, secret="whsec_x", idempotency_key="one")
    assert len(set(signatures)) == 2


def test_errors_and_clients_never_show_the_key_or_a_token(
    rolecall: Rolecall, project: Dict[str, Any], kind: str
) -> None:
    session = log_in(rolecall, project)
    rolecall.logout(session.token)
    with pytest.raises(RolecallError) as refused:
        rolecall.refresh(session.token, session.refresh_token)
    with client_of(kind, "http://127.0.0.1:1", project["key"], retries=0) as client:
        with pytest.raises(NetworkError) as lost:
            client.refresh(session.token, session.refresh_token)
    for error in (refused.value, lost.value):
        # Tools that report errors show the chain of causes, with the requests in it.
        assert error.__cause__ is None and error.__context__ is None
    shown = repr([session, rolecall, refused.value, vars(refused.value), lost.value, vars(lost.value)])
    for secret in (project["key"], session.token, session.refresh_token):
        assert secret not in shown


@pytest.mark.parametrize(
    ("base_url", "api_key", "named"),
    [
        ("", "k", "base_url is missing"),
        ("rolecall.example", "k", "base_url must"),
        (SERVICE_URL, "", "api_key is missing"),
        (SERVICE_URL, "rck_x\n", "api_key ends with a space or a line break"),
        (SERVICE_URL, "rck_\nx", "api_key must be the key of a project"),
        (f"{SERVICE_URL}/api/", "k", "base_url must not end with /api"),
    ],
)
def test_what_is_missing_is_named(base_url: str, api_key: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        Rolecall(base_url, api_key)


def test_every_missing_name_of_the_environment_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROLECALL_URL", raising=False)
    monkeypatch.delenv("ROLECALL_API_KEY", raising=False)
    with pytest.raises(ValueError, match="ROLECALL_URL, ROLECALL_API_KEY"):
        Rolecall.from_environment()


@pytest.mark.parametrize("base_url", ["https://a.example/id", "https://a.example/id/"])
def test_a_base_address_may_have_a_path(base_url: str) -> None:
    with Rolecall(base_url, "k") as client:
        url = client.authorize_url(client_id="c", redirect_uri="r", server_id="s", state="x")
    assert url.startswith("https://a.example/id/api/auth/authorize?")


def test_calls_of_threads_do_not_wait_for_delayed_packets(project: Dict[str, Any]) -> None:
    with Rolecall(SERVICE_URL, project["key"]) as client:
        client.validate(NO_TOKEN)
        # 40 ms each without TCP_NODELAY: 2 seconds, on every attempt. A busy machine is slow on some of them.
        assert any(_seconds_of_fifty(client) < 1.5 for _ in range(8))


def _seconds_of_fifty(client: Rolecall) -> float:
    from_ = time.monotonic()
    for _ in range(50):
        client.validate(NO_TOKEN)
    return time.monotonic() - from_

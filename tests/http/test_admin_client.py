"""The client of the admin API: its requests, and its treatment of responses."""

import json
import socket
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from mockbroker.http.admin_client import AdminClient, AdminRequestError, FailureKind, path_to
from tests.support.held_ports import held_ports


class Scripted(BaseHTTPRequestHandler):
    """Server with scripted answers, which records its requests."""

    asked: ClassVar[list[tuple[str, str, dict[str, str], bytes]]] = []
    status: ClassVar[int] = 200
    body: ClassVar[bytes] = b"{}"

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked.append((self.command, self.path, headers, self.rfile.read(length)))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


for method in ("GET", "POST", "PUT", "DELETE"):
    setattr(Scripted, f"do_{method}", Scripted.answer)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """URL of a scripted server."""
    monkeypatch.setattr(Scripted, "asked", [])
    with ThreadingHTTPServer(("127.0.0.1", 0), Scripted) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()


def answer_with(monkeypatch: pytest.MonkeyPatch, body: bytes, status: int = 200) -> None:
    monkeypatch.setattr(Scripted, "body", body)
    monkeypatch.setattr(Scripted, "status", status)


def failure_of(client: AdminClient) -> AdminRequestError:
    with pytest.raises(AdminRequestError) as failed:
        client.get("/readyz")
    return failed.value


def test_a_request_leaves_out_null_parameters(server: str) -> None:
    client = AdminClient(server)
    assert client.get("/a", {"topic": "or ders", "limit": None}) == {}
    client.post("/b", {"by": "7d", "to": None})
    client.put("/c", {"x": 1})
    client.delete("/d", {"before": 3})
    lines = [(method, target, body) for method, target, _headers, body in Scripted.asked]
    assert lines == [
        ("GET", "/a?topic=or+ders", b""),
        ("POST", "/b", b'{"by": "7d"}'),
        ("PUT", "/c", b'{"x": 1}'),
        ("DELETE", "/d?before=3", b""),
    ]
    assert [headers.get("content-type") for _m, _t, headers, _b in Scripted.asked] == [
        None,
        "application/json",
        "application/json",
        None,
    ]
    assert "authorization" not in Scripted.asked[0][2]


def test_a_token_is_sent_as_a_bearer_token(server: str) -> None:
    AdminClient(server, "secret").get("/a")
    assert Scripted.asked[0][2]["authorization"] == "Bearer secret"


def test_an_answer_is_a_document(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_with(monkeypatch, b'{"leader": 2}')
    assert AdminClient(server).post("/elect", {}) == {"leader": 2}
    answer_with(monkeypatch, b"")
    assert AdminClient(server).delete("/faults") == {}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, "refused"),
        (422, "refused"),
        (500, "failed"),
        (503, "unreachable"),
        (504, "timeout"),
    ],
)
def test_a_problem_is_reported_with_its_detail(
    server: str, monkeypatch: pytest.MonkeyPatch, status: int, kind: FailureKind
) -> None:
    problem = {"detail": "there is no topic 'order'", "path": "$.topic", "near": ["orders"]}
    answer_with(monkeypatch, json.dumps(problem).encode(), status)
    failure = failure_of(AdminClient(server))
    assert failure.why == "$.topic: there is no topic 'order'"
    assert failure.kind == kind
    assert failure.problem == problem


@pytest.mark.parametrize("path", [{}, {"path": "$"}])
def test_a_problem_of_the_whole_document_names_no_path(
    server: str, monkeypatch: pytest.MonkeyPatch, path: dict[str, Any]
) -> None:
    answer_with(monkeypatch, json.dumps({"detail": "no", **path}).encode(), 422)
    assert failure_of(AdminClient(server)).why == "no"


@pytest.mark.parametrize(("status", "body"), [(200, b"<html>"), (200, b"[]"), (404, b"<html>")])
def test_another_http_server_is_recognised(
    server: str, monkeypatch: pytest.MonkeyPatch, status: int, body: bytes
) -> None:
    answer_with(monkeypatch, body, status)
    failure = failure_of(AdminClient(server))
    assert failure.kind == "unreachable"
    assert failure.why.startswith(f"the server at {server} is not mockbroker's admin API: it ")


def test_a_server_that_does_not_speak_http_is_recognised() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            peer, _address = listener.accept()
            with peer:
                peer.recv(4096)
                peer.sendall(b"\0\0\0\5hello\r\n\r\n")

        thread = threading.Thread(target=hang_up)
        thread.start()
        failure = failure_of(AdminClient(f"127.0.0.1:{listener.getsockname()[1]}"))
        thread.join()
    assert failure.kind == "unreachable"
    assert "is not mockbroker's admin API: BadStatusLine" in failure.why


def test_an_unreachable_server_is_named_with_advice() -> None:
    with held_ports() as (port,):
        failure = failure_of(AdminClient(f"http://127.0.0.1:{port}"))
    assert failure.kind == "unreachable"
    assert failure.why == (
        f"no admin API at http://127.0.0.1:{port}: Connection refused; start `mockbroker serve`, "
        "or name another with --admin or MOCKBROKER_ADMIN"
    )


def test_a_server_that_never_answers_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(
            AdminRequestError, match=f"no answer from {url} within 0.05 s"
        ) as failed:
            AdminClient(url).get("/readyz", timeout_s=0.05)
    assert failed.value.kind == "unreachable"


def test_a_stream_yields_its_events(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = b': hello\n\nid: 1\ndata: {"number": 1}\n\nid: 2\r\ndata: {"a":\r\ndata: 2}\r\n\r\n'
    answer_with(monkeypatch, stream)
    assert list(AdminClient(server).events("/events", {"after": 0})) == [{"number": 1}, {"a": 2}]
    assert Scripted.asked[0][2]["accept"] == "text/event-stream"
    assert Scripted.asked[0][1] == "/events?after=0"


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        ("127.0.0.1:8092", "http://127.0.0.1:8092"),
        ("http://[::1]:1/", "http://[::1]:1"),
        ("https://host", "https://host"),
    ],
)
def test_a_url_may_be_short(url: str, whole: str) -> None:
    assert AdminClient(url).url == whole


@pytest.mark.parametrize("url", ["ftp://host:1", "http://", "http://host:port", ":8092"])
def test_an_invalid_url_is_refused(url: str) -> None:
    with pytest.raises(AdminRequestError, match="expected http://HOST:PORT") as failed:
        AdminClient(url)
    assert failed.value.kind == "address"


def test_names_in_a_path_are_quoted() -> None:
    assert path_to("transactions", "a/b c", 1) == "/api/v1/transactions/a%2Fb%20c/1"

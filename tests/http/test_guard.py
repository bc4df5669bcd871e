"""Access control of the HTTP API."""

import pytest

from mockbroker.http.guard import Guard
from mockbroker.http.problem import Problem

PATH = "/api/v1/reset"


def refusal(guard: Guard, path: str = PATH, *, method: str = "POST", **headers: str) -> str | None:
    try:
        guard.check(method, path, headers)
    except Problem as problem:
        return problem.document.code
    return None


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8092", "localhost:8092", "localhost", "[::1]:8092", "host.docker.internal"]
)
def test_a_loopback_port_answers_to_names_of_this_machine(host: str) -> None:
    assert refusal(Guard("127.0.0.1", None), host=host) is None


@pytest.mark.parametrize("host", ["", "evil.example:8092", "127.0.0.1.evil.example", "[::1", "[x"])
def test_a_loopback_port_refuses_other_names(host: str) -> None:
    assert refusal(Guard("127.0.0.1", None), host=host) == "misdirected"


def test_requests_of_other_origins_are_refused() -> None:
    guard = Guard("127.0.0.1", None)
    own, host = "http://127.0.0.1:8092", "127.0.0.1:8092"
    assert refusal(guard, host=host, origin=own) is None
    for origin in ("http://evil.example", "null", "http://127.0.0.1:3000", "http://[x"):
        assert refusal(guard, host=host, origin=origin) == "foreign-origin"


@pytest.mark.parametrize(
    "host", ["10.0.0.7:8092", "[fe80::1]:8092", "mockbroker:8092", "localhost", "Mock.Test:8092"]
)
def test_an_open_port_accepts_names_that_no_page_can_have(host: str) -> None:
    assert refusal(Guard("0.0.0.0", "none", ["mock.test"]), host=host) is None


@pytest.mark.parametrize("host", ["", "evil.example:8092", "10.0.0.7.evil.example", "[x"])
def test_an_open_port_refuses_names_that_a_page_can_have(host: str) -> None:
    assert refusal(Guard("0.0.0.0", "none", ["mock.test"]), host=host) == "misdirected"


def test_a_loopback_port_accepts_configured_names() -> None:
    assert refusal(Guard("127.0.0.1", None, ["mock.test"]), host="mock.test:8092") is None
    assert refusal(Guard("127.0.0.1", None, ["mock.test"]), host="mockbroker") == "misdirected"


def test_commands_need_a_configured_token_and_reads_do_not() -> None:
    guard = Guard("0.0.0.0", "secret")
    assert refusal(guard, host="any") == "unauthorized"
    assert refusal(guard, host="any", authorization="Bearer wrong") == "unauthorized"
    assert refusal(guard, host="any", authorization="Bearer s\xe4cret") == "unauthorized"
    assert refusal(guard, host="any", authorization="Bearer secret") is None
    assert refusal(guard, method="GET", host="any") is None
    assert refusal(guard, method="HEAD", host="any") is None
    assert refusal(guard, method="DELETE", host="any") == "unauthorized"


def test_with_a_token_host_and_origin_are_checked_as_well() -> None:
    guard = Guard("0.0.0.0", "secret")
    borne = {"authorization": "Bearer secret"}
    assert refusal(guard, method="GET", host="evil.example") == "misdirected"
    assert refusal(guard, host="evil.example", **borne) == "misdirected"
    assert refusal(guard, host="any", origin="http://evil.example", **borne) == "foreign-origin"


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
def test_probes_need_no_token(path: str) -> None:
    assert refusal(Guard("0.0.0.0", "secret"), path) is None


def test_the_token_none_turns_off_authentication() -> None:
    assert refusal(Guard("0.0.0.0", "none"), host="any") is None
    assert refusal(Guard("0.0.0.0", "none"), host="evil.example") == "misdirected"

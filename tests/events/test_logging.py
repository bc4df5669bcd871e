"""Structured logs on stderr."""

import io
import json
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from mockbroker.events import logging


class Terminal(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def stderr(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    terminal = Terminal()
    write_to(terminal, monkeypatch)
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield terminal
    logging.configure()


def write_to(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the logs see this as stderr; pytest puts its own back after each fixture."""
    monkeypatch.setattr(logging, "sys", SimpleNamespace(stderr=stream))


def test_an_event_is_a_line_of_json(stderr: Terminal) -> None:
    logging.configure(log_format="json")
    logging.warning("connection_closed", reason="bad_frame_size", connection=7)
    event = json.loads(stderr.getvalue())
    assert event.pop("ts")
    assert event == {
        "event": "connection_closed",
        "level": "warning",
        "reason": "bad_frame_size",
        "connection": 7,
    }


def test_on_a_terminal_the_format_is_text(stderr: Terminal) -> None:
    logging.configure()
    logging.info("started", port=9092)
    assert "started" in stderr.getvalue()
    assert "\x1b[" in stderr.getvalue()


def test_a_terminal_gets_no_control_characters_of_clients(stderr: Terminal) -> None:
    logging.configure(log_format="console")
    logging.info("request_refused", client_id="a\x1b[2J\nb")
    assert "a\\u001b[2J\\u000ab" in stderr.getvalue()


def test_no_color_is_respected(stderr: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    logging.configure()
    logging.info("started", port=9092)
    assert "port=9092" in stderr.getvalue()
    assert "\x1b[" not in stderr.getvalue()


def test_without_a_terminal_the_format_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = io.StringIO()
    write_to(plain, monkeypatch)
    logging.configure()
    logging.info("started")
    assert json.loads(plain.getvalue())["event"] == "started"


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_only_events_from_the_level_on_are_shown(
    stderr: Terminal, level: str, shown: list[str]
) -> None:
    logging.configure(level=level, log_format="json")
    for log in (logging.debug, logging.info, logging.warning, logging.error):
        log("event")
    lines = stderr.getvalue().splitlines()
    assert [json.loads(line)["level"] for line in lines] == shown


def test_an_exception_is_logged_with_its_traceback(stderr: Terminal) -> None:
    logging.configure(log_format="json")
    logging.error("handler_failed", exc_info=ZeroDivisionError("ours"))
    assert "ZeroDivisionError: ours" in json.loads(stderr.getvalue())["exception"]


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        logging.configure(level="loud")

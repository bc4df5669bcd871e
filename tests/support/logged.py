"""Captured log events."""

from typing import NamedTuple

import pytest

from mockbroker.events import logging


class Event(NamedTuple):
    """One line of the log."""

    level: str
    event: str
    fields: dict[str, object]


class Logged:
    """All log events in order; none is written to stderr."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def named(self, event: str) -> list[dict[str, object]]:
        """Return the fields of all events with a name."""
        return [each.fields for each in self.events if each.event == event]

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Capture all events from now on."""
        for level in logging.LEVELS:
            monkeypatch.setattr(logging, level, self._recorder(level))

    def _recorder(self, level: str) -> object:
        def record(event: str, **fields: object) -> None:
            self.events.append(Event(level, event, fields))

        return record

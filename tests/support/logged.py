"""Log events as a test sees them."""

from typing import NamedTuple

import pytest

from mockbroker.events import logging


class Event(NamedTuple):
    """One line of the log."""

    level: str
    event: str
    fields: dict[str, object]


class Logged:
    """Every event in its order; nothing reaches stderr."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def named(self, event: str) -> list[dict[str, object]]:
        """Give the fields of all events of a name."""
        return [each.fields for each in self.events if each.event == event]

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take every event from now on."""
        for level in logging.LEVELS:
            monkeypatch.setattr(logging, level, self._recorder(level))

    def _recorder(self, level: str) -> object:
        def record(event: str, **fields: object) -> None:
            self.events.append(Event(level, event, fields))

        return record

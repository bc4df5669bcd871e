"""Every refusal is logged with its reason, and no client can flood the log with one."""

from collections.abc import Callable
from typing import Final

from mockbroker.observe import logging
from mockbroker.protocol.errors import ApiError, ErrorCode

SHOWN_PER_SECOND: Final = 10
"""How often the same refusal of the same thing is shown in a second; then it is counted."""

_FOR_THE_USER: Final = frozenset({ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR})
"""Refusals that the user of the cluster, and not its client, has to do something about."""


class RefusalLog:
    """The refusals of one cluster, on their way to the log."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Count by a clock in seconds: the loop's, since it is the reader's time that matters."""
        self._clock = clock
        self._second = 0
        self._counts: dict[tuple[object, ...], int] = {}

    def note(self, event: str, refusal: ApiError, **fields: object) -> None:
        """Log what was refused (`event` and its fields), by which code, and why."""
        second = int(self._clock())
        if second != self._second:
            self._tell_hidden()
            self._second = second
        key = (event, refusal.code, *fields.values())
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count <= SHOWN_PER_SECOND:
            log = logging.warning if refusal.code in _FOR_THE_USER else logging.info
            log(event, error=refusal.code.name, why=refusal.why, **fields)

    def _tell_hidden(self) -> None:
        hidden = sum(max(0, count - SHOWN_PER_SECOND) for count in self._counts.values())
        self._counts.clear()
        if hidden:
            logging.info("refusals_not_shown", count=hidden)

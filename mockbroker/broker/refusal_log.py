"""Every refusal is logged with its reason, and no client can flood the log with one."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from mockbroker.events import logging
from mockbroker.protocol.errors import ApiError, ErrorCode

SHOWN_PER_SECOND: Final = 10
"""How often the same refusal of the same thing is shown in a second; then it is counted."""

SHOWN_PER_SECOND_IN_ALL: Final = 100
"""How many refusals of each level are shown in a second: one request can name a million things."""

_FOR_THE_USER: Final = frozenset({ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR})
"""Refusals that the user of the cluster, and not its client, has to do something about."""


class RefusalLog:
    """The refusals of one cluster, on their way to the log."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Count by a clock in seconds: the loop's, since it is the reader's time that matters."""
        self._clock = clock
        self._second = 0
        self._counts: Counter[tuple[object, ...]] = Counter()
        self._shown: Counter[bool] = Counter()
        self._hidden = 0

    def note(self, event: str, refusal: ApiError, **fields: object) -> None:
        """Log what was refused (`event` and its fields), by which code, and why."""
        second = int(self._clock())
        if second != self._second:
            self._tell_hidden()
            self._second = second
        key = (event, refusal.code, *fields.values())
        is_for_the_user = refusal.code in _FOR_THE_USER
        is_shown_often = self._counts[key] >= SHOWN_PER_SECOND
        if is_shown_often or self._shown[is_for_the_user] >= SHOWN_PER_SECOND_IN_ALL:
            self._hidden += 1
            return
        self._counts[key] += 1
        self._shown[is_for_the_user] += 1
        log = logging.warning if is_for_the_user else logging.info
        log(event, error=refusal.code.name, why=refusal.why, **fields)

    def _tell_hidden(self) -> None:
        hidden, self._hidden = self._hidden, 0
        self._counts.clear()
        self._shown.clear()
        if hidden:
            logging.info("refusals_not_shown", count=hidden)

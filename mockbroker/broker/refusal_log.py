"""Log of refused requests, each with its reason; no client can flood it with one refusal."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from mockbroker.events import logging
from mockbroker.protocol.errors import ApiError, ErrorCode

SHOWN_PER_SECOND: Final = 10
"""Limit per second for the same refusal of the same thing; further ones are only counted."""

SHOWN_PER_SECOND_IN_ALL: Final = 100
"""Limit per second for each log level, because one request can name a million things."""

_REPEATED_MAX: Final = 1_000
"""Number of things whose repetitions are counted."""

_FOR_THE_USER: Final = frozenset({ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR})
"""Errors that the cluster's user has to resolve, and not the client."""


class RefusalLog:
    """Log of the refused requests of one cluster."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Limit by a clock in seconds: the event loop's, as people read the log in real time."""
        self._clock = clock
        self._second = 0
        self._counts: Counter[tuple[object, ...]] = Counter()
        self._shown: Counter[bool] = Counter()
        self._hidden = 0
        self._repeated: Counter[tuple[object, ...]] = Counter()

    def note(self, event: str, refusal: ApiError, **fields: object) -> None:
        """Log a refused request: the event and its fields, the error code, and the reason."""
        second = int(self._clock())
        if second != self._second:
            self._report_hidden()
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

    def counted(self, *what: object) -> int:
        """Count something that its cause repeats until somebody corrects it, such as a TLS client.

        Return the count where it is worth a line: the first time, the tenth, the hundredth; or 0.
        """
        if what not in self._repeated and len(self._repeated) >= _REPEATED_MAX:
            self._repeated.clear()
        self._repeated[what] += 1
        count = self._repeated[what]
        return count if str(count).rstrip("0") == "1" else 0

    def detail(self, event: str, **fields: object) -> None:
        """Log a detail of a request, for developers of a client."""
        logging.debug(event, **fields)

    def _report_hidden(self) -> None:
        hidden, self._hidden = self._hidden, 0
        self._counts.clear()
        self._shown.clear()
        if hidden:
            logging.info("refusals_not_shown", count=hidden)

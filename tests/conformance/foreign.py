"""Limits and peculiarities of a broker that the script does not own."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import Message
from tests.conformance.wire import Translator

PATIENCE_S: Final = 20.0


class EnoughError(Exception):
    """The script has come to the step after which it ends."""


class CannotBeAskedError(Exception):
    """The script needs a broker that it controls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """What holds for a foreign broker; by default, nothing but the time for an answer."""

    translator: Translator | None = None
    patience_s: float = PATIENCE_S
    """Time for one answer."""
    ends_at_s: float = float("inf")
    """The end of the script's time, on the monotonic clock."""
    last_step: int | None = None
    """The number of the step after which the script ends."""
    served: Mapping[int, range] = field(default_factory=dict[int, range])
    """The versions that the broker advertises, by API key; empty if all are served."""

    def check_time(self) -> None:
        """Check that the script may go on.

        Raises:
            AssertionError: its time is over.

        """
        assert time.monotonic() < self.ends_at_s, "the time for one conversation is over"

    def after_step(self, number: int) -> None:
        """End the script after its last step.

        Raises:
            EnoughError: this step was the last one.

        """
        if number == self.last_step:
            raise EnoughError

    def served_version(self, request: Message, version: int) -> int:
        """Return the version of a request that is no step: the newest that is served."""
        assert request.API is not None
        versions = self.served.get(ApiKey(request.API), range(0))
        return min(version, versions[-1]) if versions else version

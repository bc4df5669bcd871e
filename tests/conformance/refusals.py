"""Every refusal of the newer group APIs in Kafka 4.4.0, and the scenario that shows each of them.

`refusals.txt` follows the checks in Kafka's classes for groups, share partitions and share states.
An API is at the margin. Below it, by one space, is a scenario that was recorded; or, after a dash,
the reason why there is none. Below that, by two spaces, are the refusals: an error code, and the
pattern of its message, in which `*` stands for what differs. Without a pattern, the answer has no
message.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, cast

from mockbroker.protocol.errors import ErrorCode
from tests.conformance.stored import Shown

TABLE: Final = Path(__file__).with_suffix(".txt")
_REASON: Final = "- "
_BRACKET: Final = ("[", "[[]")
"""A bracket as it is, and as a pattern has it."""
_CODES: Final = {
    "error_code": "error_message",
    "acknowledge_error_code": "acknowledge_error_message",
}
"""Fields with error codes, and the fields of their messages."""
Answered = tuple[str, str | None]
"""An error code and its message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error that an API of Kafka can answer."""

    api: str
    code: str
    message: str | None
    scenario: str | None
    """The recorded scenario with this answer."""
    reason: str | None
    """Why there is none."""

    def matches(self, answered: Answered) -> bool:
        """Return whether an answer has this error."""
        code, message = answered
        if code != self.code or message is None or self.message is None:
            return code == self.code and message is None and self.message is None
        return fnmatchcase(message, self.message.replace(*_BRACKET))


def refusals(text: str) -> Iterator[Refusal]:
    """Read a table."""
    api = place = ""
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            api = line
        elif indent == 1:
            place = line.strip()
        else:
            code, _, message = line.strip().partition(" ")
            has_reason = place.startswith(_REASON)
            yield Refusal(
                api=api,
                code=ErrorCode[code].name,
                message=message or None,
                scenario=None if has_reason else place,
                reason=place.removeprefix(_REASON) if has_reason else None,
            )


def errors_in(answer: Shown) -> Iterator[Answered]:
    """Find all errors in a recorded answer."""
    if isinstance(answer, dict):
        for field, message_field in _CODES.items():
            code = answer.get(field)
            name = ErrorCode(code).name if isinstance(code, int) else code
            if isinstance(name, str) and name != ErrorCode.NONE.name:
                yield name, cast("str | None", answer.get(message_field))
        for each in answer.values():
            yield from errors_in(each)
    elif isinstance(answer, list):
        for each in answer:
            yield from errors_in(each)

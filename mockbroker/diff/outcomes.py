"""StepOutcome of each step of a conversation with a foreign broker."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import zip_longest
from typing import Final, NamedTuple, cast
from uuid import UUID

from mockbroker.diff.conversations import (
    ConversationStep,
    ExplainedPlace,
    FieldDifference,
    Json,
)
from mockbroker.diff.selection import api_of, version_of
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import Struct

UNSUPPORTED: Final = "UNSUPPORTED_VERSION"
CLOSED: Final = "connection closed"
"""The answer of a step whose connection the broker has closed."""
ABSENT: Final = "(absent)"
BYTES_MAX: Final = 120
_TITLES: Final = {each.title: each for each in ApiKey}


class StepStatus(Enum):
    """Result of a comparison of one step."""

    SAME = "same"
    LISTED = "listed"
    """The answers differ in a way that the list of explained differences has."""
    DIFFERS = "differs"
    REFUSED = "refused"
    """The broker closes the connection, or does not have the API or its version."""
    PASSING = "passing"
    """The answers differed once, and not when the conversation was repeated, or the reverse."""
    NOT_REACHED = "not reached"
    """The script had ended before, or had gone another way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """One step, and its differences."""

    scenario: str
    number: int
    """The number of the step in its scenario, from 1."""
    step: str
    asked: str
    api: str
    status: StepStatus
    why: str = ""
    """The reason of a refusal."""
    differences: Sequence[FieldDifference] = ()
    request: Json = None
    expected: Json = None
    given: Json = None

    @property
    def is_failure(self) -> bool:
        """True if the broker does not answer as it should."""
        return self.status in {StepStatus.DIFFERS, StepStatus.REFUSED}


def outcomes(
    scenario: str,
    expected: Sequence[ConversationStep],
    given: Sequence[ConversationStep],
    *,
    found: Sequence[Sequence[FieldDifference]],
    places: Sequence[ExplainedPlace],
    served: Mapping[int, range],
) -> Iterator[StepOutcome]:
    """Yield the outcome of every expected step, and of those that were not expected.

    `found` has the differences of each step up to the last that was compared.
    """
    for index, (wanted, answered) in enumerate(zip_longest(expected, given)):
        step = wanted or answered
        assert step is not None
        outcome = StepOutcome(
            scenario=scenario,
            number=index + 1,
            step=step.name,
            asked=step.asked,
            api=api_of(step),
            status=StepStatus.NOT_REACHED,
        )
        if index < len(found):
            pair = _Pair(wanted, answered)
            yield _judged(outcome, found[index], pair, places=places, served=served)
        elif wanted is not None:
            yield outcome


class _Pair(NamedTuple):
    expected: ConversationStep | None
    given: ConversationStep | None


def _judged(
    outcome: StepOutcome,
    differences: Sequence[FieldDifference],
    pair: _Pair,
    *,
    places: Sequence[ExplainedPlace],
    served: Mapping[int, range],
) -> StepOutcome:
    if not differences:
        return replace(outcome, status=StepStatus.SAME)
    outcome = replace(
        outcome,
        status=StepStatus.DIFFERS,
        differences=differences,
        expected=ABSENT if pair.expected is None else pair.expected.answer,
        given=ABSENT if pair.given is None else pair.given.answer,
        request=None if pair.given is None else shown_request(pair.given),
    )
    if all(_is_listed(each, places) for each in differences):
        return replace(outcome, status=StepStatus.LISTED)
    refusal = _refusal(pair, served)
    return outcome if refusal is None else replace(outcome, status=StepStatus.REFUSED, why=refusal)


def _is_listed(difference: FieldDifference, places: Sequence[ExplainedPlace]) -> bool:
    return any(place.covers(difference.step, difference.field) for place in places)


def _refusal(pair: _Pair, served: Mapping[int, range]) -> str | None:
    expected, given = pair
    if expected is None or given is None:
        return None
    api, version = _TITLES.get(api_of(expected)), version_of(expected)
    if api is not None and version is not None and version not in served.get(api, range(0)):
        return "does not advertise this version" if api in served else "does not advertise this API"
    if given.answer == CLOSED:
        return "closes the connection"
    if _has_code(given.answer, UNSUPPORTED) and not _has_code(expected.answer, UNSUPPORTED):
        return f"answers {UNSUPPORTED}"
    return None


def _has_code(answer: Json, code: str) -> bool:
    if isinstance(answer, dict):
        return any(
            value == code if name.endswith("error_code") else _has_code(value, code)
            for name, value in answer.items()
        )
    return isinstance(answer, list) and any(_has_code(each, code) for each in answer)


def shown_request(step: ConversationStep) -> Json:
    """Return the fields of a request that its version has; None if it was sent as bytes."""
    version = version_of(step)
    if step.request is None or version is None:
        return None
    return _shown(step.request, version)


def _shown(value: object, version: int) -> Json:
    if isinstance(value, Struct):
        return {
            name: _shown(getattr(value, name), version)
            for name, field in value.FIELDS.items()
            if version in field.versions
        }
    if isinstance(value, list):
        return [_shown(each, version) for each in cast("list[object]", value)]
    if isinstance(value, bytes):
        return _shown_bytes(value)
    if isinstance(value, UUID):
        return str(value)
    return value


def _shown_bytes(value: bytes) -> str:
    rest = f" and {len(value) - BYTES_MAX} more bytes" if len(value) > BYTES_MAX else ""
    return value[:BYTES_MAX].hex(" ", 4) + rest

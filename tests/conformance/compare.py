"""Comparison of two responses, field by field, with the explained differences."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from tests.conformance.explained import Explained, Place
from tests.conformance.steps import Step
from tests.conformance.stored import Shown

IDENTITIES: Final = (
    "name",
    "topic",
    "api_key",
    "partition_index",
    "index",
    "partition",
    "node_id",
    "broker_id",
    "topic_id",
)
"""Fields that identify the items of lists, so that a missing item does not shift the others."""
ABSENT: Final = "(absent)"
WHOLE_STEP: Final = "(step)"
"""The field of a difference in which requests were sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A field of a step that differs between Kafka and mockbroker."""

    step: str
    field: str
    kafka: Shown
    ours: Shown

    def __str__(self) -> str:
        """Format the difference as one line."""
        return f"{self.step} · {self.field}: Kafka {_short(self.kafka)}, ours {_short(self.ours)}"


def _short(value: Shown, longest: int = 160) -> str:
    text = repr(value)
    return text if len(text) <= longest else f"{text[:longest]}…"


def compare(expected: Sequence[Step], actual: Sequence[Step]) -> list[Difference]:
    """List all differences between the recorded and the replayed responses."""
    return [each for found in compare_steps(expected, actual) for each in found]


def compare_steps(
    expected: Sequence[Step], actual: Sequence[Step]
) -> Iterator[Sequence[Difference]]:
    """Yield the differences of each step, up to that where one script ends or goes another way."""
    for step, recorded in enumerate(expected):
        if step >= len(actual):
            yield [_step_difference(recorded, ABSENT)]
            return
        replayed = actual[step]
        if (recorded.name, recorded.asked) != (replayed.name, replayed.asked):
            # The script itself went another way: what follows cannot be compared.
            yield [_step_difference(recorded, f"{replayed.name} ({replayed.asked})")]
            return
        yield (
            []
            if _is_same(recorded.answer, replayed.answer)
            else [
                Difference(step=recorded.name, field=field, kafka=kafka, ours=ours)
                for field, kafka, ours in differing(recorded.answer, replayed.answer)
            ]
        )
    for more in actual[len(expected) :]:
        yield [Difference(step=more.name, field=WHOLE_STEP, kafka=ABSENT, ours=more.asked)]


def _is_same(recorded: Shown, replayed: Shown) -> bool:
    """Compare as JSON, which is fast and distinguishes 1, 1.0 and true."""
    return msgspec.json.encode(recorded) == msgspec.json.encode(replayed)


def _step_difference(recorded: Step, ours: str) -> Difference:
    kafka = f"{recorded.name} ({recorded.asked})"
    return Difference(step=recorded.name, field=WHOLE_STEP, kafka=kafka, ours=ours)


def differing(kafka: Shown, ours: Shown, path: str = "") -> Iterator[tuple[str, Shown, Shown]]:
    """Yield path and both values of every difference."""
    if isinstance(kafka, dict) and isinstance(ours, dict):
        for key in [*kafka, *(key for key in ours if key not in kafka)]:
            there, here = kafka.get(key, ABSENT), ours.get(key, ABSENT)
            yield from differing(there, here, _join(path, key))
    elif isinstance(kafka, list) and isinstance(ours, list):
        yield from _differing_lists(kafka, ours, path)
    elif kafka != ours or type(kafka) is not type(ours):
        yield path, kafka, ours


def _differing_lists(
    kafka: list[Shown], ours: list[Shown], path: str
) -> Iterator[tuple[str, Shown, Shown]]:
    identity = _identity([kafka, ours])
    if identity is None:
        for index in range(max(len(kafka), len(ours))):
            there = kafka[index] if index < len(kafka) else ABSENT
            here = ours[index] if index < len(ours) else ABSENT
            yield from differing(there, here, _join(path, str(index)))
        return
    those, these = _by(kafka, identity), _by(ours, identity)
    yield from differing(dict(those), dict(these), path)
    if list(those) != list(these) and set(those) == set(these):
        yield _join(path, "(order)"), list(those), list(these)


def _identity(lists: Iterable[list[Shown]]) -> str | None:
    """Find a field that identifies the items of each list."""
    both = list(lists)
    for field in IDENTITIES:
        if all(
            isinstance(item, dict) and item.get(field) is not None
            for items in both
            for item in items
        ) and all(len(_by(items, field)) == len(items) for items in both):
            return field
    return None


def _by(items: list[Shown], field: str) -> dict[str, Shown]:
    return {str(item[field]): item for item in items if isinstance(item, dict)}


def _join(path: str, part: str) -> str:
    return f"{path}.{part}" if path else part


@dataclass(frozen=True, slots=True)
class Verdict:
    """Differences of a scenario without explanation."""

    unexplained: list[Difference]
    unused: list[Place]
    """Places of explained differences that do not exist: their explanations are out of date."""


def judge(
    found: Iterable[Difference], explained: Iterable[Explained], scenario: str, preset: str
) -> Verdict:
    """Remove explained differences, and return the unused explanations."""
    places = [
        place
        for each in explained
        for place in each.places
        if place.scenario == scenario and (not place.presets or preset in place.presets)
    ]
    used: set[Place] = set()
    unexplained: list[Difference] = []
    for difference in found:
        covering = [place for place in places if place.covers(difference.step, difference.field)]
        used.update(covering)
        if not covering:
            unexplained.append(difference)
    return Verdict(unexplained, [place for place in places if place not in used])

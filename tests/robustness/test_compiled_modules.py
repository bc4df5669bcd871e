"""The compiled modules and their sources give the same answers, to good and to spoiled bytes.

Without a compiler, both are the same code.
"""

import importlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

import pytest

from mockbroker.broker.call import ANONYMOUS
from mockbroker.protocol.records.validation import survey
from mockbroker.protocol.records.varint import varint
from tests.conformance.batches import HEADER, Item, Producer, batch
from tests.robustness.spoiling import spoiled
from tests.support.in_process import NOW_MS, Brokers, frame_of
from tests.support.interpreted import NAMES, interpreted_modules, is_compiled
from tests.support.requests import produce
from tools.compilation import has_compiler

SEED: Final = 20_261_123
BATCHES: Final = 300
SPOILED_OF_EACH: Final = 40
TIMESTAMP_DELTAS: Final = (0, 0, 1, 70, 9_000, 1 << 40, -5, -(1 << 40))

SURVEY: Final = "mockbroker.protocol.records.validation.survey"
PATH: Final = "mockbroker.broker.produce.fast_path.produce_path"


@pytest.fixture(scope="module")
def interpreted() -> dict[str, Any]:
    return dict(interpreted_modules())


def some_bytes(random: Random, longest: int) -> bytes | None:
    size = random.choice((-1, 0, 1, 63, 64, random.randint(0, longest)))
    return None if size < 0 else random.randbytes(size)


def some_items(random: Random) -> Iterator[Item]:
    for _ in range(random.choice((1, 1, 2, 15, 70, 200))):
        headers = [
            (random.randbytes(random.choice((0, 3, 70))), some_bytes(random, 200))
            for _ in range(random.choice((0, 0, 0, 1, 3, 70)))
        ]
        yield Item(
            key=some_bytes(random, 300),
            value=some_bytes(random, random.choice((200, 9_000))),
            at_ms=NOW_MS + random.choice(TIMESTAMP_DELTAS),
            headers=headers,
        )


def outcome(work: Callable[..., Any], *arguments: object) -> Any:
    """Return a result, or the name and the text of an error."""
    try:
        return work(*arguments)
    except (ValueError, IndexError) as error:
        return type(error).__name__, str(error)


def test_the_modules_are_compiled_where_a_compiler_is_installed(
    interpreted: dict[str, Any],
) -> None:
    compiled = {name: is_compiled(importlib.import_module(name)) for name in NAMES}
    assert len(set(compiled.values())) == 1, compiled
    assert has_compiler() or not any(compiled.values())
    assert not any(is_compiled(module) for module in interpreted.values())


def test_records_are_surveyed_alike(interpreted: dict[str, Any]) -> None:
    random, python = Random(SEED), interpreted[SURVEY]
    found: set[str] = set()
    for _ in range(BATCHES):
        data = batch(*some_items(random), at_ms=NOW_MS)
        (*_, count) = HEADER.unpack_from(data)
        for change in range(SPOILED_OF_EACH):
            records = data[HEADER.size :]
            records = spoiled(records, random) if change else records
            whole = b"?" + records + b"\0\1"
            for given in (whole, bytearray(whole)):
                arguments = given, 1, 1 + len(records), count
                expected = outcome(python.survey_records, *arguments)
                assert outcome(survey.survey_records, *arguments) == expected, SEED
                found.add(str(expected[0]) if isinstance(expected[0], str) else "valid")
    assert found == {"valid", "SurveyError", "VarintError"}


@pytest.mark.parametrize("size", [4, 5, 6, 9, 10, 11])
def test_varints_at_the_limit_are_read_alike(size: int, interpreted: dict[str, Any]) -> None:
    python = interpreted[SURVEY]
    for fill in (b"\x80", b"\xff"):
        for last in (b"\x00", b"\x01", b"\x7f"):
            long = fill * (size - 1) + last
            rest = b"\0" + varint(0) * 2 + varint(-1) * 2 + varint(0)
            for at in range(6):
                parts = [varint(len(rest)), *(rest[n : n + 1] for n in range(6))]
                parts[at] = long
                records = b"".join(parts)
                arguments = records, 0, len(records), 1
                expected = outcome(python.survey_records, *arguments)
                assert outcome(survey.survey_records, *arguments) == expected


def test_requests_are_answered_alike(interpreted: dict[str, Any]) -> None:
    random = Random(SEED)
    native = importlib.import_module(PATH)
    clusters = [Brokers(topics={"orders": 2}) for _ in range(2)]
    paths = [
        module.ProducePath(brokers.service, 1, range(3, 14), 0, ANONYMOUS)
        for module, brokers in zip((native, interpreted[PATH]), clusters, strict=True)
    ]
    sequences, answered = [0, 0], 0
    for number in range(2_000):
        index = random.randrange(2)
        items = list(some_items(random))[:20]
        producer = Producer(7, 0, sequences[index])
        data = batch(*items, at_ms=NOW_MS, producer=producer if random.random() < 0.5 else None)
        frame = frame_of(produce(index=index, records=data), 9, number)
        frame = spoiled(frame, random) if random.random() < 0.3 else frame
        answers = [outcome(path.answer, frame, 0, len(frame)) for path in paths]
        assert answers[0] == answers[1], SEED
        if isinstance(answers[0], bytes):
            answered += 1
        logs = [brokers.state.as_text() for brokers in clusters] if number % 100 == 0 else [""]
        assert len(set(logs)) == 1, SEED
    assert answered > 100

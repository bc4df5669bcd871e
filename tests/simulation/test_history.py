"""The checker of histories names each anomaly, and nothing in a history without one."""

from collections.abc import Sequence

import pytest

from tests.simulation.history import Outcome, Read, Transaction, Write, anomalies

SESSION = ("producer", 1)


def sent(value: bytes, partition: int = 0, *, acknowledged: bool = True) -> Write:
    return Write(value, partition, SESSION, is_acknowledged=acknowledged)


def within(transaction: Transaction, *values: bytes) -> list[Write]:
    return [Write(value, 0, SESSION, transaction) for value in values]


def ended(outcome: Outcome, asked_at: int | None = None) -> Transaction:
    return Transaction("producer", outcome=outcome, asked_at=asked_at)


def read(offset: int, value: bytes, *, moment: int = 9, reader: str = "reader") -> Read:
    return Read(reader, is_committed=True, partition=0, offset=offset, value=value, moment=moment)


def found(writes: Sequence[Write], reads: Sequence[Read], gone: frozenset[bytes]) -> list[str]:
    return list(anomalies(writes, reads, {0}, gone))


COMMITTED = ended("committed", asked_at=5)
DOUBTED = ended("in doubt", asked_at=5)
ABORTED = ended("aborted")


@pytest.mark.parametrize(
    ("writes", "reads"),
    [
        ([], []),
        ([sent(b"a"), sent(b"b")], [read(0, b"a"), read(1, b"b")]),
        ([sent(b"a", acknowledged=False)], []),
        ([sent(b"a", acknowledged=False)], [read(4, b"a")]),
        (within(COMMITTED, b"a", b"b"), [read(0, b"a"), read(1, b"b")]),
        (within(DOUBTED, b"a", b"b"), []),
        (within(DOUBTED, b"a", b"b"), [read(0, b"a"), read(1, b"b")]),
        (within(ABORTED, b"a"), []),
        ([sent(b"a")], [read(0, b"a"), read(0, b"a", reader="another")]),
        ([sent(b"a", partition=1)], []),  # nobody reads it
    ],
)
def test_what_kafka_allows_is_no_anomaly(writes: list[Write], reads: list[Read]) -> None:
    assert not found(writes, reads, frozenset())


@pytest.mark.parametrize(
    ("writes", "reads", "expected"),
    [
        ([sent(b"a")], [], "promised and never read"),
        (within(COMMITTED, b"a"), [], "promised and never read"),
        ([], [read(0, b"a")], "read and never sent"),
        ([sent(b"a")], [read(0, b"a"), read(1, b"a")], "read twice"),
        ([sent(b"a"), sent(b"b")], [read(0, b"b"), read(1, b"a")], "out of order"),
        (within(ABORTED, b"a"), [read(0, b"a")], "aborted read"),
        (within(COMMITTED, b"a"), [read(0, b"a", moment=4)], "dirty read"),
        (within(DOUBTED, b"a", b"b"), [read(1, b"b")], "half a transaction was read"),
        (
            [sent(b"a"), sent(b"b")],
            [read(0, b"a"), read(1, b"b"), read(1, b"a", reader="another")],
            "two records at one offset",
        ),
    ],
)
def test_an_anomaly_is_named(writes: list[Write], reads: list[Read], expected: str) -> None:
    texts = found(writes, reads, frozenset())
    assert any(text.startswith(expected) for text in texts), texts


def test_deleted_records_are_missed_by_nobody() -> None:
    assert not found([sent(b"a")], [], frozenset({b"a"}))
    assert not found(within(DOUBTED, b"a", b"b"), [read(1, b"b")], frozenset({b"a"}))

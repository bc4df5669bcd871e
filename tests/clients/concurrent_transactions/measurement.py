"""Measurement of one client: transactions back to back, and the answers that it got meanwhile."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from tests.clients.concurrent_transactions.noting_proxy import Answered
from tests.clients.support.client_program import ProgramProducer
from tests.clients.support.deadline import wait_until
from tests.clients.support.transactional_client import (
    TransactionalClient,
    TransactionalProducer,
)

TRANSACTIONS: Final = 200
WARM_UP: Final = 20
"""Transactions before the measurement, in which brokers and clients compile their code."""
_AT_ONCE: Final = 50
"""Transactions of one command to a program, which is to answer in time."""
_TIMEOUT_MS: Final = 60_000
_ENDED: Final = Answered(ApiKey.END_TXN, ErrorCode.NONE)


class Measured(NamedTuple):
    """Answers of CONCURRENT_TRANSACTIONS in consecutive transactions of one producer."""

    transactions: int
    met: int
    """The number of transactions in which at least one answer was CONCURRENT_TRANSACTIONS."""
    answers: dict[str, int]
    """The number of such answers by API."""


def measure(
    client: TransactionalClient,
    bootstrap_servers: str,
    topic: str,
    answers: list[Answered],
    transactions: int = TRANSACTIONS,
) -> Measured:
    """Commit transactions of one record each, and count the answers to them."""
    before = ended(answers)
    producer = client.open(bootstrap_servers, f"id-of-{topic}", _TIMEOUT_MS)
    try:
        for size in (WARM_UP, *_parts(transactions)):
            _repeat(producer, topic, size)
    finally:
        producer.close()
    wait_until(lambda: ended(answers) == before + WARM_UP + transactions)
    return counted(answers, skip=before + WARM_UP)


def ended(answers: Iterable[Answered]) -> int:
    """Return the number of transactions that have ended."""
    return sum(1 for each in list(answers) if each == _ENDED)


def counted(answers: Iterable[Answered], skip: int = 0) -> Measured:
    """Count transactions, each of which ends with an EndTxn without an error, after the first."""
    transactions = met = 0
    busy: list[str] = []
    of_all: Counter[str] = Counter()
    for each in answers:
        if each.error is ErrorCode.CONCURRENT_TRANSACTIONS:
            busy.append(each.api.title)
        elif each == _ENDED:
            transactions += 1
            if transactions > skip:
                met += bool(busy)
                of_all.update(busy)
            busy = []
    return Measured(transactions - skip, met, dict(of_all))


def _parts(transactions: int) -> list[int]:
    whole, rest = divmod(transactions, _AT_ONCE)
    return [_AT_ONCE] * whole + ([rest] if rest else [])


def _repeat(producer: TransactionalProducer, topic: str, count: int) -> None:
    if isinstance(producer, ProgramProducer):
        producer.repeat(topic, count)
        return
    for number in range(count):
        producer.begin()
        producer.send(topic, 0, f"record-{number}")
        producer.commit()

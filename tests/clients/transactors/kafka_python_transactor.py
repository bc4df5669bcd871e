"""Transactor for KIP-691's template with kafka-python's producers."""

from collections.abc import Callable
from typing import Any

from kafka import KafkaProducer, TopicPartition
from kafka.structs import OffsetAndMetadata

from tests.clients.transactors.transactor import Raised, RefusedSetupError, Setup


class KafkaPythonTransactor:
    """Implementation of `Transactor`."""

    def __init__(self, settings: dict[str, Any], setup: Setup) -> None:
        self._setup = setup
        self._timeout_s = setup.call_timeout_ms / 1000
        self._reports: list[str] = []
        self._producer = KafkaProducer(**settings)

    def init_transactions(self) -> Raised | None:
        if not self._setup.is_transactional:
            return None
        return _raised_by(self._producer.init_transactions)

    def begin_transaction(self) -> Raised | None:
        return _raised_by(self._producer.begin_transaction)

    def send(self, topic: str, partition: int, value: str) -> Raised | None:
        return _raised_by(lambda: self._send(topic, partition, value))

    def _send(self, topic: str, partition: int, value: str) -> None:
        sent = self._producer.send(topic, value.encode(), partition=partition)
        sent.add_errback(lambda error: self._reports.append(type(error).__name__))

    def flush(self) -> Raised | None:
        return _raised_by(lambda: self._producer.flush(self._timeout_s))

    def reports(self) -> list[str]:
        told, self._reports = self._reports, []
        return told

    def send_offsets_to_transaction(
        self, group: str, topic: str, partition: int, offset: int
    ) -> Raised | None:
        offsets = {TopicPartition(topic, partition): OffsetAndMetadata(offset, "", -1)}
        return _raised_by(lambda: self._producer.send_offsets_to_transaction(offsets, group))

    def commit_transaction(self) -> Raised | None:
        return _raised_by(self._producer.commit_transaction)

    def abort_transaction(self) -> Raised | None:
        return _raised_by(self._producer.abort_transaction)

    def close(self) -> None:
        _raised_by(lambda: self._producer.close(0))


def _raised_by(call: Callable[[], object]) -> Raised | None:
    try:
        call()
    except Exception as error:  # noqa: BLE001 whatever it raises is what is asked for
        return Raised(type(error).__name__)
    return None


class KafkaPythonTransactors:
    """Implementation of `TransactorClient`."""

    def transactor(
        self, bootstrap_servers: str, transactional_id: str, setup: Setup
    ) -> KafkaPythonTransactor:
        settings: dict[str, Any] = {
            "bootstrap_servers": bootstrap_servers,
            "enable_idempotence": True,
            "max_block_ms": setup.call_timeout_ms,
            "delivery_timeout_ms": setup.delivery_timeout_ms,
            "request_timeout_ms": setup.request_timeout_ms,
            "retry_backoff_ms": 20,
            "reconnect_backoff_ms": 10,
            "linger_ms": 0,
        }
        if setup.is_transactional:
            settings["transactional_id"] = transactional_id
        try:
            return KafkaPythonTransactor(settings, setup)
        except Exception as error:
            raise RefusedSetupError(Raised(type(error).__name__)) from error

"""Transactor for KIP-691's template with aiokafka's producers."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any

from aiokafka import AIOKafkaProducer, TopicPartition

from tests.clients.transactors.transactor import Raised, RefusedSetupError, Setup

_HANGS = Raised("no end")


class AiokafkaTransactor:
    """Implementation of `Transactor`; a call that does not return is cancelled."""

    def __init__(
        self,
        runner: asyncio.Runner,
        producer: AIOKafkaProducer,
        setup: Setup,
        *,
        awaits_futures: bool,
    ) -> None:
        self._awaits_futures = awaits_futures
        self._runner = runner
        self._producer = producer
        # It has no such timeouts: what has not come back by then does not come back at all.
        self._timeout_s = min(setup.call_timeout_ms, setup.delivery_timeout_ms) / 1000
        self._sent: list[asyncio.Future[Any]] = []

    def init_transactions(self) -> Raised | None:
        return self._raised_by(self._producer.start())

    def begin_transaction(self) -> Raised | None:
        return self._raised_by(self._producer.begin_transaction())

    def send(self, topic: str, partition: int, value: str) -> Raised | None:
        return self._raised_by(self._send(topic, partition, value))

    async def _send(self, topic: str, partition: int, value: str) -> None:
        sent = await self._producer.send(topic, value.encode(), partition=partition)
        self._sent.append(sent)

    def flush(self) -> Raised | None:
        return self._raised_by(self._flush())

    async def _flush(self) -> None:
        await self._producer.flush()
        if self._awaits_futures:
            sent, self._sent = self._sent, []
            await asyncio.gather(*sent)

    def reports(self) -> list[str]:
        done = [sent for sent in self._sent if sent.done() and not sent.cancelled()]
        self._sent = [sent for sent in self._sent if not sent.done()]
        return [type(error).__name__ for sent in done if (error := sent.exception()) is not None]

    def send_offsets_to_transaction(
        self, group: str, topic: str, partition: int, offset: int
    ) -> Raised | None:
        offsets = {TopicPartition(topic, partition): offset}
        return self._raised_by(self._producer.send_offsets_to_transaction(offsets, group))

    def commit_transaction(self) -> Raised | None:
        return self._raised_by(self._producer.commit_transaction())

    def abort_transaction(self) -> Raised | None:
        return self._raised_by(self._producer.abort_transaction())

    def close(self) -> None:
        self._raised_by(self._producer.stop())
        for sent in self._sent:
            sent.cancel()

    def _raised_by(self, call: Coroutine[Any, Any, object]) -> Raised | None:
        return self._runner.run(_raised_in_time(call, self._timeout_s))


async def _raised_in_time(call: Awaitable[object], timeout_s: float) -> Raised | None:
    try:
        async with asyncio.timeout(timeout_s):
            await call
    except TimeoutError:
        return _HANGS
    except Exception as error:  # noqa: BLE001 whatever it raises is what is asked for
        return Raised(type(error).__name__)
    return None


class AiokafkaTransactors:
    """Implementation of `TransactorClient`.

    The futures of `send` are awaited after each flush, unlike in the template: if nothing awaits
    them, aiokafka commits a transaction whose records it could not write.
    """

    def __init__(self, runner: asyncio.Runner, *, awaits_futures: bool = True) -> None:
        self._runner = runner
        self._awaits_futures = awaits_futures

    def transactor(
        self, bootstrap_servers: str, transactional_id: str, setup: Setup
    ) -> AiokafkaTransactor:
        settings: dict[str, Any] = {
            "bootstrap_servers": bootstrap_servers,
            "transactional_id": transactional_id if setup.is_transactional else None,
            "enable_idempotence": setup.acks == "all",
            "acks": int(setup.acks) if setup.acks.isdigit() else setup.acks,
            "request_timeout_ms": setup.request_timeout_ms,
            "retry_backoff_ms": 20,
            "compression_type": "gzip" if setup.compresses else None,
        }
        if setup.uses_sasl:
            settings |= {
                "security_protocol": "SASL_PLAINTEXT",
                "sasl_mechanism": "PLAIN",
                "sasl_plain_username": "app",
                "sasl_plain_password": "secret",
            }

        async def made() -> AIOKafkaProducer:
            # Its own futures fail, too, and nobody asks for them: that is no news.
            asyncio.get_running_loop().set_exception_handler(lambda _loop, _context: None)
            return AIOKafkaProducer(**settings)

        try:
            producer = self._runner.run(made())
        except ValueError as error:
            raise RefusedSetupError(Raised(type(error).__name__)) from error
        return AiokafkaTransactor(
            self._runner,
            producer,
            setup,
            awaits_futures=self._awaits_futures,
        )

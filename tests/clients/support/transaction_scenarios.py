"""Scenarios for transactions, which every client runs.

A test file gives them a fixture `client`, and the names that the client has for errors:

    class TestTransactions(TransactionScenarios):
        errors = Errors(fenced_commit="ProducerFencedException", ...)

Nothing waits but in a client's own poll: records that mark the end of a read are written past it,
and a reader of committed records gets them when every transaction before them has ended.
"""

import itertools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Final

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import BatchHeader
from tests.clients.support.deadline import wait_until
from tests.clients.support.stored_batches import (
    committed_offset,
    last_stable_offset,
    stored_batches,
)
from tests.clients.support.topics import create_topic
from tests.clients.support.transactional_client import (
    ClientError,
    TransactionalClient,
    TransactionalProducer,
)
from tests.clients.support.written_batches import append, producer_of

_MAX_MESSAGE_BYTES: Final = 2_000
TOO_LARGE: Final = "x" * 2 * _MAX_MESSAGE_BYTES
"""A value that the brokers refuse."""
_LONG_TIMEOUT_MS: Final = 60_000
_SHORT_TIMEOUT_MS: Final = 3_000
"""Longer than a busy machine stands still between two calls."""
_PARTITION_COUNT: Final = 2


class Scene:
    """A topic on some brokers, a transactional id, and the client under test."""

    def __init__(
        self, client: TransactionalClient, bootstrap_servers: str, topic: str, release: str
    ) -> None:
        self._client = client
        self._bootstrap_servers = bootstrap_servers
        self._ends = (f"end-{number}" for number in itertools.count(1))
        self.release = release
        self.topic = topic
        self.transactional_id = f"id-of-{topic}"
        self.group = f"group-of-{topic}"
        create_topic(
            bootstrap_servers,
            topic,
            partitions=_PARTITION_COUNT,
            configs={"max.message.bytes": str(_MAX_MESSAGE_BYTES)},  # small batches only
        )

    @contextmanager
    def producer(self, *, timeout_ms: int = _LONG_TIMEOUT_MS) -> Generator[TransactionalProducer]:
        """A producer with this scene's transactional id."""
        producer = self._client.open(self._bootstrap_servers, self.transactional_id, timeout_ms)
        try:
            yield producer
        finally:
            producer.close()

    def write_end(self, partition: int = 0) -> str:
        """Append a record that ends a read, outside of every transaction."""
        end = next(self._ends)
        assert append(self._bootstrap_servers, self.topic, partition, end) == 0
        return end

    def committed(self, partition: int = 0, *, until: str | None = None) -> list[str]:
        """Return what a reader of committed records sees."""
        return self._read("read_committed", partition, until)

    def uncommitted(self, partition: int = 0) -> list[str]:
        """Return what a reader of all records sees."""
        return self._read("read_uncommitted", partition, None)

    def _read(self, isolation_level: str, partition: int, until: str | None) -> list[str]:
        end = until or self.write_end(partition)
        values = self._client.read(
            self._bootstrap_servers, self.topic, partition, isolation_level, end
        )
        return [value for value in values if not value.startswith("end-")]

    def transactional_batches(self, partition: int = 0) -> list[BatchHeader]:
        """Return what transactions have stored."""
        batches = stored_batches(self._bootstrap_servers, self.topic, partition)
        return [each for each in batches if each.is_transactional]

    def last_stable_offset(self, partition: int = 0) -> int:
        """Return the offset before which every transaction has ended."""
        return last_stable_offset(self._bootstrap_servers, self.topic, partition)

    def committed_offset(self, partition: int) -> int:
        """Return what this scene's group has committed; -1 for nothing."""
        return committed_offset(self._bootstrap_servers, self.group, self.topic, partition)

    def append_as_producer_of(self, batch: BatchHeader, *values: str) -> None:
        """Append what the producer of this batch did not send, as if it had."""
        same, sequence = producer_of(self._bootstrap_servers, self.transactional_id, batch)
        with same:
            written = same.produce(self.topic, *map(str.encode, values), base_sequence=sequence)
        assert written.error is ErrorCode.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """What a client calls the error of each refused operation."""

    fenced_commit: str
    fenced_send: str
    timed_out_commit: str
    too_large_send: str
    out_of_order_send: str
    next_after_too_large: str | None = None
    """Of the next transaction, where an abort leaves a producer that cannot go on."""
    next_after_out_of_order: str | None = None


class TransactionScenarios:
    """The tests of each client, by release of the brokers."""

    releases: ClassVar[tuple[str, ...]] = ("4.4", "3.9")
    errors: ClassVar[Errors]
    can_abort_after_out_of_order: ClassVar[bool] = True
    """Otherwise nothing helps but another producer."""

    def errors_on(self, release: str) -> Errors:
        """Return the names of the errors; an older release may make an error another."""
        return self.errors

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Each scenario runs on each release that the client is tested with."""
        if "scene" in metafunc.fixturenames:
            metafunc.parametrize("release", self.releases)

    @pytest.fixture
    def scene(
        self,
        client: TransactionalClient,
        brokers_of: Callable[[str], str],
        topic: str,
        release: str,
    ) -> Scene:
        """A topic of its own on brokers of that release."""
        return Scene(client, brokers_of(release), topic, release)

    def test_committed_transactions_are_read_and_stored_as_transactions(self, scene: Scene) -> None:
        with scene.producer() as producer:
            producer.begin()
            producer.send(scene.topic, 0, "a")
            producer.send(scene.topic, 1, "b")
            assert scene.last_stable_offset() == 0
            producer.commit()
            self.commit(scene, producer, "c")
        assert scene.committed(0) == ["a", "c"]
        assert scene.committed(1) == ["b"]
        batches = scene.transactional_batches(0)
        assert [each.is_control for each in batches] == [False, True, False, True]
        assert len({each.producer_id for each in batches}) == 1

    def test_an_aborted_transaction_is_seen_by_uncommitted_readers_only(self, scene: Scene) -> None:
        with scene.producer() as producer:
            producer.begin()
            producer.send(scene.topic, 0, "gone")
            producer.abort()
            self.commit(scene, producer, "kept")
        assert scene.committed() == ["kept"]
        assert scene.uncommitted() == ["gone", "kept"]

    def test_a_second_producer_aborts_the_first_ones_transaction_and_fences_it(
        self, scene: Scene
    ) -> None:
        with scene.producer() as first:
            first.begin()
            first.send(scene.topic, 0, "lost")
            with scene.producer() as second:
                second.begin()
                second.send(scene.topic, 0, "kept")
                self.fail(first.commit, self.errors_on(scene.release).fenced_commit)
                second.commit()
        assert scene.committed() == ["kept"]
        assert scene.uncommitted() == ["lost", "kept"]

    def test_a_fenced_producer_cannot_write(self, scene: Scene) -> None:
        with scene.producer() as first:
            first.begin()
            first.send(scene.topic, 0, "lost")
            with scene.producer() as second:
                self.fail(
                    lambda: first.send(scene.topic, 0, "refused"),
                    self.errors_on(scene.release).fenced_send,
                )
                self.commit(scene, second, "kept")
        assert scene.committed() == ["kept"]
        assert scene.uncommitted() == ["lost", "kept"]

    def test_the_coordinator_aborts_a_transaction_that_takes_too_long(self, scene: Scene) -> None:
        with scene.producer(timeout_ms=_SHORT_TIMEOUT_MS) as producer:
            producer.begin()
            producer.send(scene.topic, 0, "late")
            end = scene.write_end()
            assert scene.last_stable_offset() == 0
            assert scene.committed(until=end) == []
            self.fail(producer.commit, self.errors_on(scene.release).timed_out_commit)
        with scene.producer() as next_producer:
            self.commit(scene, next_producer, "kept")
        assert scene.committed() == ["kept"]

    def test_after_a_refused_record_the_transaction_is_aborted_and_the_next_succeeds(
        self, scene: Scene
    ) -> None:
        errors = self.errors_on(scene.release)
        with scene.producer() as producer:
            producer.begin()
            producer.send(scene.topic, 0, "gone")
            self.fail(lambda: producer.send(scene.topic, 0, TOO_LARGE), errors.too_large_send)
            producer.abort()
            self.go_on(scene, producer, errors.next_after_too_large)
        self.go_on_with_another(scene, needed=errors.next_after_too_large is not None)
        assert scene.committed() == ["kept"]
        assert scene.uncommitted() == ["gone", "kept"]

    def test_after_a_sequence_error_the_epoch_is_bumped_and_the_next_transaction_succeeds(
        self, scene: Scene
    ) -> None:
        errors = self.errors_on(scene.release)
        goes_on = self.can_abort_after_out_of_order and errors.next_after_out_of_order is None
        with scene.producer() as producer:
            producer.begin()
            producer.send(scene.topic, 0, "gone")
            scene.append_as_producer_of(scene.transactional_batches()[0], "one", "two", "three")
            self.fail(lambda: producer.send(scene.topic, 0, "refused"), errors.out_of_order_send)
            if self.can_abort_after_out_of_order:
                producer.abort()
                self.go_on(scene, producer, errors.next_after_out_of_order)
            else:
                with pytest.raises(ClientError):
                    producer.abort()
        self.go_on_with_another(scene, needed=not goes_on)
        assert scene.committed() == ["kept"]
        assert scene.uncommitted() == ["gone", "one", "two", "three", "kept"]
        batches = scene.transactional_batches()
        assert batches[-1].producer_id == batches[0].producer_id
        assert batches[-1].producer_epoch > batches[0].producer_epoch

    def fail(self, run: Callable[[], None], error: str) -> None:
        """Run what must end with this error."""
        with pytest.raises(ClientError) as refusal:
            run()
        assert refusal.value.name == error, refusal.value

    def commit(self, scene: Scene, producer: TransactionalProducer, value: str) -> None:
        """Commit a transaction of one record."""
        producer.begin()
        producer.send(scene.topic, 0, value)
        producer.commit()

    def go_on(self, scene: Scene, producer: TransactionalProducer, error: str | None) -> None:
        """Commit a record with the same producer, where that does not end with this error."""
        if error is None:
            self.commit(scene, producer, "kept")
        else:
            self.fail(lambda: self.commit(scene, producer, "refused"), error)

    def go_on_with_another(self, scene: Scene, *, needed: bool) -> None:
        """Commit a record with the next producer, where the last one did not."""
        if needed:
            with scene.producer() as next_producer:
                self.commit(scene, next_producer, "kept")


class OffsetScenarios(TransactionScenarios):
    """The tests of a client that commits a group's offsets without being one of its members."""

    def test_offsets_are_committed_with_the_transaction_or_not_at_all(self, scene: Scene) -> None:
        with scene.producer() as producer:
            producer.begin()
            producer.send(scene.topic, 0, "kept")
            producer.send_offsets(scene.group, scene.topic, 1, 7)
            assert scene.committed_offset(1) == -1
            producer.commit()
            wait_until(lambda: scene.committed_offset(1) == 7)
            producer.begin()
            producer.send(scene.topic, 0, "gone")
            producer.send_offsets(scene.group, scene.topic, 1, 9)
            producer.abort()
        assert scene.committed() == ["kept"]
        assert scene.committed_offset(1) == 7

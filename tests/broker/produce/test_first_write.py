"""Fencing check for sequence 0 from a producer without state, if enabled."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from mockbroker import Cluster
from mockbroker.broker.call import Call
from mockbroker.broker.produce.first_write import fenced_first_writes
from mockbroker.broker.produce.transaction_verification import FirstBatch
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.wire import Produced, WireProducer
from tests.support.in_process import NOW_MS
from tests.support.transactions import new_brokers

PROPOSAL = "first-write-fencing"
NONE = ErrorCode.NONE
# Without state in the log, only the coordinator knows a producer.
FORGETFUL = "2.3"


class Scene:
    """Cluster that removes producer state with the records, and producers in it."""

    def __init__(self, stack: ExitStack, *proposals: str, kafka: str = FORGETFUL) -> None:
        self._stack = stack
        self.cluster = stack.enter_context(
            Cluster(kafka=kafka, topics={"orders": 1}, proposals=proposals, clock="manual")
        )
        self.partition = self.cluster.partition("orders", 0)

    def producer(self, transactional_id: str | None = "svc") -> WireProducer:
        servers = self.cluster.bootstrap_servers
        return self._stack.enter_context(WireProducer(servers, transactional_id))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def fenced_zombie(scene: Scene) -> WireProducer:
    """Fence a producer and remove its state: abort its transaction, delete its records."""
    zombie = scene.producer()
    zombie.init_producer_id()
    zombie.add_partition("orders")
    zombie.produce("orders", b"in time", base_sequence=0)
    owner = scene.producer()
    while owner.init_producer_id() is not NONE:
        pass
    scene.partition.delete_records()
    return zombie


def test_without_the_proposal_a_fenced_producer_leaves_a_hanging_transaction(
    stack: ExitStack,
) -> None:
    scene = Scene(stack)
    zombie = fenced_zombie(scene)
    assert zombie.produce("orders", b"too late", base_sequence=0).error is NONE
    (hanging,) = scene.cluster.hanging_transactions()
    assert hanging.first_offset == scene.partition.last_stable_offset == 2


@pytest.mark.parametrize("kafka", ["0.11", "1.1", "2.3"])
def test_with_the_proposal_a_fenced_producer_is_refused(stack: ExitStack, kafka: str) -> None:
    scene = Scene(stack, PROPOSAL, kafka=kafka)
    zombie = fenced_zombie(scene)
    refused = zombie.produce("orders", b"too late", base_sequence=0)
    assert refused == Produced(ErrorCode.INVALID_PRODUCER_EPOCH, -1, -1)
    assert scene.cluster.hanging_transactions() == []
    assert scene.partition.log_end_offset == 2


def test_a_producer_that_was_not_fenced_begins_as_before(stack: ExitStack) -> None:
    producer = Scene(stack, PROPOSAL).producer()
    producer.init_producer_id()
    producer.add_partition("orders")
    assert producer.produce("orders", b"first", base_sequence=0).error is NONE
    assert producer.commit() is NONE


def test_only_the_first_write_is_checked_with_the_coordinator(stack: ExitStack) -> None:
    scene = Scene(stack, PROPOSAL)
    zombie = fenced_zombie(scene)
    refused = zombie.produce("orders", b"too late", base_sequence=1)
    assert refused.error is ErrorCode.UNKNOWN_PRODUCER_ID


def test_a_retry_of_the_first_batch_is_not_checked_while_the_log_knows_its_producer(
    stack: ExitStack,
) -> None:
    scene = Scene(stack, PROPOSAL)
    producer = scene.producer()
    producer.init_producer_id()
    producer.add_partition("orders")
    first = producer.produce("orders", b"first", base_sequence=0)
    assert producer.commit() is NONE
    while scene.producer().init_producer_id() is not NONE:
        pass
    again = producer.produce("orders", b"first", base_sequence=0)
    assert (first.error, again) == (NONE, first)


def test_a_producer_without_a_transactional_id_is_not_checked(stack: ExitStack) -> None:
    producer = Scene(stack, PROPOSAL).producer(None)
    producer.init_producer_id()
    assert producer.produce("orders", b"first", base_sequence=0).error is NONE


def test_another_owner_fences_too(stack: ExitStack) -> None:
    scene = Scene(stack, PROPOSAL)
    other = scene.producer("other")
    other.init_producer_id()
    stranger = scene.producer("svc")
    stranger.init_producer_id()
    stranger.producer_id = other.producer_id
    refused = stranger.produce("orders", b"first", base_sequence=0)
    assert refused.error is ErrorCode.INVALID_PRODUCER_EPOCH


def test_an_unknown_transactional_id_is_refused(stack: ExitStack) -> None:
    scene = Scene(stack, PROPOSAL)
    scene.producer("other").init_producer_id()
    nobody = scene.producer("svc")
    nobody.producer_id, nobody.producer_epoch = 77, 0
    refused = nobody.produce("orders", b"first", base_sequence=0)
    assert refused.error is ErrorCode.INVALID_PRODUCER_ID_MAPPING


def test_without_a_coordinator_the_producer_must_retry(stack: ExitStack) -> None:
    nobody = Scene(stack, PROPOSAL).producer("svc")
    nobody.producer_id, nobody.producer_epoch = 77, 0
    refused = nobody.produce("orders", b"first", base_sequence=0)
    assert refused.error is ErrorCode.NOT_ENOUGH_REPLICAS


def test_a_log_that_the_check_opens_gets_the_time() -> None:
    brokers = new_brokers()
    brokers.clock.advance(10)
    brokers.service.read_clock()
    call = Call(
        brokers.service,
        broker_id=1,
        connection_id=1,
        api_key=ApiKey.PRODUCE,
        api_version=10,
        correlation_id=1,
        client_id=None,
    )
    partition = brokers.partition("orders")
    code = ErrorCode.INVALID_PRODUCER_ID_MAPPING
    batches = [FirstBatch(partition, 0)]
    found = fenced_first_writes(call, "mine", ProducerIdAndEpoch(7, 0), batches)
    assert found == {partition.topic_partition: code}
    assert brokers.state.log_of(partition, 0).segments.active.created_ms == NOW_MS + 10

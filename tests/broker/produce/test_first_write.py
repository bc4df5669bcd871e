"""Fencing check for the first batch of a producer without state, if enabled."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from mockbroker import API, Cluster, Release
from mockbroker.broker.call import Answer, Call
from mockbroker.broker.produce.first_write import fence_first_writes
from mockbroker.broker.produce.transaction_verification import FirstBatch
from mockbroker.faults.fault import Fault
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.wire import Produced, WireProducer
from tests.support.in_process import NOW_MS
from tests.support.transactions import new_brokers

PROPOSAL = "first-write-fencing"
NONE = ErrorCode.NONE
# Without state in the log, only the coordinator knows a producer.
FORGETFUL: Release = "2.3"
OFF = {"transaction.partition.verification.enable": "false"}


class Scene:
    """Cluster that removes producer state with the records, and producers in it."""

    def __init__(
        self,
        stack: ExitStack,
        *proposals: str,
        kafka: Release = FORGETFUL,
        config: dict[str, str] | None = None,
    ) -> None:
        self._stack = stack
        self.cluster = stack.enter_context(
            Cluster(
                brokers=2,
                kafka=kafka,
                topics={"orders": 1},
                config={"default.replication.factor": "2", **(config or {})},
                proposals=proposals,
                clock="manual",
            )
        )
        self.partition = self.cluster.partition("orders", 0)

    def producer(self, transactional_id: str | None = "svc") -> WireProducer:
        servers = self.cluster.bootstrap_servers
        return self._stack.enter_context(WireProducer(servers, transactional_id))

    def committed(self, producer: WireProducer) -> ErrorCode:
        """Commit a producer's transaction over another connection."""
        other = self.producer(producer.transactional_id)
        other.producer_id, other.producer_epoch = producer.producer_id, producer.producer_epoch
        return other.commit()


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
def test_with_the_proposal_a_fenced_producer_is_refused(stack: ExitStack, kafka: Release) -> None:
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


@pytest.mark.parametrize("sequence", [0, 1, 7])
@pytest.mark.parametrize("kafka", ["0.11", "2.3"])
def test_a_zombie_in_the_middle_of_its_transaction_is_refused_too(
    stack: ExitStack, kafka: Release, sequence: int
) -> None:
    scene = Scene(stack, PROPOSAL, kafka=kafka)
    zombie = fenced_zombie(scene)
    refused = zombie.produce("orders", b"too late", base_sequence=sequence)
    assert refused.error is ErrorCode.INVALID_PRODUCER_EPOCH
    assert scene.partition.log_end_offset == 2


@pytest.mark.parametrize("sequence", [0, 1, 7])
@pytest.mark.parametrize("proposals", [(), (PROPOSAL,)])
@pytest.mark.parametrize(("kafka", "configs"), [("2.8", {}), ("3.9", OFF), ("4.4", OFF)])
def test_where_any_first_sequence_is_accepted_every_zombie_is_refused(
    stack: ExitStack,
    kafka: Release,
    configs: dict[str, str],
    proposals: tuple[str, ...],
    sequence: int,
) -> None:
    scene = Scene(stack, *proposals, kafka=kafka, config=configs)
    zombie = fenced_zombie(scene)
    scene.partition.elect(producer_state="none")
    answer = zombie.produce("orders", b"too late", base_sequence=sequence)
    assert answer.error is (ErrorCode.INVALID_PRODUCER_EPOCH if proposals else NONE)
    assert len(scene.cluster.hanging_transactions()) == (0 if proposals else 1)


def test_the_owner_goes_on_in_the_middle_of_its_transaction(stack: ExitStack) -> None:
    scene = Scene(stack, PROPOSAL, kafka="2.8")
    producer = scene.producer()
    producer.init_producer_id()
    producer.add_partition("orders")
    producer.produce("orders", b"first", base_sequence=0)
    scene.partition.elect(producer_state="none")
    assert producer.produce("orders", b"second", base_sequence=1).error is NONE
    assert producer.commit() is NONE


def test_an_unknown_sequence_of_the_owner_is_answered_as_without_the_proposal(
    stack: ExitStack,
) -> None:
    producer = Scene(stack, PROPOSAL).producer()
    producer.init_producer_id()
    producer.add_partition("orders")
    answer = producer.produce("orders", b"second", base_sequence=1)
    assert answer.error is ErrorCode.UNKNOWN_PRODUCER_ID


def asked(scene: Scene, effect: str, **fields: object) -> Fault:
    """Let an effect act on the leader's next question."""
    fault = scene.cluster.fault(API.DESCRIBE_TRANSACTION_STATE, between_brokers=True)
    return getattr(fault, effect)(**fields).once()  # type: ignore[no-any-return]


@pytest.mark.parametrize("effect", ["lose_response", "drop_request"])
def test_a_lost_answer_makes_the_producer_retry(stack: ExitStack, effect: str) -> None:
    scene = Scene(stack, PROPOSAL)
    producer = scene.producer()
    producer.init_producer_id()
    producer.add_partition("orders")
    lost = asked(scene, effect)
    refused = producer.produce("orders", b"first", base_sequence=0)
    assert refused.error is ErrorCode.NOT_ENOUGH_REPLICAS
    assert lost.hits == 1
    assert producer.produce("orders", b"first", base_sequence=0).error is NONE


def test_a_marker_that_comes_before_the_answer_decides_instead_of_it(stack: ExitStack) -> None:
    """KIP-360: after the response, the broker must check that the producer is still unknown."""
    scene = Scene(stack, PROPOSAL, kafka="2.8")
    zombie = scene.producer()
    zombie.init_producer_id()
    zombie.add_partition("orders")
    held = asked(scene, "hold_response")
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(zombie.produce, "orders", b"too late", base_sequence=0)
        held.wait_held()
        owner = scene.producer()
        while owner.init_producer_id() is not NONE:
            pass
        assert scene.partition.log_end_offset == 1  # the marker, which fences
        held.release()
        assert late.result(10).error is ErrorCode.INVALID_PRODUCER_EPOCH
    assert scene.partition.log_end_offset == 1


def test_a_producer_that_became_known_is_not_refused_by_an_older_answer(stack: ExitStack) -> None:
    scene = Scene(stack, PROPOSAL, kafka="2.8")
    producer = scene.producer()
    producer.init_producer_id()
    producer.add_partition("orders")
    held = asked(scene, "hold_response")
    asked(scene, "answer", error="NOT_COORDINATOR")
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(producer.produce, "orders", b"late", base_sequence=0)
        held.wait_held()
        assert scene.committed(producer) is NONE
        held.release()
        # The marker is there, with the same epoch: in 2.8, the log has no reason to refuse it.
        assert (late.result(10).error, late.result().base_offset) == (NONE, 1)


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
    found: list[Mapping[TopicPartition, ErrorCode]] = []

    def keep(errors: Mapping[TopicPartition, ErrorCode]) -> Answer:
        found.append(errors)
        return None

    fence_first_writes(call, "mine", ProducerIdAndEpoch(7, 0), [FirstBatch(partition, 0)], keep)
    assert found == [{partition.topic_partition: ErrorCode.INVALID_PRODUCER_ID_MAPPING}]
    assert brokers.state.log_of(partition, 0).segments.active.created_ms == NOW_MS + 10

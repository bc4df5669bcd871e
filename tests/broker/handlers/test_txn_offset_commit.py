"""TxnOffsetCommit: offsets take effect when their transaction commits."""

import pytest

from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.selectors import Selectors
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from mockbroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
)
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.support.in_process import Brokers
from tests.support.transactions import Transactor, new_brokers, pending_held

GROUP = "readers"


def request_of(producer: Transactor, **changes: object) -> TxnOffsetCommitRequest:
    topic_id = producer.brokers.topic("orders").topic_id
    partition = TxnOffsetCommitRequestPartition(
        partition_index=0, committed_offset=5, committed_metadata="where we were"
    )
    request = TxnOffsetCommitRequest(
        transactional_id=producer.transactional_id,
        group_id=GROUP,
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        topics=[
            TxnOffsetCommitRequestTopic(name="orders", topic_id=topic_id, partitions=[partition])
        ],
    )
    for name, value in changes.items():
        setattr(request, name, value)
    return request


def home_of(producer: Transactor, group_id: str) -> int:
    """Return the broker that coordinates a group."""
    index = coordinator_partition(CONSUMER_OFFSETS, group_id, producer.brokers.state.configs)
    return producer.brokers.partition(CONSUMER_OFFSETS, index).leader_id


def commit(producer: Transactor, request: TxnOffsetCommitRequest, version: int) -> ErrorCode:
    leader_id = home_of(producer, request.group_id)
    answer = producer.brokers.ask(request, version, TxnOffsetCommitResponse, broker_id=leader_id)
    return ErrorCode(answer.topics[0].partitions[0].error_code)


def committed(brokers: Brokers, *, require_stable: bool = False) -> tuple[int, ErrorCode]:
    topics = [OffsetFetchRequestTopics(name="orders", partition_indexes=[0])]
    request = OffsetFetchRequest(
        groups=[OffsetFetchRequestGroup(group_id=GROUP, topics=topics)],
        require_stable=require_stable,
    )
    answer = brokers.ask(request, 8, OffsetFetchResponse)
    found = answer.groups[0].topics[0].partitions[0]
    return found.committed_offset, ErrorCode(found.error_code)


@pytest.fixture
def producer() -> Transactor:
    producer = Transactor(new_brokers())
    producer.init()
    return producer


@pytest.mark.parametrize("version", range(7))
@pytest.mark.parametrize("is_commit", [True, False])
def test_offsets_count_when_the_transaction_is_committed(
    producer: Transactor, version: int, is_commit: bool
) -> None:
    producer.add_offsets(GROUP)
    assert commit(producer, request_of(producer), version) is ErrorCode.NONE
    assert committed(producer.brokers) == (-1, ErrorCode.NONE)
    unstable = committed(producer.brokers, require_stable=True)
    assert unstable == (-1, ErrorCode.UNSTABLE_OFFSET_COMMIT)
    producer.end(committed=is_commit)
    expected = (5 if is_commit else -1, ErrorCode.NONE)
    assert committed(producer.brokers, require_stable=True) == expected


@pytest.mark.parametrize(
    ("version", "code"),
    [
        (2, ErrorCode.INVALID_TXN_STATE),
        (3, ErrorCode.INVALID_TXN_STATE),
        (4, ErrorCode.TRANSACTION_ABORTABLE),
        (5, ErrorCode.NONE),
        (6, ErrorCode.NONE),
    ],
)
def test_a_missing_group_partition_is_refused_or_added(
    producer: Transactor, version: int, code: ErrorCode
) -> None:
    assert commit(producer, request_of(producer), version) is code
    producer.end(committed=True)
    assert committed(producer.brokers)[0] == (5 if code is ErrorCode.NONE else -1)


@pytest.mark.parametrize(
    ("release", "code"), [("3.6", ErrorCode.NONE), ("3.9", ErrorCode.INVALID_TXN_STATE)]
)
def test_offsets_are_verified_since_3_9_but_not_in_3_6(release: str, code: ErrorCode) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init(version=0)
    assert commit(producer, request_of(producer), 3) is code


def question_affected(producer: Transactor, effect: Effect) -> tuple[FaultPlan, FaultState]:
    """Let an effect act on the group coordinator's next question about a transaction."""
    plan = FaultPlan(producer.brokers.service)
    fault = plan.add(Selectors({"api": ApiKey.ADD_PARTITIONS_TO_TXN, "between_brokers": True}))
    fault.effect = effect
    plan.faults_changed()
    return plan, fault


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("effect", [LoseResponse(), DropRequest()])
def test_a_lost_verification_is_retried_as_a_loading_coordinator(
    producer: Transactor, version: int, effect: Effect
) -> None:
    producer.add_offsets(GROUP)
    question_affected(producer, effect)
    loading = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    older = ErrorCode.COORDINATOR_NOT_AVAILABLE
    refused = commit(producer, request_of(producer), version)
    assert refused is (older if version < 2 else loading)
    assert commit(producer, request_of(producer), version) is ErrorCode.NONE


@pytest.mark.parametrize(
    ("ends", "code"), [(False, ErrorCode.NONE), (True, ErrorCode.INVALID_TXN_STATE)]
)
def test_a_verification_may_be_answered_after_the_transaction_has_ended(
    producer: Transactor, ends: bool, code: ErrorCode
) -> None:
    producer.add_offsets(GROUP)
    plan, fault = question_affected(producer, HoldResponse())
    peer = producer.brokers.connect(home_of(producer, GROUP))
    peer.send(request_of(producer), 3)
    producer.brokers.loop.run()
    assert (len(peer.transport.written), fault.held_ever) == (0, 1)
    if ends:
        producer.end(committed=True)
    plan.release(fault)
    answer = peer.receive(ApiKey.TXN_OFFSET_COMMIT, 3, TxnOffsetCommitResponse)
    assert ErrorCode(answer.topics[0].partitions[0].error_code) is code
    producer.end(committed=True)
    assert committed(producer.brokers, require_stable=True) == (
        -1 if ends else 5,
        ErrorCode.NONE,
    )


@pytest.mark.parametrize("version", [2, 3])
def test_without_verification_offsets_may_be_left_pending(version: int) -> None:
    brokers = new_brokers(configs={"transaction.partition.verification.enable": "false"})
    producer = Transactor(brokers)
    producer.init()
    assert commit(producer, request_of(producer), version) is ErrorCode.NONE
    pending = committed(brokers, require_stable=True)
    assert pending == (-1, ErrorCode.UNSTABLE_OFFSET_COMMIT)


def test_a_producer_without_an_epoch_cannot_write_without_verification() -> None:
    producer = Transactor(new_brokers(release="2.8"))
    producer.init()
    request = request_of(producer, producer_epoch=-1)
    assert commit(producer, request, 3) is ErrorCode.UNKNOWN_SERVER_ERROR
    offsets = producer.brokers.state.group_coordinator(1).offsets_of(GROUP)
    assert offsets.known_partitions(GROUP) == []
    assert commit(producer, request_of(producer), 3) is ErrorCode.NONE


@pytest.mark.parametrize(
    ("changes", "version", "code"),
    [
        ({"group_id": ""}, 3, ErrorCode.INVALID_GROUP_ID),
        ({"producer_epoch": 9}, 3, ErrorCode.INVALID_PRODUCER_EPOCH),
        ({"producer_id": 999}, 3, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        ({"transactional_id": "nobody"}, 3, ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        ({"generation_id_or_member_epoch": 4}, 3, ErrorCode.ILLEGAL_GENERATION),
    ],
)
def test_a_refused_commit_changes_nothing(
    producer: Transactor, changes: dict[str, object], version: int, code: ErrorCode
) -> None:
    producer.add_offsets(GROUP)
    request = request_of(producer, **changes)
    before = producer.brokers.state.group_coordinator(1).as_text()
    assert commit(producer, request, version) is code
    assert producer.brokers.state.group_coordinator(1).as_text() == before


def test_missing_partitions_are_unknown_and_the_others_committed(
    producer: Transactor,
) -> None:
    producer.add_offsets(GROUP)
    request = request_of(producer)
    missing = TxnOffsetCommitRequestPartition(partition_index=7, committed_offset=1)
    request.topics[0].partitions.append(missing)
    request.topics.append(TxnOffsetCommitRequestTopic(name="other", partitions=[missing]))
    answer = producer.brokers.ask(request, 3, TxnOffsetCommitResponse)
    codes = {
        (topic.name, partition.partition_index): partition.error_code
        for topic in answer.topics
        for partition in topic.partitions
    }
    assert codes == {
        ("orders", 7): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ("orders", 0): ErrorCode.NONE,
        ("other", 7): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }


def test_newer_clients_must_retry_while_the_last_transaction_ends() -> None:
    producer = Transactor(new_brokers(), versions=(12, 5))
    producer.init()
    producer.add(0)
    with pending_held(producer.brokers):
        producer.end(committed=True)
        code = commit(producer, request_of(producer), 5)
    assert code is ErrorCode.CONCURRENT_TRANSACTIONS


def test_too_much_metadata_is_refused(producer: Transactor) -> None:
    producer.add_offsets(GROUP)
    request = request_of(producer)
    request.topics[0].partitions[0].committed_metadata = "x" * 4097
    assert commit(producer, request, 3) is ErrorCode.OFFSET_METADATA_TOO_LARGE


def test_another_broker_is_no_coordinator() -> None:
    brokers = new_brokers(brokers=3)
    producer = Transactor(brokers)
    producer.init()
    index = coordinator_partition(CONSUMER_OFFSETS, GROUP, brokers.state.configs)
    leader_id = brokers.partition(CONSUMER_OFFSETS, index).leader_id
    for broker_id in set(brokers.state.brokers) - {leader_id}:
        answer = brokers.ask(request_of(producer), 3, TxnOffsetCommitResponse, broker_id=broker_id)
        assert answer.topics[0].partitions[0].error_code == ErrorCode.NOT_COORDINATOR


@pytest.mark.parametrize(
    ("release", "generation", "member_id", "code"),
    [
        ("2.8", 3, "", ErrorCode.ILLEGAL_GENERATION),
        ("2.8", 0, "", ErrorCode.NONE),
        ("2.8", -1, "m", ErrorCode.UNKNOWN_MEMBER_ID),
        ("3.9", 3, "", ErrorCode.ILLEGAL_GENERATION),
        ("3.9", -1, "m", ErrorCode.NONE),
    ],
)
def test_2_8_checks_member_and_generation_separately(
    release: str, generation: int, member_id: str, code: ErrorCode
) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init()
    producer.add_offsets(GROUP)
    request = request_of(producer, generation_id_or_member_epoch=generation, member_id=member_id)
    assert commit(producer, request, 3) is code


@pytest.mark.parametrize(
    ("release", "codes"),
    [
        ("1.1", [ErrorCode.NONE, ErrorCode.NONE]),
        ("2.3", [ErrorCode.INVALID_GROUP_ID, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]),
    ],
)
def test_up_to_1_1_a_group_needs_no_name_and_an_offset_no_partition(
    release: str, codes: list[ErrorCode]
) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init(version=0)
    nameless = request_of(producer, group_id="")
    elsewhere = request_of(producer)
    elsewhere.topics[0].partitions[0].partition_index = 9
    assert [commit(producer, request, 0) for request in (nameless, elsewhere)] == codes


@pytest.mark.parametrize(
    ("release", "code"), [("2.3", ErrorCode.NONE), ("2.4", ErrorCode.INVALID_PRODUCER_EPOCH)]
)
def test_since_2_4_the_offsets_of_a_fenced_producer_are_refused(
    release: str, code: ErrorCode
) -> None:
    producer = Transactor(new_brokers(release=release))
    producer.init(version=0)
    newer = request_of(producer, producer_epoch=producer.producer_epoch + 1)
    assert commit(producer, newer, 0) is ErrorCode.NONE
    assert commit(producer, request_of(producer), 0) is code


@pytest.mark.parametrize(
    ("release", "flag", "code"),
    [
        ("4.4", "true", ErrorCode.COORDINATOR_NOT_AVAILABLE),
        ("4.4", "false", ErrorCode.NOT_COORDINATOR),
        ("3.9", "true", ErrorCode.NOT_COORDINATOR),
    ],
)
def test_without_a_topic_for_offsets_there_is_no_coordinator(
    release: str, flag: str, code: ErrorCode
) -> None:
    configs = {"transaction.partition.verification.enable": flag}
    brokers = Brokers(topics={"orders": 1}, release=release, configs=configs)
    partition = TxnOffsetCommitRequestPartition(
        partition_index=0, committed_offset=5, committed_metadata=""
    )
    topic = TxnOffsetCommitRequestTopic(name="orders", partitions=[partition])
    request = TxnOffsetCommitRequest(transactional_id="t", group_id=GROUP, topics=[topic])
    answer = brokers.ask(request, 0, TxnOffsetCommitResponse)
    assert answer.topics[0].partitions[0].error_code == code

"""The transaction coordinator: every command in every state, and partitions that move."""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.listing.transaction_listing import (
    TransactionFilters,
    list_transactions,
)
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.state.transaction.coordinator_building import ID, TIMEOUT_MS, A, B, Coordinated

S = TransactionState

# All pairs of a state and a command. Epochs are relative to the current one: `now` is the current
# epoch, `last` the previous, `next` the next. Version 0 is before KIP-890 part 2, version 2 since.


def nothing(_it: Coordinated, _version: int) -> ProducerIdAndEpoch:
    return ProducerIdAndEpoch(0, 0)


def empty(it: Coordinated, _version: int) -> ProducerIdAndEpoch:
    it.init()
    return it.init((0, 0))


def ongoing(it: Coordinated, version: int) -> ProducerIdAndEpoch:
    producer = empty(it, version)
    it.add(producer, version=version)
    return producer


def preparing(*, is_commit: bool, steps: int) -> "Reach":
    def reach(it: Coordinated, version: int) -> ProducerIdAndEpoch:
        producer = ongoing(it, version)
        it.end(producer, is_commit=is_commit, version=version)
        for _ in range(steps):
            it.host.step()
        epoch = it.coordinator.describe_transaction(ID).producer_epoch
        return ProducerIdAndEpoch(0, epoch)

    return reach


Reach = Callable[[Coordinated, int], ProducerIdAndEpoch]
Ask = Callable[[Coordinated, ProducerIdAndEpoch, int], object]

REACH: dict[str, Reach] = {
    "unknown": nothing,
    "Empty": empty,
    "Ongoing": ongoing,
    "PrepareCommit": preparing(is_commit=True, steps=0),
    "markers written": preparing(is_commit=True, steps=1),
    "PrepareAbort": preparing(is_commit=False, steps=0),
    "CompleteCommit": preparing(is_commit=True, steps=2),
    "CompleteAbort": preparing(is_commit=False, steps=2),
}


def moved(by: int) -> Callable[[ProducerIdAndEpoch], ProducerIdAndEpoch]:
    return lambda it: it._replace(producer_epoch=it.producer_epoch + by)


LAST, NEXT = moved(-1), moved(1)
STRANGER = ProducerIdAndEpoch(99, 1)

ASK: dict[str, Ask] = {
    "init": lambda it, _, __: it.init(),
    "init now": lambda it, who, _: it.init(who),
    "init last": lambda it, who, _: it.init(LAST(who)),
    "init next": lambda it, who, _: it.init(NEXT(who)),
    "init stranger": lambda it, _, __: it.init(STRANGER),
    "add": lambda it, who, version: it.add(who, A, version=version),
    "add another": lambda it, who, version: it.add(who, B, version=version),
    "add last": lambda it, who, version: it.add(LAST(who), version=version),
    "add stranger": lambda it, _, version: it.add(STRANGER, version=version),
    "verify": lambda it, who, _: verified(it, who, A),
    "verify another": lambda it, who, _: verified(it, who, B),
    "verify last": lambda it, who, _: verified(it, LAST(who), A),
    "verify stranger": lambda it, _, __: verified(it, STRANGER, A),
    "commit": lambda it, who, version: it.commit(who, version=version),
    "commit last": lambda it, who, version: it.commit(LAST(who), version=version),
    "commit stranger": lambda it, _, version: it.commit(STRANGER, version=version),
    "abort": lambda it, who, version: it.abort(who, version=version),
    "abort last": lambda it, who, version: it.abort(LAST(who), version=version),
    "abort next": lambda it, who, version: it.abort(NEXT(who), version=version),
}


def verified(it: Coordinated, who: ProducerIdAndEpoch, partition: TopicPartition) -> None:
    """Verify one partition, and raise its error code."""
    found = it.coordinator.verify_partitions_in_transaction(ID, who, {partition})
    assert set(found) == {partition}
    if found[partition] is not ErrorCode.NONE:
        raise ApiError(found[partition])


# CT CONCURRENT_TRANSACTIONS, PF PRODUCER_FENCED, IM INVALID_PRODUCER_ID_MAPPING,
# IT INVALID_TXN_STATE, TA TRANSACTION_ABORTABLE, ok answered. CT+ is CONCURRENT_TRANSACTIONS after
# the open transaction was aborted: the state has changed. If there are two, the second one is
# since KIP-890 part 2.
TABLE = """
command         | unknown Empty Ongoing PrepareCommit markers PrepareAbort CompleteCommit CompleteAb
init            | ok      ok    CT+     CT            CT      CT           ok              ok
init now        | ok      ok    CT+     CT            CT      CT           ok              ok
init last       | ok      ok    CT+     CT            CT      CT           ok              ok
init next       | ok      PF    CT+     CT            CT      CT           PF              PF
init stranger   | ok      PF    PF      CT            CT      CT           PF              PF
add             | IM      ok    ok      CT            CT      CT           ok              ok
add another     | IM      ok    ok      CT            CT      CT           ok              ok
add last        | IM      PF    PF      CT            CT      CT           PF              PF
add stranger    | IM      IM    IM      CT            CT      CT           IM              IM
verify          | IM      TA    ok      CT            CT      CT           TA              TA
verify another  | IM      TA    TA      CT            CT      CT           TA              TA
verify last     | IM      PF    PF      PF            PF      PF           PF              PF
verify stranger | IM      IM    IM      IM            IM      IM           IM              IM
commit          | IM      IT    ok      CT            CT      CT           ok/IT           IT
commit last     | IM      PF    PF      PF/CT         PF/CT   PF/CT        PF/ok           PF/IT
commit stranger | IM      IM    IM      IM/CT         IM/CT   IM/CT        IM              IM
abort           | IM      IT/ok ok      CT            CT      CT           IT/ok           ok
abort last      | IM      PF    PF      PF/CT         PF/CT   PF/CT        PF/IT           PF/ok
abort next      | IM      PF    PF      PF/CT         PF/CT   PF/CT        PF              PF
"""

CODES = {
    "CT": ErrorCode.CONCURRENT_TRANSACTIONS,
    "CT+": ErrorCode.CONCURRENT_TRANSACTIONS,
    "PF": ErrorCode.PRODUCER_FENCED,
    "IM": ErrorCode.INVALID_PRODUCER_ID_MAPPING,
    "IT": ErrorCode.INVALID_TXN_STATE,
    "TA": ErrorCode.TRANSACTION_ABORTABLE,
}


class Pair(NamedTuple):
    state: str
    command: str
    version: int
    expected: str


def pairs() -> list[Pair]:
    found: list[Pair] = []
    for line in TABLE.strip().splitlines()[1:]:
        command, _, cells = line.partition("|")
        for state, cell in zip(REACH, cells.split(), strict=True):
            before, _, since = cell.partition("/")
            found.append(Pair(state, command.strip(), 0, before))
            found.append(Pair(state, command.strip(), 2, since or before))
    return found


def test_the_table_has_every_command() -> None:
    assert {pair.command for pair in pairs()} == set(ASK)


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: "-".join(map(str, pair)))
def test_every_state_answers_every_command_as_kafka_does(pair: Pair) -> None:
    it = Coordinated(transaction_version=2 if pair.version else 1)
    who = REACH[pair.state](it, pair.version)
    before = it.as_text()
    if pair.expected == "ok":
        ASK[pair.command](it, who, pair.version)
        return
    with pytest.raises(ApiError) as refusal:
        ASK[pair.command](it, who, pair.version)
    assert refusal.value.code is CODES[pair.expected]
    assert (it.as_text() == before) is (pair.expected != "CT+")


@pytest.mark.parametrize("release", ["0.11", "2.4", "2.8", "3.9"])
def test_until_3_9_the_producer_is_checked_before_a_pending_transition(release: str) -> None:
    it = Coordinated(release)
    preparing(is_commit=True, steps=0)(it, 0)
    for who, code in ((STRANGER, "INVALID_PRODUCER_ID_MAPPING"), ((0, 9), "PRODUCER_FENCED")):
        with pytest.raises(ApiError, match=code):
            it.add(who)


# Partitions of the transaction log


@pytest.mark.parametrize("command", ASK)
def test_commands_are_refused_if_the_partition_is_not_led(command: str) -> None:
    it = Coordinated(loaded=False)
    with pytest.raises(ApiError) as refusal:
        ASK[command](it, ProducerIdAndEpoch(0, 0), 0)
    assert refusal.value.code is ErrorCode.NOT_COORDINATOR
    assert it.as_text() == []


@pytest.mark.parametrize("command", ASK)
def test_commands_are_refused_while_the_partition_loads(command: str) -> None:
    it = Coordinated()
    who = ongoing(it, 0)
    it.coordinator.on_election(it.coordinator.states.partition_for(ID), 1)
    before = it.as_text()
    with pytest.raises(ApiError) as refusal:
        ASK[command](it, who, 0)
    assert refusal.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert it.as_text() == before


def test_loading_is_pending_work() -> None:
    it = Coordinated(loaded=False)
    it.coordinator.on_election(7, 0)
    assert it.coordinator.as_text() == ["loading __transaction_state-7 epoch 0"]
    assert it.host.step() == "LoadTransactions __transaction_state-7"
    assert it.coordinator.as_text() == ["owns __transaction_state-7 epoch 0"]


def test_a_partition_that_moves_while_it_loads_is_not_owned() -> None:
    it = Coordinated(loaded=False)
    it.coordinator.on_election(7, 0)
    it.coordinator.on_resignation(7, 1)
    it.host.run_pending()
    assert it.coordinator.as_text() == []


@pytest.mark.parametrize(
    ("state", "version"), list(product([state for state in REACH if state != "unknown"], (0, 2)))
)
def test_the_next_coordinator_loads_the_state_of_the_last(state: str, version: int) -> None:
    it = Coordinated(transaction_version=2 if version else 1)
    REACH[state](it, version)
    it.host.run_pending()
    before = it.coordinator.describe_transaction(ID)
    after = it.moved().coordinator.describe_transaction(ID)
    assert after._replace(last_producer_epoch=-1, previous_producer_id=-1) == before._replace(
        last_producer_epoch=-1, previous_producer_id=-1
    )


def test_an_open_transaction_continues_at_the_next_coordinator() -> None:
    it = Coordinated()
    producer = ongoing(it, 2)
    other = it.moved()
    other.add(producer, B, version=2)
    assert other.commit(producer, version=2) == (0, 2)
    other.host.run_pending()
    assert sorted(written.partition for written in other.host.markers) == [A, B]


# AddPartitionsToTxn, AddOffsetsToTxn


def test_partitions_of_the_transaction_are_not_logged_again() -> None:
    it = Coordinated()
    producer = ongoing(it, 0)
    logged = len(it.log.values)
    it.add(producer, A)
    assert len(it.log.values) == logged
    it.add(producer, A, B)
    assert len(it.log.values) == logged + 1
    assert it.coordinator.describe_transaction(ID).partitions == {A, B}


def test_an_empty_set_of_partitions_begins_a_transaction() -> None:
    it = Coordinated()
    producer = it.init()
    nobody = frozenset[TopicPartition]()
    it.coordinator.add_partitions_to_transaction(ID, producer, nobody, 5)
    metadata = it.coordinator.describe_transaction(ID)
    assert (metadata.state, metadata.partitions) == (S.ONGOING, frozenset())


def test_offsets_add_the_partition_of_their_group() -> None:
    it = Coordinated()
    producer = it.init()
    it.coordinator.add_offsets_to_transaction(ID, producer, "a", 5)
    metadata = it.coordinator.describe_transaction(ID)
    assert metadata.partitions == {TopicPartition("__consumer_offsets", 47)}
    assert metadata.client_transaction_version == 0


def test_an_empty_transactional_id_is_an_invalid_request_everywhere() -> None:
    it = Coordinated()
    producer = ProducerIdAndEpoch(0, 0)
    for ask in (
        lambda: it.add(producer, transactional_id=""),
        lambda: it.coordinator.add_offsets_to_transaction("", producer, "group", 0),
        lambda: it.coordinator.verify_partitions_in_transaction("", producer, {A}),
        lambda: it.commit(producer, transactional_id=""),
        lambda: it.coordinator.describe_transaction(""),
    ):
        with pytest.raises(ApiError, match=r"the transactional id is empty$") as refusal:
            ask()
        assert refusal.value.code is ErrorCode.INVALID_REQUEST


def test_every_partition_is_verified_separately() -> None:
    it = Coordinated()
    producer = ongoing(it, 0)
    assert it.coordinator.verify_partitions_in_transaction(ID, producer, {A, B}) == {
        A: ErrorCode.NONE,
        B: ErrorCode.TRANSACTION_ABORTABLE,
    }


# Tests and operators


def test_an_open_transaction_is_aborted_over_its_producer() -> None:
    it = Coordinated(transaction_version=1)
    producer = ongoing(it, 0)
    it.coordinator.abort_over_producer(ID, 50)
    assert it.coordinator.describe_transaction(ID).last_update_timestamp_ms == 50
    it.host.run_pending()
    assert [written.marker.is_commit for written in it.host.markers] == [False]
    with pytest.raises(ApiError, match="PRODUCER_FENCED"):
        it.add(producer)


@pytest.mark.parametrize(
    ("state", "refusal"),
    [
        ("unknown", "INVALID_PRODUCER_ID_MAPPING.*'orders-1' is not known"),
        ("Empty", "INVALID_TXN_STATE.*'orders-1' is Empty"),
        ("PrepareCommit", "CONCURRENT_TRANSACTIONS"),
        ("CompleteAbort", "INVALID_TXN_STATE.*'orders-1' is CompleteAbort"),
    ],
)
def test_only_an_open_transaction_is_aborted_over_its_producer(state: str, refusal: str) -> None:
    it = Coordinated()
    REACH[state](it, 0)
    before = it.as_text()
    with pytest.raises(ApiError, match=refusal):
        it.coordinator.abort_over_producer(ID, 50)
    assert it.as_text() == before


@pytest.mark.parametrize("state", ["Empty", "CompleteCommit", "CompleteAbort"])
def test_a_transactional_id_is_expired_at_any_age(state: str) -> None:
    it = Coordinated()
    REACH[state](it, 0)
    assert it.coordinator.expire_transactional_id(ID, 0)
    assert it.log.last is None
    assert it.coordinator.transaction_state_of(ID) is None


def test_a_transactional_id_stays_if_its_tombstone_cannot_be_logged() -> None:
    it = Coordinated()
    it.init()
    before = it.as_text()
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    assert not it.coordinator.expire_transactional_id(ID, 0)
    assert it.as_text() == before


# DescribeTransactions, DescribeTransactionState


def test_an_open_transaction_is_described() -> None:
    it = Coordinated()
    it.add(it.init(), A, B, now_ms=77)
    metadata = it.coordinator.describe_transaction(ID)
    assert (metadata.state.state_name, metadata.timeout_ms) == ("Ongoing", TIMEOUT_MS)
    assert metadata.start_timestamp_ms == 77
    assert metadata.partitions == {A, B}


def test_an_unknown_transactional_id_is_not_found_or_nothing() -> None:
    it = Coordinated()
    with pytest.raises(ApiError, match="'orders-1' is not known") as refusal:
        it.coordinator.describe_transaction(ID)
    assert refusal.value.code is ErrorCode.TRANSACTIONAL_ID_NOT_FOUND
    assert it.coordinator.transaction_state_of(ID) is None
    it.init()
    assert it.coordinator.transaction_state_of(ID) == it.coordinator.describe_transaction(ID)


def test_a_broker_that_is_shut_down_describes_nothing() -> None:
    it = Coordinated()
    it.init()
    it.coordinator.shutdown()
    for ask in (
        lambda: it.coordinator.describe_transaction(ID),
        lambda: it.coordinator.transaction_state_of(ID),
        lambda: list_transactions(it.coordinator, TransactionFilters(), 0),
    ):
        with pytest.raises(ApiError, match=r"broker 1 is shut down$") as refusal:
            ask()
        assert refusal.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    it.coordinator.startup(0)
    assert it.coordinator.describe_transaction(ID).producer_epoch == 0

"""Every history of a small world keeps every promise, and every planted defect is found."""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest

from mockbroker.protocol.types import NO_SEQUENCE
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_truncation import truncate_to
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.ongoing_transactions import OngoingTransactions
from mockbroker.state.producer.producer_recovery import recover_producers
from mockbroker.state.producer.transaction_index import TransactionIndex
from mockbroker.state.producer.verification_states import VerificationStates
from mockbroker.state.replication.replicas.leader_log import take_over_log
from mockbroker.state.topic.topic import Partition
from mockbroker.state.transaction.topic_transaction_log import TopicTransactionLog
from mockbroker.state.transaction.transaction_marker_channel import TransactionMarkerChannel
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.transaction_state_manager import Transaction
from tests.model.checker import moments
from tests.model.checker.cases import known_defects
from tests.model.checker.known_states import KnownStates
from tests.model.checker.promises import PROMISES
from tests.model.checker.search import Found, Search, Share, replayed, shortened, told
from tests.model.checker.values import Case
from tests.model.checker.world import Doing, World, in_stable_order

ONE_PRODUCER = (1, 0)
AFTER_ONE_ANOTHER = (2, 0)
ONE_ID = ("id", "id")
TWO_IDS = ("id-1", "id-2")
ELECTION = "mockbroker.state.replication.leader_election"

Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.parametrize(
    ("release", "transaction_version"), [("2.8", None), ("4.4", 1), ("4.4", 2)]
)
def test_two_producers_without_faults_keep_every_promise(
    release: str, transaction_version: int | None
) -> None:
    found = Search(Case(release, transaction_version, faults=0)).run()
    assert found.is_complete
    assert not found.broken
    assert found.states > 400
    assert found.went.keys() >= {
        "commit NONE",
        "abort PRODUCER_FENCED",
        "init CONCURRENT_TRANSACTIONS",
        "produce INVALID_PRODUCER_EPOCH",
        "WriteTxnMarkers",
        "CompleteTransaction",
    }


def test_one_producer_keeps_every_promise_with_any_fault() -> None:
    case = Case("4.4", 2, ONE_ID, ONE_PRODUCER, faults=1)
    found = Search(case).run()
    assert found.is_complete
    assert not found.broken
    assert found.went.keys() >= {
        "LoadTransactions",
        "abort COORDINATOR_NOT_AVAILABLE",
        "elected with from_log",
        "produce PRODUCER_FENCED",
        "timed out",
        "commit late",
    }


# What the search leaves out


@pytest.mark.parametrize(("release", "transaction_version"), [("2.8", None), ("4.4", 2)])
def test_states_with_fewer_faults_left_add_nothing(
    release: str, transaction_version: int | None
) -> None:
    case = Case(release, transaction_version, ONE_ID, ONE_PRODUCER, faults=1)
    all_states, all_worlds = met_in(case, is_reduced=False)
    fewer, worlds = met_in(case)
    assert fewer.broken.keys() == all_states.broken.keys()
    assert worlds == all_worlds
    assert fewer.states < all_states.states


def test_histories_that_the_second_of_two_producers_begins_mirror_the_others() -> None:
    case = Case("2.8", faults=0)
    all_states, all_worlds = met_in(case, is_reduced=False)
    half, worlds = met_in(case)
    assert half.states < 0.6 * all_states.states
    assert worlds | {mirrored(world) for world in worlds} == all_worlds


def met_in(case: Case, *, is_reduced: bool = True) -> tuple[Found, set[tuple[Any, ...]]]:
    """Return what a search finds, and each state that it meets."""
    worlds: set[tuple[Any, ...]] = set()

    def meet(world: World) -> None:
        worlds.add((world.moment.digest, *world[1:]))

    return Search(case, is_reduced=is_reduced, meet=meet).run(), worlds


def mirrored(world: tuple[Any, ...]) -> tuple[Any, ...]:
    """Exchange the producers of a world; brokers do not see whose a request is."""
    digest, producers, network, ended, commits_sent, origins = world
    return (
        digest,
        producers[::-1],
        in_stable_order(each._replace(sender=1 - each.sender) for each in network),
        in_stable_order(each._replace(sender=1 - each.sender) for each in ended),
        frozenset((1 - sender, serial) for sender, serial in commits_sent),
        frozenset((written, 1 - sender, serial) for written, sender, serial in origins),
    )


def test_searches_that_share_the_work_meet_what_one_meets() -> None:
    case = Case("4.4", 2, ONE_ID, ONE_PRODUCER, faults=1)
    alone, worlds = met_in(case)
    known, shared = KnownStates(), Found(case=case)
    met: list[World] = []
    for faults in range(case.faults + 1):
        for number in range(2):
            search = Search(case, known, meet=met.append)
            shared.add(search.visit(faults, Share(number, shares=2)))
    assert (shared.states, shared.ends, shared.went) == (alone.states, alone.ends, alone.went)
    assert {(world.moment.digest, *world[1:]) for world in met} == worlds


def test_the_same_step_from_the_same_state_leads_to_the_same_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Were states told apart by too little, a search would miss what follows from some of them."""
    monkeypatch.setattr(moments, "MOMENTS_KEPT", 1)  # so that each step is taken again
    random = Random(1)
    doing = Doing(Case("4.4", 2, TWO_IDS, faults=2))
    futures: dict[Any, Any] = {}
    taken = 0
    for _ in range(400):
        world, faults_left = doing.first, 2
        for _ in range(10):
            action = random.choice([*world.actions(faults_left)])
            after, went = doing.done(world, action)
            future = (after.moment.digest, *after[1:], went)
            assert futures.setdefault((world.moment.digest, *world[1:], action), future) == future
            world, faults_left = after, faults_left - action.faults
            taken += 1
    assert len(futures) < taken / 2, "few steps were taken again"


# Kafka's own defects


@pytest.mark.parametrize("transaction_version", [0, 1])
def test_a_late_end_of_a_transaction_ends_the_next_one_before_epochs_per_transaction(
    transaction_version: int,
) -> None:
    case = Case("4.4", transaction_version, ONE_ID, AFTER_ONE_ANOTHER, faults=1)
    broken = Search(case).run(until="nothing_is_committed_unasked").broken
    assert broken.keys() <= known_defects(case).keys()
    shortest = shortened(case, broken["nothing_is_committed_unasked"])
    (late,) = (step for step in told(case, shortest.history) if step.startswith("send_late"))
    assert late == "send_late 0 commit: commit late"
    assert shortest.history[-1].name == "deliver"


def test_no_late_request_reaches_the_next_transaction_with_epochs_per_transaction() -> None:
    found = Search(Case("4.4", 2, ONE_ID, AFTER_ONE_ANOTHER, faults=1)).run()
    assert found.is_complete
    assert not found.broken
    assert found.went["commit late"]


def test_a_late_batch_hangs_where_brokers_do_not_verify_transactions() -> None:
    case = Case("2.8", None, ONE_ID, ONE_PRODUCER, faults=1)
    broken = Search(case).run(until="nothing_hangs").broken["nothing_hangs"]
    steps = list(told(case, shortened(case, broken).history))
    assert [
        step for step in steps if step.startswith(("send_late", "give_up", "send 0 abort"))
    ] == [
        "send_late 0 produce 0: produce late",
        "give_up 0: gave up",
        "send 0 abort: abort NONE",
    ]
    assert steps[-1] == "deliver 0: produce NONE"


# Planted defects


def nothing(*_: object) -> None:
    """Do nothing, where something is to be done."""


def begins_too_early(patch: pytest.MonkeyPatch) -> None:
    start = OngoingTransactions.start

    def early(self: OngoingTransactions, producer_id: int, first_offset: int) -> None:
        start(self, producer_id, max(0, first_offset - 1))

    patch.setattr(OngoingTransactions, "start", early)


def forgets_aborted_transactions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TransactionIndex, "append", nothing)


def logs_decisions_as_completed(patch: pytest.MonkeyPatch) -> None:
    append = TopicTransactionLog.append

    def early(self: TopicTransactionLog, index: int, name: str, value: Any, **others: Any) -> None:
        if value.state == TransactionState.PREPARE_COMMIT:
            value = value._replace(state=TransactionState.COMPLETE_COMMIT)
        append(self, index, name, value, **others)

    patch.setattr(TopicTransactionLog, "append", early)


def logs_no_second_partition(patch: pytest.MonkeyPatch) -> None:
    append = TopicTransactionLog.append

    def silent(self: TopicTransactionLog, index: int, name: str, value: Any, **others: Any) -> None:
        if value.state != TransactionState.ONGOING or len(value.partitions) == 1:
            append(self, index, name, value, **others)

    patch.setattr(TopicTransactionLog, "append", silent)


def loses_the_last_batch(patch: pytest.MonkeyPatch) -> None:
    def without_last(cluster: Any, partition: Any, broker_id: int, **others: Any) -> Any:
        log = take_over_log(cluster, partition, broker_id, **others)
        if partition.topic_partition.topic == "orders":
            truncate_to(log, log.log_end_offset - 1, cluster.records, now_ms=others["now_ms"])
        return log

    patch.setattr(f"{ELECTION}.take_over_log", without_last)


def recovers_no_sequences(patch: pytest.MonkeyPatch) -> None:
    def recover_less(log: Any, *arguments: Any, **others: Any) -> None:
        recover_producers(log, *arguments, **others)
        for entry in log.producers:
            entry.packed_batches, entry.last_sequence = b"", NO_SEQUENCE

    patch.setattr(f"{ELECTION}.recover_producers", recover_less)


def writes_other_markers(is_other: Callable[[int, bool], bool]) -> Plant:
    """Let some markers be written with the other outcome."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        append = ClusterState.append_end_txn_marker

        def other(
            self: ClusterState, partition: Partition, marker: EndTxnMarker, **others: Any
        ) -> None:
            if is_other(partition.topic_partition.partition, marker.is_commit):
                marker = marker._replace(is_commit=not marker.is_commit)
            append(self, partition, marker, **others)

        patch.setattr(ClusterState, "append_end_txn_marker", other)

    return plant


def sends_no_markers_after_loading(patch: pytest.MonkeyPatch) -> None:
    add = TransactionMarkerChannel.add_txn_markers_to_send

    def only_of_the_first(
        self: TransactionMarkerChannel, transaction: Transaction, transit: Any, now_ms: int
    ) -> None:
        if transaction.owner.coordinator_epoch == 0:
            add(self, transaction, transit, now_ms)

    patch.setattr(TransactionMarkerChannel, "add_txn_markers_to_send", only_of_the_first)


def revokes_no_verification(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(VerificationStates, "end_by_marker", nothing)


class Planted(NamedTuple):
    """A defect, the promise that it breaks, and the world in which it does."""

    plant: Plant
    promise: str
    faults: int = 0
    transactions: tuple[int, int] = ONE_PRODUCER
    transaction_version: int = 2


PLANTED = {
    "a transaction begins one offset too early": Planted(
        begins_too_early, "stable_offsets_never_go_back", transactions=AFTER_ONE_ANOTHER
    ),
    "aborted transactions are not listed": Planted(
        forgets_aborted_transactions, "readers_get_what_is_committed"
    ),
    "a decision is logged as completed": Planted(
        logs_decisions_as_completed, "transitions_are_those_of_the_kips"
    ),
    "a second partition is not logged": Planted(
        logs_no_second_partition, "memory_is_what_the_log_says"
    ),
    "a new leader lacks the last batch": Planted(
        loses_the_last_batch, "acknowledged_batches_stay", faults=1
    ),
    "a new leader recovers no sequences": Planted(
        recovers_no_sequences, "batches_are_in_order", faults=2
    ),
    "one partition gets the other marker": Planted(
        writes_other_markers(lambda partition, is_commit: is_commit and partition == 1),
        "transactions_are_whole",
    ),
    "an abort writes commit markers": Planted(
        writes_other_markers(lambda _, is_commit: not is_commit), "nothing_is_committed_unasked"
    ),
    "a commit writes abort markers": Planted(
        writes_other_markers(lambda _, is_commit: is_commit), "promised_ends_are_kept"
    ),
    "a coordinator that loads sends no markers": Planted(
        sends_no_markers_after_loading, "nothing_hangs", faults=1
    ),
    "a marker revokes no verification": Planted(
        revokes_no_verification, "nothing_hangs", faults=1, transaction_version=1
    ),
}


def test_a_defect_is_planted_for_each_promise() -> None:
    assert {each.promise for each in PLANTED.values()} == set(PROMISES)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, promise, faults, transactions, version = PLANTED[name]
    case = Case("4.4", version, ONE_ID, transactions, faults)
    plant(monkeypatch)
    found = Search(case).run(until=promise)
    assert promise in found.broken, found.broken
    shortest = shortened(case, found.broken[promise])
    assert shortest.promise == promise
    monkeypatch.undo()
    assert replayed(case, shortest.history) is None

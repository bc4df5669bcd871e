"""All legal and illegal transitions of a transactional id."""

from collections.abc import Callable
from itertools import product

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.transaction_metadata import NO_TIMEOUT_MS, TransactionMetadata
from mockbroker.state.transaction.transaction_state import IllegalTransitionError, TransactionState
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata

A, B = TopicPartition("a", 0), TopicPartition("b", 0)
NOTHING = frozenset[TopicPartition]()
S = TransactionState
Prepare = Callable[[TransactionMetadata], TxnTransitMetadata]

COMMANDS: dict[str, Prepare] = {
    "increment": lambda it: it.prepare_increment_producer_epoch(5_000, None, 50),
    "rotate": lambda it: it.prepare_producer_id_rotation(9, 5_000, 50, record_last_epoch=True),
    "fence": lambda it: it.prepare_fence_producer_epoch(),
    "add": lambda it: it.prepare_add_partitions({B}, 50, 0),
    "commit": lambda it: it.prepare_abort_or_commit(
        S.PREPARE_COMMIT, 0, -1, 50, no_partition_added=False
    ),
    "abort": lambda it: it.prepare_abort_or_commit(
        S.PREPARE_ABORT,
        2,
        -1,
        50,
        no_partition_added=it.state not in {S.ONGOING, S.PREPARE_EPOCH_FENCE},
    ),
    "complete": lambda it: it.prepare_complete(50),
    "die": lambda it: it.prepare_dead(),
}
LEGAL = {
    S.EMPTY: {"increment", "rotate", "add", "abort", "die"},
    S.ONGOING: {"fence", "add", "commit", "abort"},
    S.PREPARE_COMMIT: {"complete"},
    S.PREPARE_ABORT: {"complete"},
    S.COMPLETE_COMMIT: {"increment", "rotate", "add", "abort", "die"},
    S.COMPLETE_ABORT: {"increment", "rotate", "add", "abort", "die"},
    S.DEAD: set[str](),
    S.PREPARE_EPOCH_FENCE: {"abort"},
}
NEVER_COMPLETED = {"fence", "die"}
PAIRS = list(product(TransactionState, COMMANDS))
LEGAL_PAIRS = [(state, command) for state, command in PAIRS if command in LEGAL[state]]
ILLEGAL_PAIRS = [(state, command) for state, command in PAIRS if command not in LEGAL[state]]


def metadata_in(state: TransactionState, **changes: object) -> TransactionMetadata:
    """Return a transactional id in a state, with partitions if that state has any."""
    is_open = state in {S.ONGOING, S.PREPARE_COMMIT, S.PREPARE_ABORT, S.PREPARE_EPOCH_FENCE}
    metadata = TransactionMetadata(
        transactional_id="orders-1",
        producer_id=7,
        previous_producer_id=-1,
        next_producer_id=-1,
        producer_epoch=3,
        last_producer_epoch=2,
        next_producer_epoch=-1,
        timeout_ms=60_000,
        state=state,
        partitions=frozenset({A}) if is_open else frozenset(),
        start_timestamp_ms=-1 if state is S.EMPTY else 10,
        last_update_timestamp_ms=20,
        client_transaction_version=0,
    )
    return metadata._replace(**changes)  # type: ignore[arg-type]


def completed(metadata: TransactionMetadata, prepare: Prepare) -> TransactionMetadata:
    transit = prepare(metadata)
    return metadata.begin_transition(transit).complete_transition(transit)


# All pairs


@pytest.mark.parametrize(("state", "command"), LEGAL_PAIRS)
def test_a_legal_transition_is_prepared_begun_and_completed(
    state: TransactionState, command: str
) -> None:
    before = metadata_in(state)
    transit = COMMANDS[command](before)
    begun = before.begin_transition(transit)
    assert begun.pending_state is transit.state
    assert begun.cancel_transition() == before
    if command in NEVER_COMPLETED:
        with pytest.raises(IllegalTransitionError):
            begun.complete_transition(transit)
    else:
        after = begun.complete_transition(transit)
        assert after.state is transit.state
        assert after.pending_state is None


@pytest.mark.parametrize(("state", "command"), ILLEGAL_PAIRS)
def test_an_illegal_transition_raises_and_changes_nothing(
    state: TransactionState, command: str
) -> None:
    before = metadata_in(state)
    with pytest.raises(IllegalTransitionError):
        COMMANDS[command](before)
    assert before == metadata_in(state)


@pytest.mark.parametrize(("state", "command"), PAIRS)
def test_nothing_is_prepared_while_a_transition_is_pending(
    state: TransactionState, command: str
) -> None:
    before = metadata_in(state, pending_state=S.ONGOING)
    with pytest.raises(IllegalTransitionError):
        COMMANDS[command](before)


@pytest.mark.parametrize(("prepared", "pending"), list(product(LEGAL_PAIRS, TransactionState)))
def test_only_the_pending_transition_is_completed(
    prepared: tuple[TransactionState, str], pending: TransactionState
) -> None:
    state, command = prepared
    transit = COMMANDS[command](metadata_in(state))
    if pending is not transit.state:
        with pytest.raises(IllegalTransitionError):
            metadata_in(state, pending_state=pending).complete_transition(transit)
    else:
        assert metadata_in(state).begin_transition(transit).pending_state is pending


@pytest.mark.parametrize(("state", "command"), LEGAL_PAIRS)
def test_a_transition_of_another_producer_is_not_completed(
    state: TransactionState, command: str
) -> None:
    before = metadata_in(state)
    transit = COMMANDS[command](before)
    begun = before.begin_transition(transit)
    stranger = transit._replace(producer_id=99, producer_epoch=17, last_producer_epoch=16)
    with pytest.raises(IllegalTransitionError):
        begun.complete_transition(stranger)


# Epochs


def test_a_new_transactional_id_has_no_epoch_yet() -> None:
    new = TransactionMetadata.new("orders-1", 7, timeout_ms=60_000, now_ms=20)
    assert (new.producer_epoch, new.last_producer_epoch, new.state) == (-1, -1, S.EMPTY)
    assert completed(new, COMMANDS["increment"]).producer_epoch == 0


def test_a_transactional_id_without_epoch_can_expire_but_not_be_used() -> None:
    new = TransactionMetadata.new("orders-1", 7, timeout_ms=60_000, now_ms=20)
    assert new.prepare_dead().state is S.DEAD
    with pytest.raises(IllegalTransitionError):
        COMMANDS["add"](new)


@pytest.mark.parametrize(
    ("expected", "epoch", "last_epoch"),
    [
        pytest.param(None, 4, -1, id="a new producer fences the one before"),
        pytest.param(3, 4, 3, id="a producer continues"),
        pytest.param(2, 3, 2, id="a retry is answered with what it got"),
    ],
)
def test_an_epoch_is_bumped_or_repeated(expected: int | None, epoch: int, last_epoch: int) -> None:
    after = completed(
        metadata_in(S.COMPLETE_COMMIT),
        lambda it: it.prepare_increment_producer_epoch(5_000, expected, 50),
    )
    assert (after.producer_epoch, after.last_producer_epoch) == (epoch, last_epoch)
    assert (after.state, after.timeout_ms, after.start_timestamp_ms) == (S.EMPTY, 5_000, -1)
    assert after.last_update_timestamp_ms == 50


@pytest.mark.parametrize("expected", [-1, 0, 1, 4, 32767])
def test_any_other_epoch_is_fenced(expected: int) -> None:
    before = metadata_in(S.EMPTY)
    with pytest.raises(ApiError) as refusal:
        before.prepare_increment_producer_epoch(5_000, expected, 50)
    assert refusal.value.code is ErrorCode.PRODUCER_FENCED


def test_a_new_transactional_id_accepts_any_epoch() -> None:
    new = TransactionMetadata.new("orders-1", 7, timeout_ms=60_000, now_ms=20)
    after = completed(new, lambda it: it.prepare_increment_producer_epoch(5_000, 77, 50))
    assert (after.producer_epoch, after.last_producer_epoch) == (0, -1)


@pytest.mark.parametrize(("record_last_epoch", "last_epoch"), [(True, 32766), (False, -1)])
def test_a_rotation_starts_at_epoch_0_of_a_new_producer_id(
    record_last_epoch: bool, last_epoch: int
) -> None:
    exhausted = metadata_in(S.COMPLETE_ABORT, producer_epoch=32766)
    after = completed(
        exhausted,
        lambda it: it.prepare_producer_id_rotation(
            9, 5_000, 50, record_last_epoch=record_last_epoch
        ),
    )
    assert (after.producer_id, after.producer_epoch) == (9, 0)
    assert (after.previous_producer_id, after.last_producer_epoch) == (7, last_epoch)
    assert (after.timeout_ms, after.last_update_timestamp_ms) == (5_000, 50)


def test_a_removal_keeps_the_time_of_the_last_update() -> None:
    transit = metadata_in(S.COMPLETE_COMMIT).prepare_dead()
    assert (transit.state, transit.last_update_timestamp_ms) == (S.DEAD, 20)


def test_the_epoch_after_the_last_is_not_given_to_producers() -> None:
    with pytest.raises(AssertionError):
        metadata_in(S.EMPTY, producer_epoch=32766).prepare_increment_producer_epoch(1, None, 50)


@pytest.mark.parametrize(
    ("changes", "fencing_epoch"),
    [
        ({}, 4),
        ({"has_failed_epoch_fence": True}, 3),
        ({"producer_epoch": 32766}, 32767),
        ({"producer_epoch": 32767}, 32767),
    ],
)
def test_a_fence_has_an_epoch_that_its_producer_does_not_have(
    changes: dict[str, object], fencing_epoch: int
) -> None:
    transit = metadata_in(S.ONGOING, **changes).prepare_fence_producer_epoch()
    assert transit.producer_epoch == fencing_epoch
    assert transit.last_update_timestamp_ms == 20


# Transactions


@pytest.mark.parametrize(
    ("state", "start_ms"),
    [(S.EMPTY, 50), (S.COMPLETE_COMMIT, 50), (S.COMPLETE_ABORT, 50), (S.ONGOING, 10)],
)
def test_the_first_partitions_begin_a_transaction(state: TransactionState, start_ms: int) -> None:
    before = metadata_in(state)
    after = completed(before, lambda it: it.prepare_add_partitions({B}, 50, 2))
    assert after.partitions == before.partitions | {B}
    assert (after.start_timestamp_ms, after.client_transaction_version) == (start_ms, 2)


def test_an_end_without_bump_keeps_the_epoch() -> None:
    after = completed(metadata_in(S.ONGOING), COMMANDS["commit"])
    assert (after.producer_epoch, after.last_producer_epoch) == (3, 2)
    done = completed(after, COMMANDS["complete"])
    assert (done.state, done.producer_epoch, done.partitions) == (S.COMPLETE_COMMIT, 3, frozenset())


def test_an_end_with_bump_moves_the_epoch_before_the_markers() -> None:
    after = completed(metadata_in(S.ONGOING), COMMANDS["abort"])
    assert (after.producer_epoch, after.last_producer_epoch) == (4, 3)
    done = completed(after, COMMANDS["complete"])
    assert (done.state, done.producer_epoch, done.last_producer_epoch) == (S.COMPLETE_ABORT, 4, 3)


def test_a_bump_of_the_last_epoch_ends_with_a_new_producer_id() -> None:
    prepared = completed(
        metadata_in(S.ONGOING, producer_epoch=32766),
        lambda it: it.prepare_abort_or_commit(S.PREPARE_COMMIT, 2, 9, 50, no_partition_added=False),
    )
    assert (prepared.producer_id, prepared.producer_epoch) == (7, 32767)
    assert prepared.next_producer_id == 9
    done = completed(prepared, COMMANDS["complete"])
    assert (done.producer_id, done.producer_epoch, done.last_producer_epoch) == (9, 0, 32766)
    assert (done.previous_producer_id, done.next_producer_id) == (7, -1)


def test_the_highest_epoch_stays_when_it_is_aborted() -> None:
    aborted = completed(
        metadata_in(S.ONGOING, producer_epoch=32767),
        lambda it: it.prepare_abort_or_commit(S.PREPARE_ABORT, 2, 9, 50, no_partition_added=False),
    )
    assert (aborted.producer_epoch, aborted.last_producer_epoch) == (32767, 32767)


def test_an_abort_without_a_transaction_starts_when_it_ends() -> None:
    after = completed(metadata_in(S.EMPTY), COMMANDS["abort"])
    assert (after.start_timestamp_ms, after.producer_epoch) == (50, 4)


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("add", {"partitions": frozenset({B})}),
        ("add", {"timeout_ms": 1}),
        ("add", {"producer_epoch": 4}),
        ("commit", {"partitions": NOTHING}),
        ("commit", {"timeout_ms": 1}),
        ("commit", {"start_timestamp_ms": 11}),
        ("commit", {"producer_epoch": 4}),
        ("abort", {"last_producer_epoch": 2}),
    ],
)
def test_a_transition_with_a_changed_field_is_not_completed(
    command: str, change: dict[str, object]
) -> None:
    before = metadata_in(S.ONGOING)
    transit = COMMANDS[command](before)
    with pytest.raises(IllegalTransitionError):
        before.begin_transition(transit).complete_transition(transit._replace(**change))  # type: ignore[arg-type]


def test_partitions_leave_a_prepared_transaction_one_by_one() -> None:
    prepared = metadata_in(S.PREPARE_ABORT, partitions=frozenset({A, B}))
    assert prepared.without_partitions({A}).partitions == {B}


def test_partitions_do_not_leave_an_open_transaction() -> None:
    with pytest.raises(AssertionError):
        metadata_in(S.ONGOING).without_partitions({A})


# Queries


@pytest.mark.parametrize("state", [S.PREPARE_COMMIT, S.PREPARE_ABORT])
def test_a_prepared_transaction_is_busy(state: TransactionState) -> None:
    for check in (
        TransactionMetadata.require_not_prepared,
        TransactionMetadata.require_no_transition,
    ):
        with pytest.raises(ApiError) as refusal:
            check(metadata_in(state))
        assert refusal.value.code is ErrorCode.CONCURRENT_TRANSACTIONS


def test_a_pending_transition_is_busy_but_not_prepared() -> None:
    pending = metadata_in(S.EMPTY, pending_state=S.ONGOING)
    pending.require_not_prepared()
    with pytest.raises(ApiError, match="becoming Ongoing"):
        pending.require_no_transition()


def test_a_two_phase_commit_is_recognised_by_its_timeout() -> None:
    assert metadata_in(S.EMPTY, timeout_ms=NO_TIMEOUT_MS).is_two_phase_commit
    assert not metadata_in(S.EMPTY).is_two_phase_commit


# The log


@pytest.mark.parametrize(
    ("state", "command"),
    [pair for pair in LEGAL_PAIRS if pair[1] not in NEVER_COMPLETED],
)
def test_a_logged_transition_is_read_back(state: TransactionState, command: str) -> None:
    before = metadata_in(state)
    transit = COMMANDS[command](before)
    after = before.begin_transition(transit).complete_transition(transit)
    kept = transit.to_log_value(holds_last_epoch=True)
    assert TransactionMetadata.from_log("orders-1", kept) == after
    forgot = transit.to_log_value(holds_last_epoch=False)
    assert TransactionMetadata.from_log("orders-1", forgot) == after._replace(
        last_producer_epoch=-1
    )


def test_a_cancelled_fence_leaves_the_metadata_as_it_was() -> None:
    before = metadata_in(S.ONGOING, has_failed_epoch_fence=True)
    pending = before.begin_transition(before.prepare_fence_producer_epoch())
    assert pending.cancel_transition() == before


def test_a_busy_transactional_id_names_its_state() -> None:
    with pytest.raises(ApiError, match=r"'orders-1' is PrepareCommit$"):
        metadata_in(S.PREPARE_COMMIT).require_no_transition()


def test_a_new_transactional_id_has_no_epoch_and_no_transaction() -> None:
    new = TransactionMetadata.new("orders-1", 7, timeout_ms=5, now_ms=9)
    assert new == ("orders-1", 7, -1, -1, -1, -1, -1, 5, S.EMPTY, NOTHING, -1, 9, 0, None, False)


def test_a_failed_fence_is_remembered_after_the_next_transition() -> None:
    assert completed(metadata_in(S.ONGOING, has_failed_epoch_fence=True), COMMANDS["add"])[-1]

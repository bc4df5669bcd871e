"""Commit, abort and fence: log records, answers, and the epoch afterwards."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.producer_epochs import NO_PRODUCER, ProducerIdAndEpoch
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.state.transaction.coordinator_building import ID, A, Coordinated

S = TransactionState
VERSIONS = [0, 2]
NOBODY = ProducerIdAndEpoch(-1, -1)


def opened(version: int = 0, **how: int) -> tuple[Coordinated, ProducerIdAndEpoch]:
    """Return a coordinator with an open transaction."""
    it = Coordinated(transaction_version=how.pop("transaction_version", 2 if version else 1))
    producer = it.init()
    it.add(producer, version=version)
    return it, producer


def refusal_of(ask: object, *args: object, **how: object) -> ErrorCode:
    with pytest.raises(ApiError) as refusal:
        ask(*args, **how)  # type: ignore[operator]
    return refusal.value.code


def test_no_producer_is_minus_one() -> None:
    assert NO_PRODUCER == NOBODY


@pytest.mark.parametrize("is_commit", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_end_is_logged_before_it_is_answered(version: int, is_commit: bool) -> None:
    it, producer = opened(version)
    answer = it.end(producer, is_commit=is_commit, now_ms=30, version=version)
    assert answer == ((0, 1) if version else NOBODY)
    value = it.log.last
    assert value is not None
    assert value.state == (S.PREPARE_COMMIT if is_commit else S.PREPARE_ABORT)
    assert (value.producer_epoch, value.client_transaction_version) == (version // 2, version)
    assert (value.partitions, value.last_update_timestamp_ms) == ((A,), 30)


@pytest.mark.parametrize("is_commit", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_end_again_is_answered_again(version: int, is_commit: bool) -> None:
    it, producer = opened(version)
    first = it.end(producer, is_commit=is_commit, version=version)
    it.host.run_pending()
    before = it.as_text()
    assert it.end(producer, is_commit=is_commit, version=version) == first
    assert it.as_text() == before


@pytest.mark.parametrize("is_commit", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_the_opposite_end_is_refused(version: int, is_commit: bool) -> None:
    it, producer = opened(version)
    it.end(producer, is_commit=is_commit, version=version)
    it.host.run_pending()
    before = it.as_text()
    code = refusal_of(it.end, producer, is_commit=not is_commit, version=version)
    assert code is ErrorCode.INVALID_TXN_STATE
    assert it.as_text() == before


@pytest.mark.parametrize("is_commit", [True, False])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_end_without_an_open_transaction(version: int, is_commit: bool) -> None:
    it = Coordinated()
    producer = it.init()
    if version and not is_commit:
        assert it.abort(producer, version=2, now_ms=9) == (0, 1)
        assert it.host.run_pending() == [f"WriteTxnMarkers {ID}", f"CompleteTransaction {ID}"]
        metadata = it.coordinator.describe_transaction(ID)
        assert (metadata.state, metadata.start_timestamp_ms) == (S.COMPLETE_ABORT, 9)
        assert it.host.markers == []
        assert it.abort(producer, version=2) == (0, 1)
        assert it.abort((0, 1), version=2) == (0, 2)
    else:
        before = it.as_text()
        code = refusal_of(it.end, producer, is_commit=is_commit, version=version)
        assert code is ErrorCode.INVALID_TXN_STATE
        assert it.as_text() == before


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("producer", "code"),
    [
        ((0, 1), ErrorCode.PRODUCER_FENCED),
        ((0, -1), ErrorCode.PRODUCER_FENCED),
        ((0, 32767), ErrorCode.PRODUCER_FENCED),
        ((1, 0), ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        ((-1, -1), ErrorCode.INVALID_PRODUCER_ID_MAPPING),
    ],
)
def test_a_wrong_producer_is_refused(
    producer: tuple[int, int], code: ErrorCode, version: int
) -> None:
    it, _ = opened(version)
    before = it.as_text()
    assert refusal_of(it.commit, producer, version=version) is code
    assert it.as_text() == before


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("transactional_id", "code", "why"),
    [
        ("unknown", ErrorCode.INVALID_PRODUCER_ID_MAPPING, r"'unknown' is not known$"),
        ("", ErrorCode.INVALID_REQUEST, r"the transactional id is empty$"),
    ],
)
def test_an_unknown_or_empty_transactional_id_is_refused(
    transactional_id: str, code: ErrorCode, why: str, version: int
) -> None:
    it, producer = opened(version)
    before = it.as_text()
    with pytest.raises(ApiError, match=why) as refused:
        it.commit(producer, transactional_id=transactional_id, version=version)
    assert refused.value.code is code
    assert it.as_text() == before


@pytest.mark.parametrize("version", VERSIONS)
def test_an_end_that_cannot_be_logged_can_be_tried_again(version: int) -> None:
    it, producer = opened(version)
    before = it.as_text()
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    code = refusal_of(it.commit, producer, version=version)
    assert code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert it.as_text() == before
    it.commit(producer, version=version)
    assert it.coordinator.describe_transaction(ID).state is S.PREPARE_COMMIT


# Epochs ahead, on old releases


@pytest.mark.parametrize("release", ["0.11", "1.1", "2.3", "2.4"])
def test_until_2_4_an_epoch_ahead_leaves_the_transaction_stuck(release: str) -> None:
    it = Coordinated(release)
    producer = it.init()
    it.add(producer)
    assert refusal_of(it.commit, (0, 5)) is ErrorCode.PRODUCER_FENCED
    assert it.host.run_pending() == []
    assert it.coordinator.describe_transaction(ID).state is S.PREPARE_COMMIT
    assert refusal_of(it.commit, producer) is ErrorCode.CONCURRENT_TRANSACTIONS
    other = it.moved()
    assert other.coordinator.describe_transaction(ID).state is S.COMPLETE_COMMIT


@pytest.mark.parametrize("release", ["2.8", "3.9", "4.4"])
def test_since_2_5_an_epoch_ahead_is_refused(release: str) -> None:
    it = Coordinated(release)
    producer = it.init()
    it.add(producer)
    before = it.as_text()
    assert refusal_of(it.commit, (0, 5)) is ErrorCode.PRODUCER_FENCED
    assert it.as_text() == before


# Fences


def test_before_kip_890_part_2_a_fence_bumps_and_drops_the_last_epoch() -> None:
    it, producer = opened()
    assert refusal_of(it.init) is ErrorCode.CONCURRENT_TRANSACTIONS
    it.host.run_pending()
    assert [written.marker.producer_epoch for written in it.host.markers] == [1]
    metadata = it.coordinator.describe_transaction(ID)
    assert (metadata.state, metadata.producer_epoch) == (S.COMPLETE_ABORT, 1)
    assert (metadata.last_producer_epoch, metadata.client_transaction_version) == (-1, 0)
    assert refusal_of(it.commit, producer) is ErrorCode.PRODUCER_FENCED
    assert it.init() == (0, 2)


def fenced_by_its_own_bump(release: str) -> tuple[Coordinated, ProducerIdAndEpoch]:
    """Return a coordinator that aborted a transaction because its producer bumped its epoch."""
    it = Coordinated(release)
    producer = it.init()
    it.add(producer)
    assert refusal_of(it.init, producer) is ErrorCode.CONCURRENT_TRANSACTIONS
    it.host.run_pending()
    return it, producer


def test_in_2_5_a_producer_that_fenced_itself_goes_on() -> None:
    it, producer = fenced_by_its_own_bump("2.5")
    assert it.init(producer) == (0, 1)


def test_since_2_8_a_producer_that_fenced_itself_is_fenced() -> None:
    it, producer = fenced_by_its_own_bump("2.8")
    assert refusal_of(it.init, producer) is ErrorCode.PRODUCER_FENCED


def test_since_kip_890_part_2_a_fence_bumps_once_and_remembers_the_last_epoch() -> None:
    it, producer = opened(2)
    assert refusal_of(it.init, producer) is ErrorCode.CONCURRENT_TRANSACTIONS
    it.host.run_pending()
    assert [written.marker.producer_epoch for written in it.host.markers] == [1]
    assert it.coordinator.describe_transaction(ID).last_producer_epoch == 0
    assert it.init(producer) == (0, 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_fence_that_cannot_be_logged_does_not_bump_twice(version: int) -> None:
    it, _ = opened(version)
    for _ in range(3):
        it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
        assert refusal_of(it.init) is ErrorCode.COORDINATOR_NOT_AVAILABLE
    metadata = it.coordinator.describe_transaction(ID)
    assert (metadata.state, metadata.pending_state) == (S.ONGOING, None)
    assert metadata.has_failed_epoch_fence
    assert refusal_of(it.init) is ErrorCode.CONCURRENT_TRANSACTIONS
    it.host.run_pending()
    metadata = it.coordinator.describe_transaction(ID)
    assert (metadata.state, metadata.producer_epoch) == (S.COMPLETE_ABORT, 1)
    assert not metadata.has_failed_epoch_fence


def test_before_kip_890_part_2_a_failed_fence_has_fenced_already() -> None:
    it, producer = opened()
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    refusal_of(it.init)
    assert refusal_of(it.commit, producer) is ErrorCode.PRODUCER_FENCED


# Replaced producer ids


def test_a_bump_of_the_last_epoch_answers_with_a_new_producer_id() -> None:
    it, _ = exhausted()
    it.add((0, 32766), version=2)
    assert it.commit((0, 32766), version=2) == (1, 0)
    it.host.run_pending()
    assert [written.marker[:2] for written in it.host.markers] == [(0, 32767)]
    assert it.commit((0, 32766), version=2) == (1, 0)
    it.add((1, 0), version=2)
    assert it.commit((1, 0), version=2) == (1, 1)


def test_a_producer_whose_id_was_replaced_continues_with_the_new_one() -> None:
    it, _ = exhausted()
    it.add((0, 32766), version=2)
    assert it.abort((0, 32766), version=2) == (1, 0)
    it.host.run_pending()
    assert it.init((0, 32766)) == (1, 0)


def exhausted() -> tuple[Coordinated, ProducerIdAndEpoch]:
    """Return a coordinator whose producer's epochs are exhausted."""
    it = Coordinated()
    it.init()
    transaction = it.coordinator.states.find(ID)
    assert transaction is not None
    transaction.metadata = transaction.metadata._replace(producer_epoch=32766)
    return it, ProducerIdAndEpoch(0, 32766)


# At lower levels of transaction.version


def test_newer_requests_at_version_1_bump_as_at_version_2() -> None:
    it = Coordinated(transaction_version=1)
    producer = it.init()
    it.add(producer, version=2)
    assert it.commit(producer, version=2) == (0, 1)


def test_newer_requests_at_version_0_are_not_supported() -> None:
    it = Coordinated(transaction_version=0)
    producer = it.init()
    it.add(producer)
    logged = len(it.log.values)
    assert refusal_of(it.commit, producer, version=2) is ErrorCode.UNSUPPORTED_VERSION
    assert len(it.log.values) == logged


def test_the_coordinators_own_abort_uses_the_clusters_version() -> None:
    it, _ = opened(transaction_version=0)
    refusal_of(it.init)
    it.host.run_pending()
    assert [written.transaction_version for written in it.host.markers] == [0]
    it, _ = opened(transaction_version=2)
    refusal_of(it.init)
    it.host.run_pending()
    assert [written.transaction_version for written in it.host.markers] == [2]

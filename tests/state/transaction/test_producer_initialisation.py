"""InitProducerId: KIP-360's table, exhaustion, timeouts, two-phase commit."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.state.transaction.coordinator_building import ID, TIMEOUT_MS, A, Coordinated

S = TransactionState


def refusal_of(it: Coordinated, *args: tuple[int, int], **how: object) -> ErrorCode:
    """Initialise, return the code of the refusal, and check that it changed nothing."""
    before = it.as_text()
    with pytest.raises(ApiError) as refusal:
        it.init(*args, **how)  # type: ignore[arg-type]
    assert it.as_text() == before
    return refusal.value.code


# Without a transactional id


def test_every_request_without_a_transactional_id_gets_a_new_producer_id() -> None:
    it = Coordinated(loaded=False)
    assert it.init(transactional_id=None) == (0, 0)
    assert it.init((5, 5), transactional_id=None, timeout_ms=-1) == (1, 0)
    assert it.log.values == []


# KIP-360's table


def test_a_new_producer_gets_epoch_0() -> None:
    it = Coordinated()
    assert it.init() == (0, 0)
    value = it.log.last
    assert value is not None
    assert (value.state, value.partitions, value.start_timestamp_ms) == (0, None, -1)
    assert value.transaction_timeout_ms == TIMEOUT_MS


def test_the_next_producer_fences_the_former_one() -> None:
    it = Coordinated()
    it.init()
    assert it.init() == (0, 1)
    assert refusal_of(it, (0, 0)) is ErrorCode.PRODUCER_FENCED


def test_a_producer_that_continues_gets_the_next_epoch_and_its_retry_the_same() -> None:
    it = Coordinated()
    it.init()
    assert it.init((0, 0)) == (0, 1)
    assert it.init((0, 0)) == (0, 1)
    assert it.init((0, 0)) == (0, 1)
    assert it.init((0, 1)) == (0, 2)


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param((0, 0), id="two behind"),
        pytest.param((0, 3), id="ahead"),
        pytest.param((0, 32766), id="far ahead"),
        pytest.param((1, 2), id="another producer id"),
        pytest.param((1, 32766), id="another producer id without epochs left"),
        pytest.param((-5, 5), id="a negative producer id"),
        pytest.param((0, -2), id="a negative epoch"),
    ],
)
def test_everything_else_is_fenced(expected: tuple[int, int]) -> None:
    it = Coordinated()
    it.init()
    it.init((0, 0))
    it.init((0, 1))
    assert refusal_of(it, expected) is ErrorCode.PRODUCER_FENCED


def test_an_unknown_transactional_id_accepts_any_producer() -> None:
    assert Coordinated().init((77, 5)) == (0, 0)


def test_a_retry_across_a_failover_is_fenced_since_the_record_lacks_the_last_epoch() -> None:
    it = Coordinated()
    it.init()
    it.init((0, 0))
    assert refusal_of(it.moved(), (0, 0)) is ErrorCode.PRODUCER_FENCED


def test_a_retry_across_a_failover_is_safe_with_kip_360s_draft() -> None:
    it = Coordinated()
    it.host.options = it.host.options._replace(transaction_log_holds_last_epoch=True)
    it.init()
    it.init((0, 0))
    assert it.moved().init((0, 0)) == (0, 1)


@pytest.mark.parametrize("is_commit", [True, False])
@pytest.mark.parametrize("version", [0, 2])
def test_a_producer_continues_after_a_transaction(version: int, is_commit: bool) -> None:
    it = Coordinated()
    producer = it.init()
    it.add(producer, version=version)
    it.end(producer, is_commit=is_commit, version=version)
    it.host.run_pending()
    epoch = version // 2
    assert it.init((0, epoch)) == (0, epoch + 1)
    metadata = it.coordinator.describe_transaction(ID)
    assert (metadata.state, metadata.start_timestamp_ms) == (S.EMPTY, -1)


# During a transaction


@pytest.mark.parametrize(("version", "marker_epoch"), [(0, 1), (2, 1)])
def test_an_open_transaction_is_aborted_first(version: int, marker_epoch: int) -> None:
    it = Coordinated(transaction_version=2 if version else 1)
    it.add(it.init(), version=version)
    with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS"):
        it.init()
    with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS"):
        it.init()
    it.host.run_pending()
    (written,) = it.host.markers
    assert written.partition == A
    assert (written.marker.producer_epoch, written.marker.is_commit) == (marker_epoch, False)
    assert it.init() == (0, 2)


def test_a_producer_that_continues_in_its_open_transaction_is_fenced() -> None:
    it = Coordinated(transaction_version=1)
    it.add(it.init())
    with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS"):
        it.init((0, 0))
    it.host.run_pending()
    assert refusal_of(it, (0, 0)) is ErrorCode.PRODUCER_FENCED


def test_after_a_fence_the_retry_of_an_earlier_initialisation_is_fenced() -> None:
    it = Coordinated(transaction_version=1)
    it.init()
    assert it.init((0, 0)) == (0, 1)
    it.add((0, 1))
    with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS"):
        it.init()
    it.host.run_pending()
    assert refusal_of(it, (0, 0)) is ErrorCode.PRODUCER_FENCED


def test_since_kip_890_a_producer_that_continues_in_its_open_transaction_is_not_fenced() -> None:
    it = Coordinated(transaction_version=2)
    it.add(it.init(), version=2)
    with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS"):
        it.init((0, 0))
    it.host.run_pending()
    assert it.init((0, 0)) == (0, 1)


def test_a_fenced_producer_does_not_abort_the_open_transaction() -> None:
    it = Coordinated()
    it.add(it.init())
    assert refusal_of(it, (1, 0)) is ErrorCode.PRODUCER_FENCED


# Exhaustion


def with_epoch(producer_epoch: int, release: str = "4.4") -> Coordinated:
    """Return a coordinator whose producer 0 has reached an epoch, through `init((0, ...))`."""
    it = Coordinated(release)
    it.init()
    transaction = it.coordinator.states.find(ID)
    assert transaction is not None
    transaction.metadata = transaction.metadata._replace(
        producer_epoch=producer_epoch, last_producer_epoch=producer_epoch - 1
    )
    return it


def test_32766_is_the_last_epoch_before_a_new_producer_id() -> None:
    it = with_epoch(32765)
    assert it.init() == (0, 32766)
    assert it.init() == (1, 0)
    assert refusal_of(it, (0, 32766)) is ErrorCode.PRODUCER_FENCED
    assert it.init() == (1, 1)


def test_a_producer_without_epochs_left_may_retry() -> None:
    it = with_epoch(32765)
    assert it.init((0, 32765)) == (0, 32766)
    assert it.init((0, 32766)) == (1, 0)
    assert it.init((0, 32766)) == (1, 0)


@pytest.mark.parametrize("producer_epoch", [0, 1, 32765])
def test_the_former_producer_id_is_fenced_with_any_epoch_but_its_last(producer_epoch: int) -> None:
    it = with_epoch(32766)
    assert it.init((0, 32766)) == (1, 0)
    assert refusal_of(it, (0, producer_epoch)) is ErrorCode.PRODUCER_FENCED
    assert it.init((1, 0)) == (1, 1)


def test_the_next_transaction_ends_that_retry() -> None:
    it = with_epoch(32766)
    assert it.init((0, 32766)) == (1, 0)
    it.add((1, 0))
    it.commit((1, 0))
    it.host.run_pending()
    assert refusal_of(it, (0, 32766)) is ErrorCode.PRODUCER_FENCED


@pytest.mark.parametrize("release", ["2.8", "3.9"])
def test_until_3_9_that_retry_is_accepted_until_the_next_init(release: str) -> None:
    it = with_epoch(32766, release)
    assert it.init((0, 32766)) == (1, 0)
    it.add((1, 0))
    it.commit((1, 0))
    it.host.run_pending()
    assert it.init((0, 32766)) == (1, 0)
    assert it.init() == (1, 1)
    assert refusal_of(it, (0, 32766)) is ErrorCode.PRODUCER_FENCED


@pytest.mark.parametrize(("release", "start_ms"), [("2.8", 50), ("3.9", 50), ("4.4", -1)])
def test_until_3_9_a_new_producer_retains_the_last_start_timestamp(
    release: str, start_ms: int
) -> None:
    it = Coordinated(release)
    producer = it.init()
    it.add(producer, now_ms=50)
    it.commit(producer)
    it.host.run_pending()
    it.init()
    assert it.coordinator.describe_transaction(ID).start_timestamp_ms == start_ms
    value = it.log.last
    assert value is not None
    assert value.start_timestamp_ms == -1


def test_a_retry_into_exhaustion_is_an_unknown_server_error() -> None:
    it = with_epoch(32766)
    assert refusal_of(it, (0, 32765)) is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_fence_uses_the_epoch_that_producers_do_not_get() -> None:
    it = with_epoch(32766)
    it.host.options = it.host.options.with_feature("transaction.version", 1)
    it.add((0, 32766))
    with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS"):
        it.init()
    it.host.run_pending()
    assert [written.marker.producer_epoch for written in it.host.markers] == [32767]
    assert it.init() == (1, 0)


def test_since_kip_890_a_fence_out_of_the_last_epoch_changes_the_producer_id() -> None:
    it = with_epoch(32766)
    it.add((0, 32766), version=2)
    with pytest.raises(ApiError, match="CONCURRENT_TRANSACTIONS"):
        it.init()
    it.host.run_pending()
    assert [written.marker[:2] for written in it.host.markers] == [(0, 32767)]
    assert it.init() == (1, 1)


# Refusals


@pytest.mark.parametrize("timeout_ms", [0, -1, -(1 << 31), 900_001, (1 << 31) - 1])
def test_a_timeout_out_of_range_is_refused(timeout_ms: int) -> None:
    it = Coordinated()
    code = refusal_of(it, timeout_ms=timeout_ms)
    assert code is ErrorCode.INVALID_TRANSACTION_TIMEOUT


@pytest.mark.parametrize("timeout_ms", [1, 900_000])
def test_a_timeout_at_the_limit_is_accepted(timeout_ms: int) -> None:
    assert Coordinated().init(timeout_ms=timeout_ms) == (0, 0)


def test_the_allowed_timeout_is_a_config() -> None:
    it = Coordinated(configs={"transaction.max.timeout.ms": "5000"})
    assert refusal_of(it, timeout_ms=5_001) is ErrorCode.INVALID_TRANSACTION_TIMEOUT
    assert it.init(timeout_ms=5_000) == (0, 0)


def test_a_timeout_changes_with_the_producer() -> None:
    it = Coordinated()
    it.init(timeout_ms=1_000)
    it.init(timeout_ms=2_000)
    assert it.coordinator.describe_transaction(ID).timeout_ms == 2_000


def test_an_empty_transactional_id_is_refused_before_everything_else() -> None:
    it = Coordinated(loaded=False)
    code = refusal_of(it, transactional_id="", timeout_ms=-1)
    assert code is ErrorCode.INVALID_REQUEST
    with pytest.raises(ApiError, match=r"the transactional id is empty$"):
        it.init(transactional_id="", timeout_ms=-1)


def test_a_timeout_is_checked_before_the_partition() -> None:
    it = Coordinated(loaded=False)
    assert refusal_of(it, timeout_ms=-1) is ErrorCode.INVALID_TRANSACTION_TIMEOUT
    assert refusal_of(it) is ErrorCode.NOT_COORDINATOR


def test_a_first_epoch_that_cannot_be_logged_can_be_retried() -> None:
    it = Coordinated()
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    with pytest.raises(ApiError, match="COORDINATOR_NOT_AVAILABLE"):
        it.init(now_ms=5)
    assert it.log.values == []
    metadata = it.coordinator.describe_transaction(ID)
    assert (metadata.timeout_ms, metadata.last_update_timestamp_ms) == (TIMEOUT_MS, 5)
    assert it.init() == (0, 0)


# KIP-939


def test_two_phase_commit_has_to_be_allowed() -> None:
    it = Coordinated()
    code = refusal_of(it, enable_2pc=True, keep_prepared_txn=True, timeout_ms=-1)
    assert code is ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED


def test_keeping_prepared_transactions_is_not_supported() -> None:
    it = Coordinated(configs={"transaction.two.phase.commit.enable": "true"})
    for enable_2pc in (True, False):
        code = refusal_of(it, enable_2pc=enable_2pc, keep_prepared_txn=True, timeout_ms=-1)
        assert code is ErrorCode.UNSUPPORTED_VERSION


def test_a_two_phase_commit_has_no_timeout() -> None:
    it = Coordinated(configs={"transaction.two.phase.commit.enable": "true"})
    producer = it.init(enable_2pc=True, timeout_ms=-1)
    assert it.coordinator.describe_transaction(ID).timeout_ms == (1 << 31) - 1
    it.add(producer, version=2)
    assert it.coordinator.abort_timed_out_transactions(1 << 40) == 0


def test_limits_are_those_of_the_coordinators_broker() -> None:
    it = Coordinated()
    configs = it.host.configs
    configs.set_broker_static(1, {"transaction.max.timeout.ms": "5000"})
    configs.set_broker_static(2, {"transaction.two.phase.commit.enable": "true"})
    with pytest.raises(ApiError, match=r"transaction\.max\.timeout\.ms=5000$"):
        it.init(timeout_ms=5_001)
    with pytest.raises(ApiError, match=r"transaction\.two\.phase\.commit\.enable is not set$"):
        it.init(enable_2pc=True)
    with pytest.raises(ApiError, match="Kafka does not keep prepared transactions yet"):
        it.init(keep_prepared_txn=True)
    configs.set_broker_static(1, {"transaction.two.phase.commit.enable": "true"})
    assert it.init(enable_2pc=True) == (0, 0)


def test_a_new_producer_id_comes_with_the_new_timeout() -> None:
    it = with_epoch(32766)
    assert it.init(timeout_ms=5_000, now_ms=77) == (1, 0)
    value = it.log.last
    assert value is not None
    assert (value.transaction_timeout_ms, value.last_update_timestamp_ms) == (5_000, 77)

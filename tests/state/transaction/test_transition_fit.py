"""A logged transition is accepted only if it is the prepared one."""

import random

import pytest

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.transition_fit import fits
from mockbroker.state.transaction.txn_transit_metadata import TxnTransitMetadata

A = TopicPartition("a", 0)
S = TransactionState
NEW = TransactionMetadata.new("orders-1", 7, timeout_ms=60_000, now_ms=0)

Step = tuple[TransactionMetadata, TxnTransitMetadata]


def walk(seed: int, steps: int) -> list[Step]:
    """Return random steps of a transactional id, as pairs of metadata and transition."""
    source = random.Random(seed)
    metadata, life = NEW, list[Step]()
    for now_ms in range(steps):
        transit = source.choice(prepared(metadata, now_ms))
        life.append((metadata, transit))
        metadata = metadata.begin_transition(transit).complete_transition(transit)
    return life


def prepared(metadata: TransactionMetadata, now_ms: int) -> list[TxnTransitMetadata]:
    if metadata.state in {S.PREPARE_COMMIT, S.PREPARE_ABORT}:
        return [metadata.prepare_complete(now_ms)]
    transits: list[TxnTransitMetadata] = []
    if metadata.state is not S.ONGOING:
        transits = [metadata.prepare_increment_producer_epoch(60_000, None, now_ms)]
        transits += [
            metadata.prepare_producer_id_rotation(now_ms, 60_000, now_ms, record_last_epoch=True)
        ]
    if metadata.producer_epoch < 0:
        return transits
    transits.append(metadata.prepare_add_partitions({A}, now_ms, 2))
    empty = metadata.state is not S.ONGOING
    for version in (0, 2):
        if version or not empty:
            next_producer_id = now_ms if version else -1
            transits.append(
                metadata.prepare_abort_or_commit(
                    S.PREPARE_ABORT, version, next_producer_id, now_ms, no_partition_added=empty
                )
            )
    return transits


@pytest.mark.parametrize("seed", range(5))
def test_every_prepared_transition_fits_its_metadata(seed: int) -> None:
    assert all(fits(metadata, transit) for metadata, transit in walk(seed, 400))


@pytest.mark.parametrize("seed", range(5))
def test_a_transition_does_not_fit_a_producer_five_epochs_ahead(seed: int) -> None:
    strangers = [
        metadata._replace(
            producer_epoch=metadata.producer_epoch + 5,
            last_producer_epoch=metadata.last_producer_epoch + 5,
            producer_id=metadata.producer_id,
        )
        for metadata, transit in walk(seed, 400)
        if transit.producer_id == metadata.producer_id
    ]
    transits = [
        transit
        for metadata, transit in walk(seed, 400)
        if transit.producer_id == metadata.producer_id
    ]
    assert len(transits) > 100
    assert not any(map(fits, strangers, transits))


@pytest.mark.parametrize("state", [S.DEAD, S.PREPARE_EPOCH_FENCE])
def test_a_state_that_is_only_ever_pending_never_fits(state: TransactionState) -> None:
    transit = NEW.prepare_increment_producer_epoch(60_000, None, 0)._replace(state=state)
    assert not fits(NEW, transit)


def completion(*, version: int, producer_epoch: int) -> Step:
    """Return a prepared abort of a producer, and its completion."""
    open_ = NEW._replace(
        state=S.ONGOING,
        producer_epoch=producer_epoch,
        last_producer_epoch=producer_epoch - 1,
        start_timestamp_ms=0,
    )
    next_producer_id = 9 if version else -1
    transit = open_.prepare_abort_or_commit(
        S.PREPARE_ABORT, version, next_producer_id, 0, no_partition_added=False
    )
    metadata = open_.begin_transition(transit).complete_transition(transit)
    return metadata, metadata.prepare_complete(0)


def test_the_completion_with_a_new_producer_id_follows_the_last_epoch_of_the_old_one() -> None:
    metadata, transit = completion(version=2, producer_epoch=32766)
    assert (transit.producer_id, transit.producer_epoch) == (9, 0)
    assert fits(metadata, transit)
    assert not fits(metadata._replace(last_producer_epoch=5), transit)
    assert not fits(metadata._replace(producer_id=5), transit)


def test_a_completion_in_epoch_0_is_of_the_same_producer_before_kip_890() -> None:
    metadata, transit = completion(version=0, producer_epoch=0)
    assert (transit.producer_id, transit.producer_epoch) == (7, 0)
    assert fits(metadata, transit)
    assert fits(metadata._replace(last_producer_epoch=5), transit)
    assert not fits(metadata._replace(producer_id=5), transit)


@pytest.mark.parametrize("version", [0, 2])
def test_the_end_of_an_open_transaction_has_its_start(version: int) -> None:
    open_ = NEW._replace(state=S.ONGOING, producer_epoch=3, start_timestamp_ms=10)
    transit = open_.prepare_abort_or_commit(
        S.PREPARE_ABORT, version, -1, 20, no_partition_added=False
    )
    assert fits(open_, transit)
    assert not fits(open_, transit._replace(start_timestamp_ms=20))


def test_only_an_abort_starts_without_an_open_transaction() -> None:
    empty = NEW._replace(state=S.EMPTY, producer_epoch=3)
    transit = empty.prepare_abort_or_commit(S.PREPARE_ABORT, 2, -1, 20, no_partition_added=True)
    assert fits(empty, transit)
    assert not fits(empty, transit._replace(state=S.PREPARE_COMMIT))

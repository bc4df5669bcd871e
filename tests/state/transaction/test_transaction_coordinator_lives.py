"""Random lives of a transactional id: two producers share it, the log fails, partitions move."""

import random

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.state.transaction.coordinator_building import ID, A, B, Coordinated

S = TransactionState


class Life:
    """Random commands of two producers that share a transactional id, on a log that may fail."""

    def __init__(self, seed: int, transaction_version: int) -> None:
        self.source = random.Random(seed)
        self.it = Coordinated(transaction_version=transaction_version)
        self.version = transaction_version if transaction_version == 2 else 0
        self.producers = [ProducerIdAndEpoch(-1, -1), ProducerIdAndEpoch(-1, -1)]
        self.given = set[ProducerIdAndEpoch]()
        self.coordinator_epoch = 0
        self.now_ms = 0

    def step(self) -> None:
        """Take a random step, and check the invariants."""
        self.now_ms += self.source.randrange(2_000)
        before = self.it.coordinator.as_text()
        try:
            self.source.choice([self.ask] * 8 + [self.work] * 6 + [self.happen])()
        except ApiError as refusal:
            # These refusals may have changed something: an abort that came first, the creation of
            # a transactional id, a fence that could not be logged.
            if refusal.code not in {
                ErrorCode.CONCURRENT_TRANSACTIONS,
                ErrorCode.COORDINATOR_NOT_AVAILABLE,
                ErrorCode.NOT_COORDINATOR,
            }:
                assert self.it.coordinator.as_text() == before
        self.check()

    def ask(self) -> None:
        which = self.source.randrange(2)
        who, it, now_ms = self.producers[which], self.it, self.now_ms
        match self.source.randrange(12):
            case 0:
                self.take(which, it.init(now_ms=now_ms))
            case 1 if who.producer_id >= 0:
                self.take(which, it.init(who, now_ms=now_ms), may_repeat=True)
            case 2 | 3 | 4 | 5 | 6:
                it.add(who, self.source.choice([A, B]), version=self.version, now_ms=now_ms)
            case _:
                is_commit = self.source.random() < 0.5
                answer = it.end(who, is_commit=is_commit, version=self.version, now_ms=now_ms)
                if self.version:
                    self.take(which, answer, may_repeat=True)

    def work(self) -> None:
        if self.it.host.pending:
            self.it.host.step(self.now_ms)
        self.it.host.timers.advance_to(self.now_ms)

    def happen(self) -> None:
        match self.source.randrange(4):
            case 0:
                self.it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
            case 1:
                self.it.coordinator.abort_timed_out_transactions(self.now_ms)
            case 2:
                self.it.host.marker_refusals[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER]
            case _:
                self.move()

    def move(self) -> None:
        if self.source.random() < 0.3:
            self.coordinator_epoch += 1
            self.it.log.refusals.clear()
            self.it = self.it.moved(self.coordinator_epoch)

    def take(self, which: int, who: ProducerIdAndEpoch, *, may_repeat: bool = False) -> None:
        """Store a producer's new id and epoch, and check that no producer had them before."""
        assert may_repeat or who not in self.given, who
        self.given.add(who)
        self.producers[which] = who

    def check(self) -> None:
        transaction = self.it.coordinator.states.find(ID)
        if transaction is None:
            return
        metadata = transaction.metadata
        assert metadata.producer_id >= 0
        assert -1 <= metadata.producer_epoch <= 32767
        assert metadata.state not in {S.DEAD, S.PREPARE_EPOCH_FENCE}
        if metadata.state in {S.EMPTY, S.COMPLETE_COMMIT, S.COMPLETE_ABORT}:
            assert not metadata.partitions
        if metadata.pending_state is not None:
            assert metadata.state in {S.PREPARE_COMMIT, S.PREPARE_ABORT}
            assert len(self.it.coordinator.markers) == 1

    def settle(self) -> None:
        """Run all pending work and retries to their end."""
        self.it.log.refusals.clear()
        self.it.host.marker_refusals.clear()
        for _ in range(3):
            self.it.host.run_pending(self.now_ms)
            self.now_ms += 1_000
            self.it.host.timers.advance_to(self.now_ms)


@pytest.mark.parametrize("transaction_version", [0, 1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_a_random_history_preserves_the_invariants(seed: int, transaction_version: int) -> None:
    life = Life(seed, transaction_version)
    for _ in range(600):
        life.step()
    life.settle()
    metadata = life.it.coordinator.describe_transaction(ID)
    assert metadata.pending_state is None, (seed, metadata)
    assert metadata.state not in {S.PREPARE_COMMIT, S.PREPARE_ABORT}, (seed, metadata)
    epochs = [written.marker.producer_epoch for written in life.it.host.markers]
    assert epochs == sorted(epochs), (seed, "the epochs of markers never go back")
    assert len(epochs) > 10


@pytest.mark.parametrize("seed", range(6))
def test_the_same_seed_gives_the_same_history(seed: int) -> None:
    texts: list[list[str]] = []
    for _ in range(2):
        life = Life(seed, 2)
        for _ in range(200):
            life.step()
        texts.append(life.it.as_text())
    assert texts[0] == texts[1]

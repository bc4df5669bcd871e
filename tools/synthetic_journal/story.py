"""A transactional producer that appears once in a synthetic journal, and its actions."""

from typing import Final

import numpy as np

from tools.synthetic_journal.scene import EventKind, Scene, State

_STEP: Final = 1e-7


class Story:
    """Adds the events of one producer in one partition, each a little later than the last."""

    def __init__(self, scene: Scene, producer: int, place: int, begin: float) -> None:
        """Begin at a time of the scene."""
        self._scene: Final = scene
        self._producer: Final = producer
        self._place: Final = place
        self._time = begin
        self._state = State.EMPTY
        self._epoch_shift = 0
        self._transaction = 0
        self._is_commit = 1
        self._sequences = [0]
        """Of each epoch: the next one."""

    def _add(self, kind: EventKind, **said: int) -> int:
        self._time += _STEP
        known = {
            "producer": self._producer, "place": self._place, "transaction": self._transaction,
            "epoch_shift": self._epoch_shift, "partitions": 1, **said,
        }  # fmt: skip
        return int(self._scene.add(np.array([self._time]), kind=kind, **known)[0])

    def _transition(self, after: State, **said: int) -> int:
        before, self._state = self._state, after
        return self._add(EventKind.TRANSACTION, before=before, after=after, **said)

    def begin(self) -> None:
        """Begin a transaction."""
        self._transition(State.ONGOING)

    def write(self, **said: int) -> int:
        """Write a batch of two records."""
        producer_epoch = said.get("epoch_shift", self._epoch_shift)
        sequence = self._sequences[producer_epoch]
        self._sequences[producer_epoch] += 2
        event = self._add(EventKind.APPEND, count=2, sequence=sequence, **said)
        self._time += _STEP
        self._scene.answer(np.array([event]), np.array([_STEP / 2]))
        return event

    def prepare(self, is_commit: int = 1) -> None:
        """Have the coordinator decide."""
        self._is_commit = is_commit
        state = State.PREPARE_COMMIT if is_commit else State.PREPARE_ABORT
        event = self._transition(state, is_commit=is_commit)
        self._add(EventKind.ANSWER, answers=event, is_commit=is_commit, place=-1)

    def mark(self, is_commit: int = 1) -> int:
        """Write a marker."""
        return self._add(EventKind.MARKER, is_commit=is_commit)

    def complete(self) -> None:
        """Have the coordinator forget the transaction."""
        self._transition(
            State.COMPLETE_COMMIT if self._is_commit else State.COMPLETE_ABORT,
            is_commit=self._is_commit,
        )
        self._transaction += 1

    def end(self, is_commit: int = 1, *, is_marked: bool = True) -> None:
        """End the transaction."""
        self.prepare(is_commit)
        if is_marked:
            self.mark(is_commit)
        self.complete()

    def whole(self) -> None:
        """Write a transaction with one batch."""
        self.begin()
        self.write()
        self.end()

    def fence(self) -> None:
        """Assign the next epoch to another writer."""
        self._epoch_shift += 1
        self._sequences.append(0)
        self._transition(State.EMPTY, is_fenced=1, partitions=0)

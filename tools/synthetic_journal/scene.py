"""Scenes of a synthetic journal: events with times, not yet numbered.

An event is a row of the journal to be; its sequence, offsets and `seq` follow from the order of all
events, and are computed by `numbering`. Anomalies are events more, events less, or events
that are changed (`shift`, `jump`, `like`).
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tools.synthetic_journal.cast import Cast, Ints

PARTITIONS_MAX: Final = 4
"""Maximum number of partitions in a transaction: consecutive ones from a first one on."""
_BATCHES_MAX: Final = 3
_RECORDS_MAX: Final = 10
_COMMITTED_SHARE: Final = 0.9
_LEAST: Final = 1e-9
_JUST: Final = 1e-10


class EventKind(IntEnum):
    """The journal's kind of an event."""

    APPEND = 0
    ANSWER = 1
    MARKER = 2
    TRANSACTION = 3
    REQUEST = 4
    LEADER = 5
    TRUNCATION = 6


class State(IntEnum):
    """The states of a transaction; `NAMES` has Kafka's names."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    NONE = 6


NAMES: Final = (
    *("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort"),
    None,
)

COLUMNS: Final[dict[str, Any]] = {
    "kind": EventKind.APPEND,
    "place": -1,
    "producer": -1,
    "count": 1,
    "transaction": -1,
    "before": State.NONE,
    "after": State.NONE,
    "is_commit": 1,
    "partitions": 0,  # of a transition: how many are in the transaction, from `place` on
    "answers": -1,  # of an answer, or of a request: the event that came of the request
    "like": -1,  # of an append: the event whose sequence it has too
    "shift": 0,  # of an append: how many sequences are left out before it
    "jump": 0,  # of an append: how many offsets are left out before it
    "epoch_shift": 0,
    "sequence": -1,  # of an append: its first sequence, whatever the producer has got to
    "is_duplicate": 0,
    "is_hidden": 0,  # whether an append never was, although it was answered
    "is_shown": 0,  # whether an append lets read_committed readers see all of the log
    "is_fenced": 0,  # whether a transition is that of an InitProducerId
}
"""Columns of an event beside its time, with their defaults."""


class Scene:
    """Events in no order; `time` goes from 0 to 1."""

    def __init__(self) -> None:
        """Start without events."""
        self._count = 0
        self._time = np.empty(0)
        self._columns: dict[str, Ints] = {name: np.empty(0, np.int64) for name in COLUMNS}

    @property
    def time(self) -> NDArray[np.float64]:
        """The time of each event."""
        return self._time[: self._count]

    @property
    def columns(self) -> dict[str, Ints]:
        """The other columns, by their names."""
        return {name: values[: self._count] for name, values in self._columns.items()}

    def add(self, time: NDArray[np.float64], **columns: Any) -> Ints:
        """Add events, and return their indices."""
        begin, end = self._count, self._count + len(time)
        if end > len(self._time):
            # Twice as long: an event that is added alone does not copy all that are there.
            more = max(end, 2 * begin) - begin
            self._time = np.concatenate([self.time, np.empty(more)])
            empty = np.empty(more, np.int64)
            self._columns = {
                name: np.concatenate([values, empty]) for name, values in self.columns.items()
            }
        self._count = end
        self._time[begin:end] = time
        for name, usual in COLUMNS.items():
            self._columns[name][begin:end] = columns.get(name, usual)
        return np.arange(begin, end)

    def copy(self, event: int, time: float, **columns: int) -> int:
        """Add a copy of an event with another time and some other columns."""
        values = {name: self.at(name, event) for name in COLUMNS}
        return int(self.add(np.array([time]), **{**values, **columns})[0])

    def answer(self, events: Ints, delay: NDArray[np.float64]) -> Ints:
        """Add the requests of appends, just before them, and the answers, each a while later."""
        names = ("place", "producer", "count", "transaction")
        said = {name: self.columns[name][events] for name in names}
        self.add(self.time[events] - _JUST, kind=EventKind.REQUEST, answers=events, **said)
        time = self.time[events] + delay
        return self.add(time, kind=EventKind.ANSWER, answers=events, **said)

    def leave_out(self, events: Ints) -> None:
        """Remove events; indices do not change."""
        self.time[events] = np.inf

    def at(self, name: str, event: int) -> int:
        """Return a column of an event."""
        return int(self._columns[name][event])


@dataclass(slots=True)
class Past:
    """State of the producers before this scene."""

    cast: Cast
    transactions: Ints = field(init=False)
    """Count for each producer."""
    outcome: Ints = field(init=False)
    """The state that each producer's last transaction ended in."""

    def __post_init__(self) -> None:
        self.transactions = np.zeros(self.cast.producers, np.int64)
        self.outcome = np.full(self.cast.producers, State.EMPTY, np.int64)


def regular_scene(past: Past, rows: int, random: Generator, retried: float = 0.0) -> Scene:
    """Make regular traffic of about so many rows, half of them of transactions.

    Of a share of the batches without a transaction the response is lost, and the retry recognised.
    """
    scene = Scene()
    cast = past.cast
    share = cast.transactional / cast.producers
    if cast.transactional:
        _add_transactions(scene, past, max(1, round(rows * share / 2 / 12)), random)
    left = int(max(rows - len(scene.time), 3) / (3 + 2 * retried)) if cast.idempotent else 0
    spread = 1 / (left + 1)
    appends = scene.add(
        random.random(left),
        producer=random.integers(0, max(cast.idempotent, 1), left),
        place=random.integers(0, cast.places, left),
        count=random.integers(1, _RECORDS_MAX + 1, left),
    )
    answers = scene.answer(appends, random.random(left) * 20 * spread + _LEAST)
    _add_retries(scene, np.flatnonzero(random.random(left) < retried), appends, answers)
    return scene


def _add_retries(scene: Scene, chosen: Ints, appends: Ints, answers: Ints) -> None:
    """Lose the responses of some appends, and add their retries where these would have been."""
    first = appends[chosen]
    said = {name: scene.columns[name][first] for name in ("place", "producer", "count")}
    again = scene.add(scene.time[answers[chosen]], like=first, is_duplicate=1, **said)
    scene.answer(again, np.full(len(again), _LEAST))
    scene.leave_out(answers[chosen])


def _add_transactions(scene: Scene, past: Past, count: int, random: Generator) -> None:
    """Add transactions of all producers; those of one producer follow one another."""
    cast = past.cast
    each = -(-count // cast.transactional)
    producer = np.repeat(np.arange(cast.idempotent, cast.producers), each)
    number = np.tile(np.arange(each), cast.transactional)
    begin = (number + 0.2 * random.random(len(number))) / each
    length = 0.7 / each
    size = random.integers(1, min(PARTITIONS_MAX, cast.places) + 1, len(number))
    first = random.integers(0, cast.places, len(number))
    is_commit = (random.random(len(number)) < _COMMITTED_SHARE).astype(np.int64)
    ended = np.where(is_commit, State.COMPLETE_COMMIT, State.COMPLETE_ABORT)
    before = np.concatenate([[0], ended[:-1]])
    before[::each] = past.outcome[cast.idempotent :]
    past.outcome[cast.idempotent :] = ended[each - 1 :: each]
    number += past.transactions[producer]
    past.transactions[cast.idempotent :] += each
    shared = {"producer": producer, "transaction": number, "is_commit": is_commit}

    for index in range(int(size.max())):
        these = np.flatnonzero(size > index)
        here = {name: values[these] for name, values in shared.items()}
        place = (first[these] + index) % cast.places
        scene.add(
            begin[these] + length * 0.02 * index,
            kind=EventKind.TRANSACTION, place=first[these], partitions=index + 1,
            before=State.ONGOING if index else before[these], after=State.ONGOING, **here,
        )  # fmt: skip
        for batch in range(_BATCHES_MAX):
            writes = random.random(len(these)) < (1.0 if not batch else 0.5)
            spot = 0.1 + 0.2 * batch + 0.15 * random.random(int(writes.sum()))
            records = random.integers(1, _RECORDS_MAX + 1, len(spot))
            said = {name: values[writes] for name, values in here.items()}
            appends = scene.add(
                begin[these][writes] + length * spot, place=place[writes], count=records, **said
            )
            scene.answer(appends, length * 0.04 * random.random(len(appends)) + _LEAST)
        scene.add(
            begin[these] + length * (0.85 + 0.02 * index),
            kind=EventKind.MARKER, place=place, **here,
        )  # fmt: skip
    ending = {"kind": EventKind.TRANSACTION, "place": first, "partitions": size, **shared}
    _add_ends(scene, begin, length, ending, random)


def _add_ends(
    scene: Scene,
    begin: NDArray[np.float64],
    length: float,
    ending: dict[str, Any],
    random: Generator,
) -> None:
    """Add the coordinator's records and responses at the end of transactions."""
    is_commit = ending["is_commit"]
    prepared = np.where(is_commit, State.PREPARE_COMMIT, State.PREPARE_ABORT)
    ended = np.where(is_commit, State.COMPLETE_COMMIT, State.COMPLETE_ABORT)
    asked = scene.add(begin + length * 0.8, before=State.ONGOING, after=prepared, **ending)
    names = ("producer", "transaction", "is_commit")
    scene.add(
        begin + length * (0.8 + 0.19 * random.random(len(begin))),
        kind=EventKind.ANSWER, answers=asked, **{name: ending[name] for name in names},
    )  # fmt: skip
    scene.add(begin + length * 0.99, before=prepared, after=ended, **ending)

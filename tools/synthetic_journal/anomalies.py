"""Anomalies in a synthetic journal, at known positions.

Some change regular traffic. Each anomaly of a transaction is a separate story with its own
producer, so that exactly one thing is wrong with each.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.random import Generator

from tools.synthetic_journal.cast import Cast
from tools.synthetic_journal.injected import Injected
from tools.synthetic_journal.numbering import Numbered
from tools.synthetic_journal.scene import EventKind, Scene
from tools.synthetic_journal.story import Story

RETRIES: Final = 12
"""More than the threshold of RETRY_STORM."""
_NOWHERE: Final = 1 << 30
"""A sequence that no producer reaches."""
_A_STORY: Final = 1e-4
"""Longer than any story takes."""
_LEAST_DELAY: Final = 1e-9


class Mark(NamedTuple):
    """An anomaly of a scene, and the event that proves it."""

    rule: str
    place: int
    event: int


class Anomalies:
    """Choice of the anomaly of each scene."""

    def __init__(self, each: int, scenes: int, cast: Cast, random: Generator) -> None:
        """Distribute the given number of each kind over the scenes."""
        self._cast: Final = cast
        self._random: Final = random
        self._next_producer = cast.producers
        self._rules: Final[list[list[str]]] = [[] for _ in range(scenes)]
        for rule in (*_EDITS, *_STORIES):
            for number in range(each):
                last = rule in _AT_THE_END
                self._rules[scenes - 1 if last else number % scenes].append(rule)

    def put_into(self, scene: Scene, number: int) -> list[Mark]:
        """Change a scene, and return its anomaly."""
        edits = [rule for rule in self._rules[number] if rule in _EDITS]
        victims = self._victims(scene, len(edits)) if edits else []
        marks: list[Mark] = []
        for rule, victim in zip(edits, victims, strict=True):
            event = _EDITS[rule](scene, victim)
            marks.append(Mark(rule, scene.at("place", victim), event))
        for rule in self._rules[number]:
            if rule in _STORIES:
                place, begin = self._stage(scene, rule)
                story = Story(scene, self._next_producer, place, begin)
                self._next_producer += 1
                marks.append(Mark(rule, place, _STORIES[rule](story)))
        return marks

    def _stage(self, scene: Scene, rule: str) -> tuple[int, float]:
        """Choose a place and a time at random; `ABORTED_VISIBLE` needs one without transactions."""
        while True:
            place = int(self._random.integers(self._cast.places // 2)) * 2
            begin = 0.2 + 0.5 * float(self._random.random())
            if rule in _AT_THE_END:
                return place + 1, begin
            if rule != "ABORTED_VISIBLE" or not _is_open(scene, place, begin):
                return place, begin

    def _victims(self, scene: Scene, count: int) -> list[int]:
        """Choose random batches of idempotent producers, one per stream, each after another one.

        Among many producers and partitions most streams have one batch: the other one is added.
        """
        columns = scene.columns
        late = (columns["kind"] == EventKind.APPEND) & (columns["transaction"] < 0)
        late &= columns["is_duplicate"] == 0
        late &= (scene.time > 0.4) & (scene.time < 0.8)
        late[columns["like"][columns["like"] >= 0]] = False  # those that are retried
        streams = columns["producer"] * self._cast.places + columns["place"]
        index = self._random.permutation(np.flatnonzero(late))
        _, first = np.unique(streams[index], return_index=True)
        chosen = self._random.permutation(index[first])[:count]
        assert len(chosen) == count, f"{count} anomalies are too many for so few rows"
        names = ("producer", "place", "count")
        early = scene.add(
            0.3 * self._random.random(count), **{name: columns[name][chosen] for name in names}
        )
        scene.answer(early, np.full(count, _LEAST_DELAY))
        return [int(each) for each in chosen]

    def known(self, marks: list[Mark], numbered: Numbered) -> list[Injected]:
        """Return the findings that an audit must have in a scene."""
        cast = self._cast
        found: list[Injected] = []
        for rule, place, event in marks:
            seq = int(numbered.seq_of[event])
            found.append(Injected(rule, f"{cast.topic(place)}-{cast.partition(place)}", seq, seq))
        return found


def _is_open(scene: Scene, place: int, time: float) -> bool:
    """Return True if a transaction is open at a place, or will be soon."""
    columns = scene.columns
    here = (columns["place"] == place) & (columns["transaction"] >= 0)
    key = columns["producer"] * (1 << 40) + columns["transaction"]
    writes = here & (columns["kind"] == EventKind.APPEND)
    marks = here & (columns["kind"] == EventKind.MARKER)
    begun, ended = key[writes & (scene.time < time + _A_STORY)], key[marks & (scene.time < time)]
    return bool(len(np.setdiff1d(begun, ended)))


# What regular producers do wrong


def _after(scene: Scene, event: int) -> float:
    return float(np.nextafter(scene.time[event], np.inf))


def _again(scene: Scene, event: int, **said: int) -> int:
    copy = scene.copy(event, _after(scene, event), like=event, **said)
    scene.answer(np.array([copy]), np.array([_LEAST_DELAY]))
    return copy


def _duplicate(scene: Scene, event: int) -> int:
    return _again(scene, event)


def _regression(scene: Scene, event: int) -> int:
    return _again(scene, event, epoch_shift=-1)


def _gap(scene: Scene, event: int) -> int:
    scene.columns["shift"][event] = 3
    return event


def _offset_gap(scene: Scene, event: int) -> int:
    scene.columns["jump"][event] = 5
    return event


def _lost(scene: Scene, event: int) -> int:
    hidden = scene.copy(event, _after(scene, event), is_hidden=1, sequence=_NOWHERE)
    return int(scene.answer(np.array([hidden]), np.array([_LEAST_DELAY]))[0])


def _cut_off(scene: Scene, event: int) -> int:
    place, count = scene.at("place", event), scene.at("count", event)
    time = np.array([_after(scene, event)])
    scene.add(time, kind=EventKind.LEADER, place=place)
    return int(scene.add(time, kind=EventKind.TRUNCATION, place=place, count=count)[0])


def _storm(scene: Scene, event: int) -> int:
    retry = event
    for _ in range(RETRIES):
        retry = _again(scene, event, is_duplicate=1)
    return retry


_EDITS: Final[Mapping[str, Callable[[Scene, int], int]]] = {
    "DUPLICATE_APPEND": _duplicate,
    "SEQUENCE_GAP": _gap,
    "EPOCH_REGRESSION": _regression,
    "OFFSET_GAP_UNEXPLAINED": _offset_gap,
    "LOST_ACKED": _lost,
    "ACKED_NOT_DURABLE": _cut_off,
    "RETRY_STORM": _storm,
}


# What is wrong with transactions


def _hanging(story: Story) -> int:
    story.begin()
    event = story.write()
    story.end(is_marked=False)
    return event


def _zombie(story: Story) -> int:
    story.whole()
    story.fence()
    event = story.write(epoch_shift=0, transaction=1)
    story.whole()
    return event


def _late(story: Story) -> int:
    story.whole()
    event = story.write(transaction=1)
    story.whole()
    return event


def _two_markers(story: Story) -> int:
    story.begin()
    story.write()
    story.prepare()
    story.mark()
    event = story.mark()
    story.complete()
    return event


def _marker_alone(story: Story) -> int:
    story.whole()
    return story.mark(is_commit=0)


def _visible(story: Story) -> int:
    story.begin()
    story.write()
    event = story.write(is_shown=1)
    story.end(is_commit=0)
    return event


_STORIES: Final[Mapping[str, Callable[[Story], int]]] = {
    "HANGING_TXN": _hanging,
    "ZOMBIE_WRITE_ACCEPTED": _zombie,
    "APPEND_AFTER_MARKER": _late,
    "DOUBLE_MARKER": _two_markers,
    "MARKER_WITHOUT_TXN": _marker_alone,
    "ABORTED_VISIBLE": _visible,
}
_AT_THE_END: Final = frozenset({"HANGING_TXN"})
"""Rules whose anomalies block the last stable offset, and so would affect all later scenes."""
RULES: Final = (*_EDITS, *_STORIES)
"""The rules whose anomalies can be put into regular traffic."""
EDITS: Final = len(_EDITS)
STORIES: Final = len(_STORIES)

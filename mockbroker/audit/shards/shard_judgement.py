"""Judgement in shards: first each partition, then producers, groups and what is left.

A shard is read once, in order, and forgotten. The outcomes are added up. In one loop over all runs
the findings are the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count, groupby
from operator import itemgetter
from typing import Final

from mockbroker.audit.cluster.present_states import ASKED
from mockbroker.audit.judgement import Judgement
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.outcome import Place, ShardOutcome
from mockbroker.audit.source import THRESHOLDS, Source, Thresholds
from mockbroker.audit.storage.paused_collection import paused_collection


class Known:
    """What is known of all evidence before its shards are judged."""

    def __init__(
        self,
        source: Source,
        last_time_ms: int,
        wide: Iterable[Run],
        thresholds: Thresholds = THRESHOLDS,
        beside: Iterable[Run] = (),
    ) -> None:
        """Take the runs that concern more than a partition, in any order, and those of no row."""
        self.source: Final = source
        self.last_time_ms: Final = last_time_ms
        self.thresholds: Final = thresholds
        self._events: Final[list[Run]] = []
        self._of_topics: Final[defaultdict[str, list[Run]]] = defaultdict(list)
        self._cuts: Final[defaultdict[Place, list[Run]]] = defaultdict(list)
        self._stale: set[tuple[Place, int]] = set()
        self.wanted: frozenset[int] = frozenset()
        """The producers whose decisions tell what is lost."""
        for run in sorted(wide, key=lambda each: each.seq):
            known = self._events if run.topic is None else self._of_topics[run.topic]
            known.append(run)

        for run in beside:
            if run.kind == ASKED:
                self._cuts[run.place].append(run)

    def learn(self, partitions: ShardOutcome) -> None:
        """Take what the partitions tell about their logs."""
        for run in partitions.truncations:
            self._cuts[run.place].append(run)
        self._stale = partitions.stale
        losses = (each for log in partitions.losses for each in log.losses)
        self.wanted = frozenset(each.attempt.producer_id for each in losses)

    def judgement(self, scope: ShardScope) -> Judgement:
        """Begin a shard."""
        return Judgement(self.source, self.thresholds, {scope}, self.last_time_ms)

    def of_topic(self, topic: str | None) -> Sequence[Run]:
        """Return the wide runs of a topic."""
        return () if topic is None else self._of_topics.get(topic, ())

    def of_place(self, place: Place) -> Sequence[Run]:
        """Return the truncations of a partition, and its end when coordinators were asked."""
        return self._cuts.get(place, ())

    @property
    def events(self) -> Sequence[Run]:
        """The wide runs of no topic."""
        return self._events

    def is_stale(self, run: Run) -> bool:
        """Return whether a run is in no log."""
        return (
            bool(self._stale) and run.partition is not None and (run.place, run.seq) in self._stale
        )


@paused_collection()
def judge_partitions(runs: Iterable[Run], known: Known) -> ShardOutcome:
    """Judge runs of partitions: one partition after the other, each in order."""
    outcome = ShardOutcome()
    for (topic, _), of_place in groupby(runs, key=lambda each: (each.topic, each.partition)):
        judgement = known.judgement(ShardScope.PARTITION)
        judgement.see(_merged(of_place, [*known.of_topic(topic), *known.events]))
        outcome.add(judgement.end())
    return outcome


@paused_collection()
def judge_others(runs: Iterable[tuple[str, Run]], known: Known) -> ShardOutcome:
    """Judge runs with their shards: one shard after the other, each in order.

    The partitions have been judged before.
    """
    outcome = ShardOutcome()
    for shard, rows in groupby(runs, key=itemgetter(0)):
        scope = ShardScope(shard.partition(" ")[0])
        judgement = known.judgement(scope)
        of_shard = (run for _, run in rows if not known.is_stale(run))
        if scope is ShardScope.PRODUCER:
            judgement.see(_with_news(of_shard, known))
        else:
            judgement.see(_merged(of_shard, known.events))
        found = judgement.end()
        found.decisions = [each for each in found.decisions if each.producer_id in known.wanted]
        outcome.add(found)
    return outcome


def _merged(runs: Iterable[Run], wide: Sequence[Run]) -> Iterator[Run]:
    """Yield runs in order, with wide runs between them."""
    waiting = sorted(wide, key=lambda each: each.seq, reverse=True)
    for run in runs:
        while waiting and waiting[-1].seq <= run.seq:
            yield waiting.pop()
        yield run
    yield from reversed(waiting)


def _with_news(runs: Iterable[Run], known: Known) -> Iterator[Run]:
    """Yield a producer's runs, with what happened to the topics and partitions it writes to."""
    waiting: list[tuple[int, int, Run]] = []
    numbers = count()
    topics: set[str] = set()
    places: set[Place] = set()
    for run in runs:
        if run.topic is not None and run.partition is not None and run.place not in places:
            places.add(run.place)
            news = list(known.of_place(run.place))
            if run.topic not in topics:
                topics.add(run.topic)
                news += known.of_topic(run.topic)
            for each in news:
                heappush(waiting, (each.seq, next(numbers), each))
        while waiting and waiting[0][0] <= run.seq:
            yield heappop(waiting)[2]
        yield run
    yield from (each for _, _, each in sorted(waiting))

"""Judgement in shards: first each partition, then producers, groups and what is left.

A shard is read once, in order, and forgotten. The outcomes are added up. In one loop over all runs
the findings are the same. It needs numpy and pyarrow (extra `spark`).
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from importlib import import_module
from itertools import chain, count, groupby
from operator import attrgetter, itemgetter
from typing import Any, Final

import numpy as np

from mockbroker.audit.judgement import machines_of
from mockbroker.audit.rule_context import Machine
from mockbroker.audit.rules.groups.ownership_rules import topics_of
from mockbroker.audit.runs.run import OFFSETS_LOG, Run
from mockbroker.audit.runs.run_table import runs_of
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import Place, ShardOutcome
from mockbroker.audit.shards.partition_rows import PartitionRows, in_pieces
from mockbroker.audit.shards.regular_partitions import JUDGING, machines_for
from mockbroker.audit.shards.scoped_rows import SHARD
from mockbroker.audit.storage.paused_collection import paused_collection

pa: Any = import_module("pyarrow")

RUNS_AT_ONCE: Final = 20_000
"""Number of rows that are Python's objects at once."""


@paused_collection()
def judge_partitions(tables: Iterable[Any], known: Known) -> ShardOutcome:
    """Judge rows of partitions, which are sorted by partition and number.

    Machines see the rows of partitions that are not regular for them.
    """
    outcome = ShardOutcome()
    pieces = groupby(in_pieces(tables), key=attrgetter("number", "is_part"))
    for (_, is_part), of_number in pieces:
        rows = (each.table for each in of_number)
        judged = _judged_large(rows, known) if is_part else _judged_whole(next(rows), known)
        outcome.add(judged)
    return outcome


def _judged_whole(table: Any, known: Known) -> ShardOutcome:
    """Judge whole partitions: each by the machines for which it is not regular."""
    rows, outcome = PartitionRows(table), ShardOutcome()
    machines = machines_for(rows, known)
    is_seen = np.array([bool(each) for each in machines], bool)[rows.place]
    runs = _runs_in_turn(table.filter(pa.array(is_seen)))
    placed = zip(rows.place[is_seen].tolist(), runs, strict=True)
    for place, of_place in groupby(placed, key=itemgetter(0)):
        outcome.add(_judged((run for _, run in of_place), machines[place], known))
    return outcome


def _judged_large(tables: Iterable[Any], known: Known) -> ShardOutcome:
    """Judge a partition that is too large to be looked at as a whole: all machines see it."""
    return _judged(chain.from_iterable(map(_runs_in_turn, tables)), JUDGING, known)


def _runs_in_turn(rows: Any) -> Iterator[Run]:
    return chain.from_iterable(map(runs_of, _in_turn(rows)))


def _in_turn(rows: Any) -> Iterator[Any]:
    return (rows.slice(begin, RUNS_AT_ONCE) for begin in range(0, rows.num_rows, RUNS_AT_ONCE))


def _judged(runs: Iterator[Run], machines: Sequence[type[Machine]], known: Known) -> ShardOutcome:
    """Judge the runs of a partition."""
    first = next(runs)
    judgement = known.judgement(machines)
    judgement.see(_merged(chain([first], runs), [*known.of_topic(first.topic), *known.events]))
    return judgement.end()


@paused_collection()
def judge_others(tables: Iterable[Any], known: Known) -> ShardOutcome:
    """Judge rows with their shards, which are sorted by shard and number.

    The partitions have been judged before.
    """
    outcome = ShardOutcome()
    wide = {
        ShardScope.PRODUCER: known.news,
        ShardScope.GROUP: [*known.events, *known.of_topic(OFFSETS_LOG)],
        ShardScope.CLUSTER: known.events,
    }
    pieces = chain.from_iterable(map(_in_turn, tables))
    runs = (zip(each[SHARD].to_pylist(), runs_of(each), strict=True) for each in pieces)
    for shard, rows in groupby(chain.from_iterable(runs), key=itemgetter(0)):
        scope = ShardScope(shard.partition(" ")[0])
        judgement = known.judgement(machines_of(scope))
        of_shard = (run for _, run in rows if not known.is_stale(run))
        judgement.see(_with_news(of_shard, known, wide[scope]))
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


def _with_news(runs: Iterable[Run], known: Known, wide: Sequence[Run]) -> Iterator[Run]:
    """Yield runs in order, with wide runs and what happened to their topics and partitions."""
    numbers = count()
    waiting = sorted((each.seq, next(numbers), each) for each in wide)
    topics: set[str] = set()
    places: set[Place] = set()
    for run in runs:
        news: list[Run] = []
        if run.topic is not None and run.partition is not None and run.place not in places:
            places.add(run.place)
            news += known.of_place(run.place)
        for topic in topics_of(run) - topics:
            topics.add(topic)
            news += known.of_topic(topic)
        for each in news:
            heappush(waiting, (each.seq, next(numbers), each))
        while waiting and waiting[0][0] <= run.seq:
            yield heappop(waiting)[2]
        yield run
    yield from (each for _, _, each in sorted(waiting))

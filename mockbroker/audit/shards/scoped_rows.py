"""Division of a table of runs by scope: each scope gets the rows that its machines see.

It needs numpy and pyarrow (extra `spark`).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final
from zlib import crc32

import numpy as np

from mockbroker.audit.judgement import kinds_of
from mockbroker.audit.runs.column_arrays import Ints, are, codes, numbers, whole
from mockbroker.audit.runs.run import CALLS
from mockbroker.audit.runs.scope import ShardScope

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

SHARD: Final = "shard"
"""Column that tells which rows are judged together: a scope, and a key."""
BY_PARTITION: Final = ("topic", "partition")
BY_SHARD: Final = (SHARD,)
"""The columns by which rows are sorted for the machines of partitions, and for others."""
Pair = tuple[str, int]
"""A transactional id, and a producer id that it had."""


def wide_rows(runs: Any) -> Any:
    """Return the rows that concern more than a partition: they are needed in many shards."""
    is_wide = are(whole(runs, "kind"), "topic_created", "topic_deleted", "event", "clock")
    return runs.filter(pc.and_(pa.array(is_wide), runs["partition"].is_null()))


def key_numbers(runs: Any, keys: Sequence[str]) -> Ints:
    """Return a number for each row, from `BY_PARTITION` or `BY_SHARD`; null has one, too."""
    column = _encoded(runs[keys[0]])
    texts = [*column.dictionary.to_pylist(), ""]  # the last one is for null
    found = np.array([crc32((each or "").encode()) for each in texts], np.int64)[codes(column)]
    return found + numbers(whole(runs, "partition")) if "partition" in keys else found


def in_order_of(runs: Any, keys: Sequence[str], at_once: int) -> Iterator[Any]:
    """Yield rows in the order of `BY_PARTITION` or `BY_SHARD` and of time, so many at once."""
    columns = [
        numbers(whole(runs, key)) if key == "partition" else codes(_encoded(runs[key]))
        for key in keys
    ]
    order = np.lexsort((runs["seq"].to_numpy(), *reversed(columns)))
    for begin in range(0, len(order), at_once):
        yield runs.take(pa.array(order[begin : begin + at_once]))


def _encoded(column: Any) -> Any:
    """Return texts as one array with a dictionary; `SHARD` is no column of runs."""
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    return column.combine_chunks().dictionary_encode()


def rows_of_partitions(runs: Any) -> Any:
    """Return the rows of partitions."""
    return runs.filter(pc.and_(_are_of(runs, ShardScope.PARTITION), runs["partition"].is_valid()))


def rows_of_others(runs: Any) -> Any:
    """Return the rows of producers, groups and the cluster, with their shards."""
    pieces = [
        _with_producers(runs.filter(_are_of_producers(runs)), {}),
        *(_named(runs, scope) for scope in (ShardScope.GROUP, ShardScope.CLUSTER)),
    ]
    return pa.concat_tables(pieces)


def _are_of(runs: Any, scope: ShardScope) -> Any:
    """Return which rows are of the kinds that the machines of a scope see."""
    kinds = kinds_of(scope)
    kind, api = whole(runs, "kind"), whole(runs, "api")
    found = are(kind, *({each.partition(" ")[0] for each in kinds} - CALLS))
    for call in CALLS:
        apis = (each.partition(" ")[2] for each in kinds if each.startswith(f"{call} "))
        found |= are(kind, call) & are(api, *apis)
    return pa.array(found)


def _are_of_producers(runs: Any) -> Any:
    """Return the rows with a producer; of batches those of transactions that were appended."""
    has_id = pc.fill_null(pc.greater_equal(runs["producer_id"], 0), False)
    is_batch = pc.is_in(runs["kind"].cast(pa.string()), value_set=pa.array(["append", "request"]))
    is_transactional = pc.fill_null(runs["is_transactional"], False)
    is_new = pc.invert(pc.fill_null(runs["is_duplicate"], False))
    wanted = pc.or_(pc.invert(is_batch), pc.and_(is_transactional, is_new))
    return pc.and_(pc.and_(_are_of(runs, ShardScope.PRODUCER), has_id), wanted)


def with_families(runs: Any, families: Mapping[int, int]) -> Any:
    """Return rows of `rows_of_others` in which producers have the shards of their families."""
    if not families:
        return runs
    is_producer = pc.starts_with(runs[SHARD], str(ShardScope.PRODUCER))
    mine = runs.filter(is_producer).drop_columns([SHARD])
    return pa.concat_tables([_with_producers(mine, families), runs.filter(pc.invert(is_producer))])


def _with_producers(runs: Any, families: Mapping[int, int]) -> Any:
    producers = runs["producer_id"].to_numpy().copy()
    for place in np.flatnonzero(np.isin(producers, list(families))):
        producers[place] = families[int(producers[place])]
    keys = pc.binary_join_element_wise(
        str(ShardScope.PRODUCER), pa.array(producers).cast(pa.string()), " "
    )
    return runs.append_column(SHARD, keys)


def _named(runs: Any, scope: ShardScope) -> Any:
    runs = runs.filter(_are_of(runs, scope))
    if scope is ShardScope.CLUSTER:
        keys = pa.array([str(scope)] * runs.num_rows, pa.string())
    else:
        runs = runs.filter(runs["group"].is_valid())
        keys = pc.binary_join_element_wise(str(scope), runs["group"].cast(pa.string()), " ")
    return runs.append_column(SHARD, keys)


def pairs_in(runs: Any) -> set[Pair]:
    """Return the transactional ids of a table, each with a producer id."""
    named = runs.filter(
        pc.and_(_are_of(runs, ShardScope.PRODUCER), runs["transactional_id"].is_valid())
    )
    named = named.filter(pc.fill_null(pc.greater_equal(named["producer_id"], 0), False))
    found = named.select(["transactional_id", "producer_id"]).group_by(
        ["transactional_id", "producer_id"]
    )
    columns = found.aggregate([]).to_pydict()
    return set(zip(columns["transactional_id"], columns["producer_id"], strict=True))


def families_of(pairs: Iterable[Pair]) -> dict[int, int]:
    """Return for producer ids that shared a transactional id one of them; others are left out."""
    parents: dict[int, int] = {}

    def root(producer_id: int) -> int:
        while parents.setdefault(producer_id, producer_id) != producer_id:
            producer_id = parents[producer_id]
        return producer_id

    firsts: dict[str, int] = {}
    for name, producer_id in sorted(pairs):
        one, other = sorted((root(firsts.setdefault(name, producer_id)), root(producer_id)))
        parents[other] = one
    sizes: defaultdict[int, int] = defaultdict(int)
    for each in parents:
        sizes[root(each)] += 1
    return {each: root(each) for each in parents if sizes[root(each)] > 1}

"""Final checks of a simulation: a simple reading of the logs, compared with the ledger."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.records.batch import parse_batch_header, records_of
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.open_transactions import hanging_transactions
from tests.simulation.history import Transaction, anomalies
from tests.simulation.processor import GROUP as PROCESSORS
from tests.simulation.processor import INPUT
from tests.simulation.reader import Reader
from tests.simulation.share_consumer import ShareConsumer
from tests.simulation.share_watch import ShareWatch
from tests.simulation.sharer import GROUP as SHARERS
from tests.simulation.sharer import WORK
from tests.simulation.world import World
from tests.support.in_process import NOW_MS

_SHARED: Final = frozenset({"accepted", "rejected", "archived"})
"""How the share group is done with a record."""


class _Written(NamedTuple):
    partition: int
    offset: int
    value: bytes
    is_visible: bool
    """True if its transaction was committed, or it had none."""


def judge(world: World, readers: Sequence[Reader], consumers: Sequence[ShareConsumer] = ()) -> None:
    """Compare the logs with the responses that the clients got."""
    written = [each for index in range(world.partitions) for each in _read_naively(world, index)]
    counted = Counter(each.value for each in written)
    doubled = sorted(value for value, count in counted.items() if count > 1)
    outputs = {value for value in counted if value.startswith(b"out of ")}
    assert not [value for value in doubled if value not in outputs], f"written twice: {doubled}"
    visible = Counter(each.value for each in written if each.is_visible)
    twice = sorted(value for value, count in visible.items() if count > 1)
    assert not twice, f"visible twice: {twice}"
    _judge_idempotent(world, set(visible))
    for transaction in world.ledger.transactions:
        _judge_transaction(transaction, set(visible), world.may_be_gone)
    _judge_processed(world, set(visible))
    for reader in readers:
        _judge_reader(reader, [each for each in written if each.partition == reader.index], world)
    reads = [read for reader in readers for read in reader.reads]
    watched = {reader.index for reader in readers if reader.is_committed}
    for anomaly in anomalies(world.ledger.writes, reads, watched, world.may_be_gone):
        raise AssertionError(anomaly)
    if world.share_watch is not None:
        _judge_share_group(world, world.share_watch, written, consumers)
    assert not hanging_transactions(world.brokers.state)
    for index in range(world.partitions):
        log = world.brokers.state.log_of(world.brokers.partition("orders", index), NOW_MS)
        assert log.last_stable_offset == log.log_end_offset, f"orders-{index} is never decided"


def _read_naively(world: World, index: int) -> list[_Written]:
    """Read a log from start to end, transaction by transaction."""
    log = world.brokers.state.log_of(world.brokers.partition("orders", index), NOW_MS)
    open_by_producer: dict[int, list[_Written]] = {}
    found: list[_Written] = []
    for data in batches_of(log):
        header = parse_batch_header(data)
        if header.is_control:
            (marker,) = records_of(data)
            assert marker.key is not None
            is_commit = int.from_bytes(marker.key[2:4], "big") == 1
            decided = open_by_producer.pop(header.producer_id, [])
            found += [each._replace(is_visible=is_commit) for each in decided]
            continue
        for record in records_of(data):
            assert record.value is not None
            each = _Written(index, record.offset, bytes(record.value), is_visible=True)
            if header.is_transactional:
                open_by_producer.setdefault(header.producer_id, []).append(each)
            else:
                found.append(each)
    assert not open_by_producer, f"open in orders-{index}: {open_by_producer}"
    readable = [each for each in found if each.offset >= log.log_start_offset]
    return sorted(readable, key=lambda each: each.offset)


def _judge_idempotent(world: World, visible: set[bytes]) -> None:
    lost = {
        value
        for value in world.ledger.acknowledged
        if value not in visible and value not in world.may_be_gone
    }
    assert not lost, f"acknowledged and lost: {sorted(lost)}"


def _judge_transaction(
    transaction: Transaction, visible: set[bytes], may_be_gone: set[bytes]
) -> None:
    if transaction.client.startswith(("processor", "sharer")):
        return  # a retry writes the same values; `_judge_processed` counts them
    values = {value for _, _, value in transaction.values} - may_be_gone
    shown = values & visible
    match transaction.outcome:
        case "committed":
            assert shown == values, f"committed and lost: {sorted(values - shown)}"
        case "in doubt":
            assert shown in (set(), values), f"half a transaction: {sorted(shown)} of {values}"
        case _:
            assert not shown, f"never committed, and visible: {sorted(shown)}"


def _judge_processed(world: World, visible: set[bytes]) -> None:
    """Check that all input before the group's offset was processed, and no other."""
    processed = {value for value in visible if value.startswith(b"out of ")}
    committed = [(world.input_values, world.committed(PROCESSORS, INPUT))]
    if not world.commits_alone:
        committed += [
            (values, world.committed(SHARERS, WORK, index))
            for index, values in enumerate(world.work_values)
        ]
    expected = {b"out of " + value for values, count in committed for value in values[:count]}
    processed -= world.may_be_gone
    expected -= world.may_be_gone
    assert processed == expected, f"behind {committed}: {sorted(processed ^ expected)}"


def _judge_reader(reader: Reader, written: list[_Written], world: World) -> None:
    offsets = [offset for offset, _ in reader.seen]
    assert offsets == sorted(set(offsets)), f"{reader.name} was given records twice or out of order"
    there = {
        each.offset: each.value for each in written if each.is_visible or not reader.is_committed
    }
    for offset, value in reader.seen:
        known = there.get(offset)
        assert known == value or value in world.may_be_gone, (
            f"{reader.name} was given {value!r} at {offset}, where {known!r} is"
        )
    # What was deleted may be there again, at a leader that had not known that.
    awaited = {(at, value) for at, value in there.items() if value not in world.may_be_gone}
    missed = sorted(awaited - set(reader.seen))
    assert not missed, f"{reader.name} missed {missed}"


def _judge_share_group(
    world: World,
    watch: ShareWatch,
    written: Sequence[_Written],
    consumers: Sequence[ShareConsumer],
) -> None:
    """Check that each record was shared until it was done, and no other."""
    left = watch.left()
    assert not left, left[0]
    there = {
        (each.partition, each.offset): each.value
        for each in written
        if each.is_visible or not world.is_shared_committed
    }
    for consumer in consumers:
        for index, offset, value in consumer.seen:
            known = there.get((index, offset))
            assert known == value or value in world.may_be_gone, (
                f"{consumer.name} was given {value!r} at {index, offset}, where {known!r} is"
            )
    stuck = {index for index in range(world.partitions) if watch.is_stuck(index)}
    for record, value in there.items():
        if record[0] in stuck:
            continue
        shared = watch.records.get(record)
        assert shared is not None, f"never shared: {record}, {value!r}"
        assert shared.done in _SHARED, f"not done: {record}, {value!r}, {shared}"

"""Invariants at every moment: offsets keep their order, and no partition has two owners."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.group import Group
from mockbroker.state.group.streams.streams_group import StreamsGroup
from tests.simulation.sharer import GROUP
from tests.support.in_process import NOW_MS, Brokers


class _Offsets(NamedTuple):
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int


class Watch:
    """Checks the partitions of `orders` and the group of sharers after every step."""

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._before: dict[int, _Offsets] = {}
        self._leader_epochs: dict[int, int] = {}

    def look(self) -> None:
        """Check the offsets of every partition, and the owners of those that are shared."""
        self._look_at_offsets()
        for broker_id in self._brokers.state.brokers:
            group = self._brokers.state.group_coordinator(broker_id).groups.find(GROUP)
            owned = () if group is None else list(_owned(group))
            assert len(owned) == len(set(owned)), f"owned twice: {Counter(owned)}"

    def _look_at_offsets(self) -> None:
        for index, partition in enumerate(self._brokers.topic("orders").partitions):
            if partition.leader_id < 0:
                continue  # what the last one appends while it is isolated counts if it leads again
            log = self._brokers.state.log_of(partition, NOW_MS)
            now = _Offsets(
                log.log_start_offset,
                log.last_stable_offset,
                log.high_watermark,
                log.log_end_offset,
            )
            before = self._before.get(index)
            if now == before and partition.leader_epoch == self._leader_epochs[index]:
                continue
            assert now == tuple(sorted(now)), f"offsets out of order: {now}"
            before = before or now
            if partition.leader_epoch != self._leader_epochs.get(index):
                # A new leader has all that is committed. It may not know that yet, or not know of
                # a deletion, and it may lack what nobody was told of.
                before = _Offsets(0, 0, 0, before.high_watermark)
                self._leader_epochs[index] = partition.leader_epoch
            for name, was, is_now in zip(_Offsets._fields, before, now, strict=True):
                assert is_now >= was, f"{name} of orders-{index} went back: {was}, {is_now}"
            self._before[index] = now


def _owned(group: Group) -> Iterable[int]:
    """Yield each partition that a member of the group has, or has not yet given back."""
    if isinstance(group, ConsumerGroup):
        for _, _, current in group.members.values():
            for topics in (current.assigned, current.pending_revocation):
                yield from chain.from_iterable(topics.values())
    elif isinstance(group, StreamsGroup):
        for member in group.members.values():
            for tasks in (member.assigned, member.pending_revocation):
                yield from chain.from_iterable(tasks.active.values())
    elif isinstance(group, ClassicGroup) and group.state is GroupState.STABLE:
        for each in group.members.values():
            yield from each.assignment

"""Invariants at every moment: offsets never decrease, and keep their order."""

from typing import NamedTuple

from tests.support.in_process import NOW_MS, Brokers


class _Offsets(NamedTuple):
    log_start_offset: int
    last_stable_offset: int
    high_watermark: int
    log_end_offset: int


class Watch:
    """Checks the partitions of `orders` after every step of a simulation."""

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._before: dict[int, _Offsets] = {}
        self._leader_epochs: dict[int, int] = {}

    def look(self) -> None:
        """Check the offsets of every partition."""
        for index, partition in enumerate(self._brokers.topic("orders").partitions):
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
                # A new leader may have less: what no consumer has seen, and nobody was told of.
                before = before._replace(log_end_offset=before.high_watermark)
                self._leader_epochs[index] = partition.leader_epoch
            for name, was, is_now in zip(_Offsets._fields, before, now, strict=True):
                assert is_now >= was, f"{name} of orders-{index} went back: {was}, {is_now}"
            self._before[index] = now

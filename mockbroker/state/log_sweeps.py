"""Periodic sweeps over all logs: retention, and expiration of idle producers."""

from collections.abc import Container, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.producer.producer_expiration import ProducerExpiration
from mockbroker.state.timers import Timers
from mockbroker.state.topic.topic import Partition

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog

LOG_RETENTION_TIMER: Final = "log-retention"
PRODUCER_EXPIRATION_TIMER: Final = "producer-id-expiration"
PRODUCER_EXPIRATION_SLICE_TIMER: Final = "producer-id-expiration-slice"


class LogSweeps:
    """Timers of the sweeps over the open logs."""

    def __init__(
        self,
        configs: ConfigRepository,
        timers: Timers,
        logs: Mapping[Partition, "PartitionLog"],
        fenced: Container[int],
    ) -> None:
        """Create the sweeps of these logs; `startup` schedules them.

        The logs of `fenced` brokers are not swept while these are away.
        """
        self._fenced: Final = fenced
        self._configs: Final = configs
        self._timers: Final = timers
        self._logs: Final = logs

    def startup(self, now_ms: int) -> None:
        """Schedule the timers."""
        self._arm(LOG_RETENTION_TIMER, now_ms)
        self._arm(PRODUCER_EXPIRATION_TIMER, now_ms)

    def _arm(self, timer: str, now_ms: int) -> None:
        interval, action = {
            LOG_RETENTION_TIMER: ("log.retention.check.interval.ms", self._check_retention),
            PRODUCER_EXPIRATION_TIMER: (
                "producer.id.expiration.check.interval.ms",
                self._expire_producers,
            ),
        }[timer]
        self._timers.schedule(timer, now_ms + self._configs.broker_integer(interval), action)

    def _check_retention(self, now_ms: int) -> None:
        self._arm(LOG_RETENTION_TIMER, now_ms)  # first, so that it repeats even if the check fails
        for log in self._swept():
            log.delete_old_segments(now_ms)

    def _expire_producers(self, now_ms: int) -> None:
        self._arm(PRODUCER_EXPIRATION_TIMER, now_ms)
        if PRODUCER_EXPIRATION_SLICE_TIMER not in self._timers:  # the last sweep may still run
            expiration = ProducerExpiration(self._swept())
            self._expire_slice(expiration, now_ms)

    def _swept(self) -> "list[PartitionLog]":
        return [log for each in list(self._logs) for log in each.own_logs(self._fenced)]

    def _expire_slice(self, expiration: ProducerExpiration, now_ms: int) -> None:
        if not expiration.run_slice(now_ms):
            # After the present advance, not only after this slice, so that other work runs in
            # between.
            self._timers.schedule(
                PRODUCER_EXPIRATION_SLICE_TIMER,
                self._timers.until_ms + 1,
                partial(self._expire_slice, expiration),
            )

"""What all logs of a cluster are searched for now and then: old segments, and idle producers."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.timers import Timers
from mockbroker.state.topic.topic import Partition

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog
    from mockbroker.state.producer.producer_expiration import ProducerExpiration

LOG_RETENTION_TIMER: Final = "log-retention"
PRODUCER_EXPIRATION_TIMER: Final = "producer-id-expiration"
PRODUCER_EXPIRATION_SLICE_TIMER: Final = "producer-id-expiration-slice"


class LogSweeps:
    """The timers of the sweeps over the logs that are open."""

    def __init__(
        self,
        configs: ConfigRepository,
        timers: Timers,
        logs: Mapping[Partition, "PartitionLog"],
    ) -> None:
        """Sweep the logs that there are when it is time."""
        self._configs: Final = configs
        self._timers: Final = timers
        self._logs: Final = logs

    def startup(self, now_ms: int) -> None:
        """Set the timers."""
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
        self._arm(LOG_RETENTION_TIMER, now_ms)  # first: it is to go on whatever happens below
        for log in self._logs.values():
            log.delete_old_segments(now_ms)

    def _expire_producers(self, now_ms: int) -> None:
        self._arm(PRODUCER_EXPIRATION_TIMER, now_ms)
        if PRODUCER_EXPIRATION_SLICE_TIMER not in self._timers:  # the last round may go on
            from mockbroker.state.producer.producer_expiration import ProducerExpiration

            everybody = ProducerExpiration(list(self._logs.values()))
            self._expire_slice(everybody, now_ms)

    def _expire_slice(self, everybody: "ProducerExpiration", now_ms: int) -> None:
        if not everybody.run_slice(now_ms):
            # Behind this advance, not just behind this slice: others get a turn in between.
            self._timers.schedule(
                PRODUCER_EXPIRATION_SLICE_TIMER,
                self._timers.until_ms + 1,
                partial(self._expire_slice, everybody),
            )

"""The configs of a share group that the leaders of its partitions use."""

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.named_configs import GROUP
from mockbroker.state.log.offset_lookup import LogReader, offset_for_timestamp
from mockbroker.state.share.record_state import RecordState

if TYPE_CHECKING:
    from mockbroker.state.log.partition_log import PartitionLog

_DURATION: Final = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")
_UNITS_MS: Final = (86_400_000, 3_600_000, 60_000, 1000)
_BY_DURATION: Final = "by_duration:"
DEAD_LETTER_TOPIC: Final = "errors.deadletterqueue.topic.name"
EARLIEST: Final = "earliest"
LATEST: Final = "latest"


class ShareSettings(NamedTuple):
    """The settings of one group, with Kafka's defaults."""

    delivery_count_max: int = 5
    """`share.delivery.count.limit`"""
    in_flight_records_max: int = 2000
    """`share.partition.max.record.locks`"""
    lock_duration_ms: int = 30_000
    """`share.record.lock.duration.ms`"""
    renews_locks: bool = True
    """`share.renew.acknowledge.enable`"""
    is_read_committed: bool = False
    """`share.isolation.level`"""
    offset_reset: str = LATEST
    """`share.auto.offset.reset`"""
    has_dead_letters: bool = False
    """True if `errors.deadletterqueue.topic.name` is set, and share.version is at least 2."""

    @property
    def state_after_last_delivery(self) -> RecordState:
        """The state of records that are not delivered again."""
        return RecordState.ARCHIVING if self.has_dead_letters else RecordState.ARCHIVED


class DeadLetterSettings(NamedTuple):
    """The settings of a group's dead-letter queue (KIP-1191)."""

    topic: str
    """`errors.deadletterqueue.topic.name`; empty for none"""
    copies_records: bool
    """`errors.deadletterqueue.copy.record.enable`: dead letters have keys and values"""
    creates_topic: bool
    """`errors.deadletterqueue.auto.create.topics.enable`, of brokers"""
    topic_prefix: str
    """`errors.deadletterqueue.topic.name.prefix`, of brokers; empty for any"""


def share_settings(configs: ConfigRepository, group_id: str, broker_id: int) -> ShareSettings:
    """Return the settings of a group: its own configs, and those of the broker for the others."""
    own = configs.named_overrides.get((GROUP, group_id), {})

    def integer(name: str) -> int:
        value = own.get(name)
        return configs.broker_integer(f"group.{name}", broker_id) if value is None else int(value)

    return ShareSettings(
        delivery_count_max=integer("share.delivery.count.limit"),
        in_flight_records_max=integer("share.partition.max.record.locks"),
        lock_duration_ms=integer("share.record.lock.duration.ms"),
        renews_locks=own.get("share.renew.acknowledge.enable", "true").lower() == "true",
        is_read_committed=own.get("share.isolation.level") == "read_committed",
        offset_reset=own.get("share.auto.offset.reset", LATEST).lower(),
        has_dead_letters=bool(own.get(DEAD_LETTER_TOPIC)),
    )


def dead_letter_settings(
    configs: ConfigRepository, group_id: str, broker_id: int
) -> DeadLetterSettings:
    """Return the settings of a group's dead-letter queue, as one broker has them."""
    own = configs.named_overrides.get((GROUP, group_id), {})
    copies = own.get("errors.deadletterqueue.copy.record.enable", "false")
    creates = "errors.deadletterqueue.auto.create.topics.enable"
    prefix = configs.broker_value("errors.deadletterqueue.topic.name.prefix", broker_id)
    return DeadLetterSettings(
        topic=own.get(DEAD_LETTER_TOPIC, ""),
        copies_records=copies.lower() == "true",
        creates_topic=configs.broker_flag(creates, broker_id),
        topic_prefix=str(prefix or ""),
    )


def reset_duration_ms(offset_reset: str) -> int | None:
    """Return how far back a group begins, or None if it begins at an end of the log."""
    if not offset_reset.startswith(_BY_DURATION):
        return None
    found = _DURATION.fullmatch(offset_reset.removeprefix(_BY_DURATION).upper())
    assert found is not None, offset_reset
    parts = zip(found.groups(default="0"), _UNITS_MS, strict=True)
    return sum(int(float(number) * unit_ms) for number, unit_ms in parts)


def reset_offset(offset_reset: str, log: "PartitionLog", reader: LogReader, now_ms: int) -> int:
    """Return the offset at which a share partition without a stored start offset begins.

    Raises:
        ApiError: OFFSET_NOT_AVAILABLE if no record is as young as the duration.

    """
    duration_ms = reset_duration_ms(offset_reset)
    if duration_ms is None:
        return log.log_start_offset if offset_reset == EARLIEST else log.high_watermark
    found = offset_for_timestamp(
        log, now_ms - duration_ms, reader, last_fetchable_offset=log.high_watermark
    )
    if found is None:
        why = f"no record of {log.topic_partition} is of the last {duration_ms} ms"
        raise ApiError(ErrorCode.OFFSET_NOT_AVAILABLE, why)
    return found.offset

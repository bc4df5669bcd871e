"""Settings of groups, and durations of `share.auto.offset.reset`."""

import pytest

from mockbroker.state.config.named_configs import GROUP
from mockbroker.state.share.record_state import RecordState
from mockbroker.state.share.share_settings import (
    DeadLetterSettings,
    ShareSettings,
    dead_letter_settings,
    reset_duration_ms,
    share_settings,
)
from tests.state.cluster_building import new_cluster


def test_defaults_are_those_of_the_broker() -> None:
    configs = new_cluster().configs
    assert share_settings(configs, "g", 1) == ShareSettings()
    changed = new_cluster(configs={"group.share.delivery.count.limit": "7"}).configs
    assert share_settings(changed, "g", 1) == ShareSettings(delivery_count_max=7)


def test_a_group_has_configs_of_its_own() -> None:
    configs = new_cluster().configs
    own = {
        "share.delivery.count.limit": "3",
        "share.partition.max.record.locks": "500",
        "share.record.lock.duration.ms": "20000",
        "share.renew.acknowledge.enable": "false",
        "share.isolation.level": "read_committed",
        "share.auto.offset.reset": "EARLIEST",
    }
    configs.set_named_overrides(GROUP, "g", own)
    assert share_settings(configs, "g", 1) == ShareSettings(3, 500, 20_000, False, True, "earliest")
    assert share_settings(configs, "h", 1) == ShareSettings()


@pytest.mark.parametrize(
    ("reset", "duration_ms"),
    [
        ("latest", None),
        ("earliest", None),
        ("by_duration:pt0s", 0),
        ("by_duration:PT1.5S", 1500),
        ("by_duration:P1DT2H3M4S", 93_784_000),
    ],
)
def test_durations(reset: str, duration_ms: int | None) -> None:
    assert reset_duration_ms(reset) == duration_ms


def test_records_are_archiving_after_their_last_delivery_if_there_is_a_dead_letter_queue() -> None:
    configs = new_cluster().configs
    assert share_settings(configs, "g", 1).state_after_last_delivery is RecordState.ARCHIVED
    own = {
        "errors.deadletterqueue.topic.name": "dlq.t",
        "errors.deadletterqueue.copy.record.enable": "true",
    }
    configs.set_named_overrides(GROUP, "g", own)
    assert share_settings(configs, "g", 1).state_after_last_delivery is RecordState.ARCHIVING
    assert dead_letter_settings(configs, "g", 1) == DeadLetterSettings("dlq.t", True, False, "dlq.")
    assert dead_letter_settings(configs, "h", 1) == DeadLetterSettings("", False, False, "dlq.")


def test_brokers_decide_on_names_and_creation_of_dead_letter_queues() -> None:
    of_brokers = {
        "errors.deadletterqueue.auto.create.topics.enable": "true",
        "errors.deadletterqueue.topic.name.prefix": "",
    }
    configs = new_cluster(configs=of_brokers).configs
    assert dead_letter_settings(configs, "g", 1) == DeadLetterSettings("", False, True, "")

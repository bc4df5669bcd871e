"""Validation rules of a partition's batches."""

import pytest

from mockbroker.broker.produce.batch_rules import batch_rules, release_rules
from mockbroker.protocol.records.validation.refusal import Scope
from mockbroker.protocol.types import TimestampType
from mockbroker.state.release.options import Options
from tests.support.in_process import Brokers


def test_a_partitions_rules_are_its_topics_configs() -> None:
    brokers = Brokers(topics={"orders": 1})
    overrides = {
        "max.message.bytes": "1234",
        "cleanup.policy": "compact",
        "message.timestamp.type": "LogAppendTime",
        "message.timestamp.before.max.ms": "5000",
        "message.timestamp.after.max.ms": "6000",
    }
    brokers.state.configs.set_topic_overrides("orders", overrides)
    brokers.state.configs_changed("orders")
    rules = batch_rules(brokers.state.options, brokers.partition("orders"))
    assert rules.topic_partition == "orders-0"
    assert rules.max_message_bytes == 1234
    assert rules.is_compacted
    assert rules.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert rules.timestamp_before_max_ms == 5000
    assert rules.timestamp_after_max_ms == 6000
    assert rules.release == release_rules(brokers.state.options)


@pytest.mark.parametrize(("release", "scope"), [("2.4", Scope.CONNECTION), ("4.4", Scope.REQUEST)])
def test_releases_differ_in_the_scope_of_malformed_records(release: str, scope: Scope) -> None:
    options = Options.for_release(release)
    rules = release_rules(options)
    assert rules.malformed_scope is scope
    assert rules.collects_record_errors is options.produce.collects_record_errors
    assert rules.accepts_log_append_time is options.produce.accepts_log_append_time
    assert rules.skips_compressed_bodies is options.produce.skips_compressed_bodies

"""Validation rules of a partition's batches."""

import pytest

from mockbroker.broker.produce.batch_rules import batch_rules, batch_rules_of, release_rules
from mockbroker.protocol.records.validation.refusal import Scope
from mockbroker.protocol.types import Compression, TimestampType
from mockbroker.state.release.options import Options
from mockbroker.state.topic.replication_control import NewTopic
from tests.support.in_process import Brokers


def test_a_partitions_rules_are_its_topics_configs() -> None:
    brokers = Brokers(topics={"orders": 1})
    overrides = {
        "max.message.bytes": "1234",
        "cleanup.policy": "compact",
        "message.timestamp.type": "LogAppendTime",
        "message.timestamp.before.max.ms": "5000",
        "message.timestamp.after.max.ms": "6000",
        "max.decompressed.message.bytes": "7000",
        "compression.type": "lz4",
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
    assert rules.decompressed_bytes_max == 7000
    assert rules.codec is Compression.LZ4
    assert rules.release == release_rules(brokers.state.options)


@pytest.mark.parametrize(("release", "scope"), [("2.4", Scope.CONNECTION), ("4.4", Scope.REQUEST)])
def test_releases_differ_in_the_scope_of_malformed_records(release: str, scope: Scope) -> None:
    options = Options.for_release(release)
    rules = release_rules(options)
    assert rules.malformed_scope is scope
    assert rules.collects_record_errors is options.produce.collects_record_errors
    assert rules.accepts_log_append_time is options.produce.accepts_log_append_time
    assert rules.skips_compressed_bodies is options.produce.skips_compressed_bodies


@pytest.mark.parametrize(
    ("option", "rule", "of_false", "of_true"),
    [
        ("believes_fields", "believes_fields", False, True),
        ("record_errors_are_summed_up", "sums_up_record_errors", False, True),
        ("record_errors_end_with_period", "ends_with_period", False, True),
        ("null_records_close_connection", "null_scope", Scope.PARTITION, Scope.CONNECTION),
        ("foreign_batches_close_connection", "foreign_scope", Scope.PARTITION, Scope.CONNECTION),
        ("checks_last_offset_delta", "checks_last_offset_delta", False, True),
        ("accepts_empty_message_set", "accepts_empty_set", False, True),
        ("mixes_record_formats", "mixes_formats", False, True),
    ],
)
def test_each_difference_between_releases_is_a_rule(
    option: str, rule: str, of_false: object, of_true: object
) -> None:
    options = Options.for_release("4.4")
    for value, expected in ((False, of_false), (True, of_true)):
        produce = options.produce._replace(**{option: value})  # type: ignore[arg-type]
        assert getattr(release_rules(options._replace(produce=produce)), rule) is expected


def test_a_release_has_a_newest_codec() -> None:
    codecs = [
        release_rules(Options.for_release(release)).newest_codec for release in ("1.1", "2.3")
    ]
    assert codecs == [Compression.LZ4, Compression.ZSTD]


def test_batch_rules_are_cached_until_the_config_changes() -> None:
    brokers = Brokers(topics={"orders": 1})
    partition = brokers.partition("orders")
    rules = batch_rules_of(brokers.service, partition)
    assert batch_rules_of(brokers.service, partition) is rules
    brokers.state.configs.set_topic_overrides("orders", {"max.message.bytes": "1234"})
    brokers.state.configs_changed("orders")
    assert batch_rules_of(brokers.service, partition).max_message_bytes == 1234


def test_rules_of_many_topics_do_not_accumulate(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers()
    monkeypatch.setattr("mockbroker.broker.produce.batch_rules._RULES_KEPT", 2)
    topic = brokers.state.create_topic(NewTopic(name="wide", num_partitions=6))
    rules = [batch_rules_of(brokers.service, partition) for partition in topic.partitions]
    assert batch_rules_of(brokers.service, topic.partitions[-1]) is rules[-1]
    assert batch_rules_of(brokers.service, topic.partitions[0]) is not rules[0]

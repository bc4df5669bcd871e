"""Sources and precedence of configs, and their descriptions."""

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import ConfigEntry, ConfigSource, ConfigType

DAY_MS = 86_400_000


def repository(release: str = "4.4", static: dict[str, str] | None = None) -> ConfigRepository:
    return ConfigRepository(release, static or {}, {1: {"node.id": "1"}, 2: {"node.id": "2"}})


def of_topic(configs: ConfigRepository, name: str, topic: str = "orders") -> ConfigEntry:
    (entry,) = configs.describe_topic(topic, 1, [name])
    return entry


def of_broker(configs: ConfigRepository, name: str, broker_id: int = 1) -> ConfigEntry:
    (entry,) = configs.describe_broker(broker_id, [name])
    return entry


def places(entry: ConfigEntry) -> list[tuple[str, str | None, int]]:
    return [(each.name, each.value, each.source.value) for each in entry.synonyms]


# Precedence


def test_a_broker_config_has_its_default() -> None:
    configs = repository()
    assert configs.broker_integer("num.partitions") == 1
    assert configs.broker_flag("auto.create.topics.enable")
    assert configs.broker_value("log.cleanup.policy") == ("delete",)
    assert configs.broker_value("log.roll.jitter.ms") == 0


def test_static_settings_override_the_default() -> None:
    assert repository(static={"num.partitions": "7"}).broker_integer("num.partitions") == 7


def test_a_broker_has_settings_of_its_own() -> None:
    configs = repository()
    configs.set_broker_static(2, {"broker.rack": "b"})
    assert configs.broker_value("broker.rack", 2) == "b"
    assert configs.broker_value("broker.rack", 1) is None
    assert configs.broker_integer("node.id", 2) == 2


def test_dynamic_configs_override_static_settings() -> None:
    configs = repository(static={"message.max.bytes": "1"})
    configs.set_broker_overrides(None, {"message.max.bytes": "2"})
    assert configs.broker_integer("message.max.bytes", 1) == 2
    configs.set_broker_overrides(1, {"message.max.bytes": "3"})
    assert configs.broker_integer("message.max.bytes", 1) == 3
    assert configs.broker_integer("message.max.bytes", 2) == 2


def test_retention_may_be_given_in_coarser_units() -> None:
    configs = repository(static={"log.retention.hours": "24"})
    assert configs.broker_integer("log.retention.ms") == DAY_MS
    configs = repository(static={"log.retention.hours": "24", "log.retention.minutes": "5"})
    assert configs.broker_integer("log.retention.ms") == 300_000
    configs = repository(static={"log.retention.minutes": "5", "log.retention.ms": "7"})
    assert configs.broker_integer("log.retention.ms") == 7


def test_a_negative_retention_is_unlimited_in_any_unit() -> None:
    assert repository(static={"log.retention.hours": "-1"}).broker_integer("log.retention.ms") == -1


def test_a_topic_inherits_from_the_broker() -> None:
    configs = repository(static={"log.retention.hours": "24", "log.segment.bytes": "2000000"})
    log = configs.topic_config("orders", 1).log
    assert (log.retention_ms, log.segment_bytes) == (DAY_MS, 2_000_000)


def test_a_topic_s_own_config_wins_until_it_is_unset() -> None:
    configs = repository()
    configs.set_topic_overrides("orders", {"retention.ms": "5"})
    assert configs.topic_config("orders", 1).log.retention_ms == 5
    assert configs.topic_config("others", 1).log.retention_ms == 7 * DAY_MS
    configs.set_topic_overrides("orders", {})
    assert configs.topic_config("orders", 1).log.retention_ms == 7 * DAY_MS


def test_topics_without_configs_of_their_own_share_one_value() -> None:
    configs = repository()
    assert configs.topic_config("orders", 1) is configs.topic_config("others", 1)


def test_a_change_of_a_broker_reaches_the_topics_it_leads() -> None:
    configs = repository()
    assert configs.topic_config("orders", 1).log.retention_ms == 7 * DAY_MS
    configs.set_broker_overrides(1, {"log.retention.ms": "9"})
    assert configs.topic_config("orders", 1).log.retention_ms == 9
    assert configs.topic_config("orders", 2).log.retention_ms == 7 * DAY_MS


# Descriptions


def test_an_untouched_topic_config_names_its_broker_config_as_the_default() -> None:
    entry = of_topic(repository(), "max.message.bytes")
    assert (entry.value, entry.source, entry.type) == (
        "1048588",
        ConfigSource.DEFAULT_CONFIG,
        ConfigType.INT,
    )
    assert places(entry) == [("message.max.bytes", "1048588", 5)]
    assert not entry.read_only


def test_a_topic_config_without_a_broker_config_has_no_synonyms() -> None:
    entry = of_topic(repository(), "remote.storage.enable")
    assert (entry.value, entry.source, places(entry)) == ("false", ConfigSource.DEFAULT_CONFIG, [])


def test_every_source_is_listed_with_the_effective_one_first() -> None:
    configs = repository(static={"message.max.bytes": "4"})
    configs.set_broker_overrides(None, {"message.max.bytes": "3"})
    configs.set_broker_overrides(1, {"message.max.bytes": "2"})
    configs.set_topic_overrides("orders", {"max.message.bytes": " 1 "})
    entry = of_topic(configs, "max.message.bytes")
    assert (entry.value, entry.source) == ("1", ConfigSource.DYNAMIC_TOPIC_CONFIG)
    assert places(entry) == [
        ("max.message.bytes", "1", 1),
        ("message.max.bytes", "2", 2),
        ("message.max.bytes", "3", 3),
        ("message.max.bytes", "4", 4),
        ("message.max.bytes", "1048588", 5),
    ]


def test_coarser_units_are_effective_but_not_shown_as_a_source() -> None:
    configs = repository(static={"log.retention.hours": "24"})
    entry = of_topic(configs, "retention.ms")
    assert (entry.value, entry.source, places(entry)) == (
        str(DAY_MS),
        ConfigSource.DEFAULT_CONFIG,
        [],
    )
    assert of_broker(configs, "log.retention.ms").value is None
    assert places(of_broker(configs, "log.retention.hours")) == [
        ("log.retention.hours", "24", 4),
        ("log.retention.hours", "168", 5),
    ]


def test_coarser_units_are_shown_after_the_finest_once_it_is_set() -> None:
    configs = repository()
    configs.set_broker_overrides(None, {"log.retention.ms": "5000"})
    expected = [("log.retention.ms", "5000", 3), ("log.retention.hours", "168", 5)]
    assert places(of_broker(configs, "log.retention.ms")) == expected
    assert places(of_topic(configs, "retention.ms")) == expected


def test_static_configs_are_read_only() -> None:
    configs = repository()
    assert of_broker(configs, "num.partitions").read_only
    assert not of_broker(configs, "log.retention.ms").read_only


def test_secrets_are_not_described() -> None:
    configs = repository(static={"ssl.key.password": "secret"})
    entry = of_broker(configs, "ssl.key.password")
    assert (entry.value, entry.is_sensitive) == (None, True)
    assert places(entry) == [("ssl.key.password", None, 4)]


def test_internal_configs_are_not_described() -> None:
    names = {entry.name for entry in repository().describe_broker(1)}
    assert "num.partitions" in names
    assert not {"mockbroker.memory.bytes", "log.initial.task.delay.ms"} & names


def test_a_broker_shows_configs_that_kafka_does_not_know_without_their_values() -> None:
    configs = repository()
    configs.set_broker_overrides(1, {"bogus": "x"})
    entry = of_broker(configs, "bogus")
    assert (entry.value, entry.source, entry.type) == (
        None,
        ConfigSource.DYNAMIC_BROKER_CONFIG,
        None,
    )
    assert "bogus" in {entry.name for entry in configs.describe_broker(1)}
    assert configs.describe_broker(2, ["bogus"]) == []


def test_the_default_of_the_cluster_is_what_clients_have_set_for_all_brokers() -> None:
    configs = repository()
    assert configs.describe_cluster_default() == []
    configs.set_broker_overrides(None, {"log.retention.ms": "5", "bogus": "x"})
    unknown, known = configs.describe_cluster_default()
    assert (unknown.name, unknown.value, unknown.is_sensitive) == ("bogus", None, True)
    assert places(known) == [("log.retention.ms", "5", 3)]
    assert configs.describe_cluster_default(["log.retention.ms"]) == [known]


def test_a_new_topic_shows_all_its_configs() -> None:
    entries = {
        entry.name: entry.value
        for entry in repository().describe_new_topic({"retention.ms": "5"}, 1)
    }
    assert len(entries) == 37
    assert (entries["retention.ms"], entries["segment.ms"]) == ("5", "604800000")


def test_equal_texts_mean_equal_settings() -> None:
    first, second = repository(), repository()
    first.set_topic_overrides("orders", {"retention.ms": "5"})
    assert first.as_text() != second.as_text()
    second.set_topic_overrides("orders", {"retention.ms": "5"})
    second.set_broker_overrides(2, {})
    assert first.as_text() == second.as_text()


def test_configs_of_a_name_persist_until_all_are_removed() -> None:
    configs = repository()
    before = configs.as_text()
    configs.set_named_overrides(32, "g", {"consumer.session.timeout.ms": "50000"})
    assert configs.as_text() != before
    configs.set_named_overrides(32, "g", {})
    assert configs.as_text() == before


def test_an_unlisted_rate_is_described_only_if_a_client_set_it() -> None:
    configs = repository()
    rate = "leader.replication.throttled.rate"
    assert configs.describe_broker(1, [rate]) == []
    configs.set_broker_overrides(1, {rate: "21000000"})
    entry = of_broker(configs, rate)
    assert (entry.value, entry.type, entry.read_only) == ("21000000", ConfigType.LONG, False)
    assert places(entry) == [(rate, "21000000", ConfigSource.DYNAMIC_BROKER_CONFIG)]
    assert configs.describe_broker(2, [rate]) == []


def test_topics_share_the_descriptions_of_what_they_inherit() -> None:
    configs = repository()
    configs.set_topic_overrides("own", {"retention.ms": "5"})
    plain = {entry.name: entry for entry in configs.describe_topic("plain", 1)}
    for entry in configs.describe_topic("own", 1):
        assert (entry is plain[entry.name]) is (entry.name != "retention.ms")


def test_descriptions_follow_every_change() -> None:
    configs = repository()
    name, of_all = "retention.ms", "log.retention.ms"
    assert (of_topic(configs, name).value, of_broker(configs, of_all).value) == ("604800000", None)
    configs.set_broker_static(1, {of_all: "1"})
    assert (of_topic(configs, name).value, of_broker(configs, of_all).value) == ("1", "1")
    assert configs.topic_config("orders", 1).log.retention_ms == 1
    configs.set_broker_overrides(None, {of_all: "2"})
    assert (of_topic(configs, name).value, of_broker(configs, of_all).value) == ("2", "2")
    configs.set_broker_overrides(1, {of_all: "3"})
    assert (of_topic(configs, name).value, of_broker(configs, of_all).value) == ("3", "3")
    configs.set_topic_overrides("orders", {name: "4"})
    assert (of_topic(configs, name).value, of_topic(configs, name, "other").value) == ("4", "3")
    configs.set_topic_overrides("orders", {})
    assert of_topic(configs, name).value == "3"

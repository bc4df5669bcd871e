"""Origins of the broker configs of a cluster."""

import pytest

from mockbroker.errors import SettingsError
from mockbroker.settings.config_origins import config_origins
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import Given


def test_the_first_source_that_sets_a_config_decides() -> None:
    given = Given(
        properties="num.partitions=1\nlog.retention.ms=1",
        configs=["num.partitions=2"],
        environment={"num.partitions": "3", "message.max.bytes": "3"},
        variables={"message.max.bytes": "KAFKA_MESSAGE_MAX_BYTES"},
    )
    options = ServeOptions(config_file="a.properties")
    found = {each.name: each[1:3] for each in config_origins(options, given)}
    assert found["log.retention.ms"] == ("1", "file a.properties")
    assert found["num.partitions"] == ("2", "command line")
    assert found["message.max.bytes"] == ("3", "KAFKA_MESSAGE_MAX_BYTES")
    assert found["default.replication.factor"] == ("1", "mockbroker")
    assert found["num.io.threads"] == ("8", "Kafka")


def test_a_cluster_that_would_not_start_has_no_origins() -> None:
    with pytest.raises(SettingsError):
        config_origins(ServeOptions(), Given(configs=["num.partitions=x"]))


def test_configs_of_a_listener_have_an_origin() -> None:
    given = Given(configs=["listener.name.inside.ssl.keystore.password=secret"])
    found = {each.name: each for each in config_origins(ServeOptions(), given)}
    own = found["listener.name.inside.ssl.keystore.password"]
    assert (own.value, own.origin, own.is_sensitive) == ("secret", "command line", True)

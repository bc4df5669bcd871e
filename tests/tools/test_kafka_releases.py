"""The table of real releases: packaging and broker properties."""

from pathlib import Path

import pytest

from tools.kafka_releases import (
    RELEASES,
    RealKafkaUnavailableError,
    broker_properties,
    fetch,
    release_of,
)

HERE = Path("/cluster")


def test_a_release_that_is_not_in_the_table_is_refused_by_name() -> None:
    with pytest.raises(RealKafkaUnavailableError, match=r"Kafka 9\.9\.9 is not in the table: 4\.4"):
        release_of("9.9.9")


def test_jars_in_the_cache_are_not_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REAL_KAFKA_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    libraries = tmp_path / "libs-4.4.0"
    libraries.mkdir()
    (libraries / "kafka_2.13-4.4.0.jar").touch()
    assert fetch("4.4.0") == libraries


def test_a_missing_maven_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REAL_KAFKA_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RealKafkaUnavailableError, match=r"Maven .* fetch Kafka 2\.4\.1"):
        fetch("2.4.1")


def test_three_kraft_brokers_vote_for_each_other() -> None:
    properties = broker_properties(HERE, 9000, 1, brokers=3, version="4.4.0")
    assert properties["node.id"] == "2"
    assert properties["listeners"] == "PLAINTEXT://127.0.0.1:9001,CONTROLLER://127.0.0.1:9011"
    voters = "1@127.0.0.1:9010,2@127.0.0.1:9011,3@127.0.0.1:9012"
    assert properties["controller.quorum.voters"] == voters
    assert properties["transaction.state.log.replication.factor"] == "3"


def test_an_old_broker_is_pointed_at_its_zookeeper() -> None:
    properties = broker_properties(HERE, 9000, 0, brokers=1, version="2.4.1")
    assert properties["zookeeper.connect"] == "127.0.0.1:9020"
    assert properties["broker.id"] == "1"
    assert properties["offsets.topic.replication.factor"] == "1"
    assert "process.roles" not in properties


def test_releases_with_zookeeper_are_those_before_3() -> None:
    old = {version for version, release in RELEASES.items() if release.uses_zookeeper}
    assert old == {version for version in RELEASES if int(version.split(".", maxsplit=1)[0]) < 3}

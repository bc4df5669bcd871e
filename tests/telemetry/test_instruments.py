"""Instruments: one set for each provider, whatever clusters come and go."""

from typing import Any

import pytest

from mockbroker import Cluster
from mockbroker.telemetry.instruments import instruments_of
from mockbroker.telemetry.measurements import INSTRUMENTS
from tests.support.telemetry import Collected

TOPICS = "kafka.server.replicamanager.partitioncount"


def values(points: list[Any]) -> set[int]:
    return {point.value for point in points}


def test_clusters_of_one_provider_are_told_apart_by_their_id() -> None:
    collected = Collected()
    with (
        Cluster(topics={"a": 1}, seed=1, telemetry=collected.telemetry),
        Cluster(topics={"a": 2}, seed=2, telemetry=collected.telemetry),
    ):
        points = collected.metrics()[TOPICS]
    assert values(points) == {1, 2}
    assert len({point.attributes["messaging.kafka.cluster.id"] for point in points}) == 2


def test_a_provider_gets_no_instrument_twice(caplog: pytest.LogCaptureFixture) -> None:
    collected = Collected()
    for partitions in (1, 2):
        with Cluster(topics={"a": partitions}, telemetry=collected.telemetry):
            assert values(collected.metrics()[TOPICS]) == {partitions}
    assert not caplog.records


def test_each_collection_measures_once(monkeypatch: pytest.MonkeyPatch) -> None:
    collected = Collected()
    meters = collected.telemetry.meter_provider
    assert meters is not None
    with Cluster(telemetry=collected.telemetry):
        collected.metrics()
        (cluster,) = instruments_of(meters).clusters
        measured: list[object] = []

        def measure(of: object) -> tuple[()]:
            measured.append(of)
            return ()

        monkeypatch.setattr(type(cluster), "measure", measure)
        collected.metrics()
        collected.metrics()
    assert measured == [cluster] * 3  # and once more at its end
    assert len(INSTRUMENTS) > 10

"""Measurements of a cluster."""

from collections.abc import Mapping

import pytest

from mockbroker import API, Cluster
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.telemetry.measurements import INSTRUMENTS, Instrument, measured
from mockbroker.wire import WireClient
from tests.support.seen_cluster import EAGER, hang, open_transaction


def values(cluster: Cluster) -> Mapping[str, Mapping[tuple[str, ...], float]]:
    measurements = measured(cluster._access.started)  # noqa: SLF001 - there is no public name
    assert [each.instrument for each in measurements] == list(INSTRUMENTS)
    return {each.instrument.name: dict(each.points) for each in measurements}


@pytest.mark.parametrize(
    ("instrument", "name"),
    [
        (Instrument("kafka.log.log.size", ""), "kafka_log_log_size"),
        (Instrument("mockbroker.clock_ahead", "", unit="s"), "mockbroker_clock_ahead_seconds"),
    ],
)
def test_names_of_prometheus_are_made_by_its_rules(instrument: Instrument, name: str) -> None:
    assert instrument.prometheus_name == name


def test_instruments_have_names_and_labels_of_their_own() -> None:
    assert len({each.name for each in INSTRUMENTS}) == len(INSTRUMENTS)
    assert all(len(set(each.labels)) == len(each.labels) for each in INSTRUMENTS)


def test_transactional_ids_are_counted_by_state_also_where_there_are_none() -> None:
    with Cluster(topics={"orders": 1, "payments": 1}, config=EAGER) as cluster:
        open_transaction(cluster, "open")
        hang(cluster)
        found = values(cluster)
    assert found["mockbroker.transactional_ids"] == {
        ("Empty",): 0,
        ("Ongoing",): 1,
        ("PrepareCommit",): 0,
        ("PrepareAbort",): 0,
        ("CompleteCommit",): 0,
        ("CompleteAbort",): 1,
    }
    assert found["mockbroker.hanging_transactions"] == {(): 1}
    assert found["mockbroker.last_stable_offset_lag"]["orders", "0"] == 1


def test_lag_is_measured_by_group_and_partition() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.append("orders", b"value")
        with WireClient(cluster.bootstrap_servers) as client:
            client.ask(FindCoordinatorRequest(key="readers"), 0, FindCoordinatorResponse)
            partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=0)
            topic = OffsetCommitRequestTopic(name="orders", partitions=[partition])
            request = OffsetCommitRequest(group_id="readers", topics=[topic])
            client.ask(request, 8, OffsetCommitResponse)
        assert values(cluster)["kafka.consumer_group.lag"] == {("readers", "orders", "0"): 1}


def test_faults_are_measured_while_they_exist() -> None:
    with Cluster() as cluster:
        assert values(cluster)["mockbroker.rules_hits"] == {}
        fault = cluster.fault(API.API_VERSIONS, name="held").hold().once()
        with WireClient(cluster.bootstrap_servers) as client:
            client.send(ApiVersionsRequest(), 0)
            fault.wait_held()
            found = values(cluster)
            assert found["mockbroker.rules_held"] == {("held",): 1}
            assert found["mockbroker.rules_hits"] == {("held",): 1}
            fault.release()
            assert values(cluster)["mockbroker.rules_released"] == {("held",): 1}
        fault.remove()
        assert values(cluster)["mockbroker.rules_hits"] == {}


def test_connections_are_measured_by_broker_and_listener() -> None:
    with Cluster(brokers=2) as cluster:
        first = cluster.bootstrap_servers.split(",")[0]
        with WireClient(first) as client:
            client.versions(API.PRODUCE)
            found = values(cluster)
    name = "kafka.server.socket_server_metrics.connection_count"
    assert found[name] == {("1", "PLAINTEXT"): 1}


def test_the_clock_is_measured_with_its_distance_from_real_time() -> None:
    with Cluster(clock="manual") as cluster:
        before = values(cluster)["mockbroker.virtual_time"][()]
        cluster.clock.advance("1h")
        found = values(cluster)
    assert found["mockbroker.virtual_time"][()] == before + 3600
    assert 3500 < found["mockbroker.clock_ahead"][()] <= 3600


def test_counts_of_requests_outlive_a_reset() -> None:
    with Cluster() as cluster:
        values(cluster)  # counting begins
        for _ in range(2):
            with WireClient(cluster.bootstrap_servers) as client:
                client.versions(API.PRODUCE)
            cluster.reset()
        requests = values(cluster)["kafka.network.requestmetrics.requests"]
    assert sum(requests.values()) == 2

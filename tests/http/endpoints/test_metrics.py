"""Metrics in Prometheus' format."""

import re

from mockbroker import API, Cluster
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.wire import WireClient, WireProducer, record_batch
from tests.support.http import Http

BYTES_IN = "kafka_server_brokertopicmetrics_bytesin_total"
BYTES_OUT = "kafka_server_brokertopicmetrics_bytesout_total"
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")


def scraped(http: Http) -> dict[tuple[str, str], float]:
    answer = http.ask("GET", "//metrics")
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = [line for line in answer.body.decode().splitlines() if not line.startswith("#")]
    matches = [SAMPLE.match(line) for line in lines]
    return {(m[1], m[2] or ""): float(m[3]) for m in matches if m is not None}


def test_metrics_have_request_counts_and_log_offsets() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        assert ("kafka_log_log_logendoffset", 'partition="0",topic="orders"') not in scraped(http)
        cluster.fault(API.INIT_PRODUCER_ID, name="slow").delay("1ms")
        with WireProducer(cluster.bootstrap_servers, "mine") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            for number in range(3):
                producer.produce("orders", b"value", base_sequence=number)
        found = scraped(http)
    of_orders = 'partition="0",topic="orders"'
    assert found["kafka_log_log_logendoffset", of_orders] == 3
    assert found["mockbroker_last_stable_offset_lag", of_orders] == 3
    assert found["kafka_server_brokertopicmetrics_messagesin_total", 'topic="orders"'] == 3
    assert found["mockbroker_rules_hits_total", 'rule="slow"'] == 1
    assert found["kafka_server_replicamanager_produceridcount", ""] == 1
    assert found["mockbroker_hanging_transactions", ""] == 0
    produced = [
        count
        for (name, labels), count in found.items()
        if name == "kafka_network_requestmetrics_requests_total" and '"Produce"' in labels
    ]
    assert produced == [3]


def test_errors_are_counted_separately() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        scraped(http)
        cluster.fault(API.INIT_PRODUCER_ID).answer("NOT_COORDINATOR")
        with WireProducer(cluster.bootstrap_servers, "mine") as producer:
            producer.init_producer_id()
        labels = [labels for name, labels in scraped(http) if name.endswith("requests_total")]
    assert any('error="NOT_COORDINATOR",request="InitProducerId"' in each for each in labels)


def test_two_clusters_have_registries_of_their_own() -> None:
    with Cluster(topics={"a": 1}, admin_port=0) as one, Cluster(admin_port=0) as other:
        name = ("kafka_server_replicamanager_partitioncount", "")
        assert (scraped(Http(one))[name], scraped(Http(other))[name]) == (1, 0)


def test_received_and_sent_bytes_are_counted_by_topic() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        with WireClient(cluster.bootstrap_servers) as client:
            produce_to(client, "orders")  # before the first scrape
            scraped(http)
            for _ in range(3):
                produce_to(client, "orders")
            cluster.fault(API.PRODUCE).observe().every_time()  # the general path counts the same
            produce_to(client, "orders")
            found = scraped(http)
            size_bytes = found["kafka_log_log_size", 'partition="0",topic="orders"']
            assert found[BYTES_IN, 'topic="orders"'] == size_bytes / 5 * 4
            topic = fetch_topic("orders", cluster)
            for version in (12, 13):
                request = FetchRequest(max_wait_ms=0, min_bytes=1, topics=[topic])
                client.ask(request, version, FetchResponse)
            assert scraped(http)[BYTES_OUT, 'topic="orders"'] == 2 * size_bytes


def produce_to(client: WireClient, topic: str) -> None:
    data = PartitionProduceData(index=0, records=record_batch(b"value", timestamp_ms=0))
    asked = TopicProduceData(name=topic, partition_data=[data])
    request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[asked])
    client.ask(request, 9, ProduceResponse)


def fetch_topic(name: str, cluster: Cluster) -> FetchTopic:
    topic_id = cluster.look(lambda state, _now_ms: state.topics.by_name[name].topic_id)
    partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
    return FetchTopic(topic=name, topic_id=topic_id, partitions=[partition])

"""Ids of the records in a running cluster."""

from mockbroker import Cluster
from mockbroker.audit.identity.visible_ids import visible_ids
from mockbroker.journal.record_identity import RecordIdentity
from mockbroker.wire import WireProducer


def test_committed_records_with_an_id_are_found() -> None:
    with (
        Cluster(topics={"orders": 1, "billed": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b'{"id": 1}', base_sequence=0)
        producer.abort()
        producer.add_partition("orders")
        producer.produce("orders", b'{"id": 2}', base_sequence=1)
        producer.produce("orders", b"{}", base_sequence=2)
        producer.commit()
        identity = RecordIdentity("json", "id")
        found = cluster.look(lambda state, now_ms: list(visible_ids(state, identity, now_ms)))
    assert found == [("orders", 0, 2, "2")]

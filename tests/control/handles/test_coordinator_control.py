"""Coordinators: expiry of transactional ids, and slow markers."""

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer


def test_a_transactional_id_expires_without_time() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        with pytest.raises(LookupError, match="has no coordinator"):
            cluster.expire_transactional_id("orders-svc")
        producer.init_producer_id()
        producer.add_partition("orders")
        with pytest.raises(ValueError, match="is Ongoing: it does not expire"):
            cluster.expire_transactional_id("orders-svc")
        producer.abort()
        with pytest.raises(LookupError, match="no coordinator knows 'other'"):
            cluster.expire_transactional_id("other")
        with pytest.raises(ValueError, match="is an internal topic"):
            cluster.recreate_topic("__transaction_state")
        cluster.expire_transactional_id("orders-svc")
        assert producer.add_partition("orders") is ErrorCode.INVALID_PRODUCER_ID_MAPPING


def test_delayed_markers_let_the_next_request_meet_the_end_of_the_last_transaction() -> None:
    with (
        Cluster(topics={"orders": 1}, clock="manual", journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        cluster.delay_markers("20ms")
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
        assert producer.commit() is ErrorCode.NONE
        assert producer.add_partition("orders") is ErrorCode.CONCURRENT_TRANSACTIONS
        assert cluster.records("orders", isolation="read_committed") == []
        cluster.clock.advance("20ms")
        assert len(cluster.records("orders", isolation="read_committed")) == 1
        assert producer.add_partition("orders") is ErrorCode.NONE
        cluster.delay_markers("0ms")
        assert producer.abort() is ErrorCode.NONE
        assert producer.add_partition("orders") is ErrorCode.NONE


def test_only_some_transactions_are_delayed() -> None:
    with (
        Cluster(topics={"orders": 1}, clock="manual", seed=3) as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        cluster.delay_markers("20ms", probability=0.5)
        met = 0
        for _ in range(100):
            if producer.add_partition("orders") is ErrorCode.CONCURRENT_TRANSACTIONS:
                met += 1
                cluster.clock.advance("20ms")
                producer.add_partition("orders")
            producer.commit()
        assert 35 < met < 65


def test_a_delay_has_a_duration_and_a_probability() -> None:
    with Cluster() as cluster:
        for probability in (0, 1.5):
            with pytest.raises(ValueError, match="up to 1"):
                cluster.delay_markers("20ms", probability=probability)
        with pytest.raises(ValueError, match="is not a duration"):
            cluster.delay_markers("soon")


def test_a_delay_without_a_unit_is_deprecated() -> None:
    with Cluster() as cluster:
        with pytest.warns(DeprecationWarning, match=r"write delay_markers\('20ms'\)") as told:
            cluster.delay_markers(20)
        assert told[0].filename == __file__

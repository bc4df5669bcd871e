"""A jump of the clock returns its due events in order, with their times and details."""

import pytest

from mockbroker import Cluster
from mockbroker.control.cluster_clock import jump
from mockbroker.control.due_events import DueEvent
from mockbroker.protocol.errors import ErrorCode
from mockbroker.server.event_loop import at_once
from mockbroker.wire import WireClient, WireProducer
from tests.support.group_members import group_of_one
from tests.support.in_process import Brokers

DAY_MS = 86_400_000


def test_a_transaction_times_out_and_later_its_id_and_its_producer_expire() -> None:
    with (
        Cluster(topics={"orders": 1}, clock="manual") as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id(timeout_ms=60_000)
        producer.add_partition("orders")
        assert producer.produce("orders", b"order", base_sequence=0).error is ErrorCode.NONE
        began_ms = cluster.clock.now_ms
        passed = cluster.clock.advance("9d")
        kinds = [each.kind for each in passed.due_events]
        assert kinds == [
            "transaction_timed_out", "producer_id_expired", "records_deleted",
            "transactional_id_expired",
        ]  # fmt: skip
        about = {"producer_id": producer.producer_id}
        assert passed.facts("transaction_timed_out") == [
            {"transactional_id": "orders-svc", "producer_epoch": 0, **about}
        ]
        assert passed.facts("producer_id_expired") == [{"topic": "orders", "partition": 0, **about}]
        assert passed.facts("records_deleted") == [
            {"topic": "orders", "partition": 0, "before": 0, "after": 2}
        ]
        assert passed.facts("transactional_id_expired") == [{"transactional_id": "orders-svc"}]
        times_ms = [each.at_ms - began_ms for each in passed.due_events]
        assert times_ms == sorted(times_ms)
        assert 60_000 <= times_ms[0] < 75_000
        assert DAY_MS < times_ms[1] < DAY_MS + 1_000_000
        assert times_ms[-1] > 7 * DAY_MS
        later = cluster.clock.advance("9d")
        assert later.due_events == ()
        with pytest.warns(DeprecationWarning, match="due_events"):
            assert later.fell_due == ()


@pytest.mark.parametrize("keep_sessions", [True, False])
def test_an_advance_expels_members_unless_sessions_are_kept(keep_sessions: bool) -> None:
    with Cluster(clock="manual") as cluster, WireClient(cluster.bootstrap_servers) as client:
        member_id = group_of_one(client)
        began_ms = cluster.clock.now_ms
        passed = cluster.clock.advance("1m", keep_sessions=keep_sessions)
        expelled = DueEvent(
            began_ms + 10_000, "member_expelled", {"group": "readers", "member_id": member_id}
        )
        assert passed.due_events == (() if keep_sessions else (expelled,))


def test_an_advance_leaves_no_subscriber_behind() -> None:
    brokers = Brokers()
    at_once(jump(brokers.service, brokers.clock, 9 * DAY_MS, keep_sessions=True))
    assert brokers.service.event_bus is None


def test_a_long_jump_is_printed_in_a_line() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        text = repr(cluster.clock.advance("30d"))
    assert text.startswith("<Passed: now 20")
    assert text.endswith(" timers ran, due: nothing>")

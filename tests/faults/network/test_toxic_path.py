"""A connection with toxics in both directions."""

import pytest

from mockbroker.faults.network.bandwidth import Bandwidth
from mockbroker.faults.network.latency import Latency
from mockbroker.faults.network.limit_data import LimitData
from mockbroker.faults.network.reset_peer import ResetPeer
from mockbroker.faults.network.slicer import Slicer
from mockbroker.faults.network.slow_close import SlowClose
from mockbroker.faults.network.timeout import Timeout
from mockbroker.faults.network.toxic import Stream
from mockbroker.faults.network.toxic_path import PAUSE_ABOVE_BYTES, RECEIVE_BYTES
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.faults import (
    VERSION,
    Plan,
    codes,
    produce_to,
)
from tests.support.in_process import Peer, frame_of, sized
from tests.support.requests import batch_of, metadata, produce


@pytest.fixture
def plan() -> Plan:
    return Plan()


def answers(plan: Plan, peer: Peer, *, after_s: float) -> int:
    """Count the answers that have come by then."""
    plan.brokers.loop.advance(after_s)
    return len(peer.new_frames())


@pytest.mark.parametrize("stream", ["upstream", "downstream"])
def test_latency_delays_an_answer(plan: Plan, stream: Stream) -> None:
    fault = plan.toxic(Latency(latency=100, stream=stream))
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert answers(plan, peer, after_s=0.09) == 0
    assert plan.ends() == [1 if stream == "downstream" else 0, 0]
    assert answers(plan, peer, after_s=0.02) == 1
    assert plan.ends() == [1, 0]
    assert fault.hits == 1


def test_answers_keep_their_order_and_their_bytes(plan: Plan) -> None:
    plan.toxic(Latency(latency=50, jitter=50))
    plan.toxic(Slicer(average_size=7, size_variation=6, stream="upstream"))
    peer = plan.brokers.connect()
    for _ in range(20):
        peer.send(produce_to(0), VERSION)
        plan.brokers.loop.advance(0.01)
    assert answers(plan, peer, after_s=1) == 20
    assert plan.ends() == [20, 0]


def test_a_large_frame_arrives_whole(plan: Plan) -> None:
    fault = plan.toxic(Bandwidth(rate_kb_s=1_000, stream="upstream"))
    peer = plan.brokers.connect()
    records = batch_of(b"x" * 300_000)
    frame = sized(frame_of(produce(records=records), VERSION))
    peer.feed(frame)
    plan.brokers.loop.advance(0.29)
    assert plan.ends() == [0, 0]
    plan.brokers.loop.advance(0.02)
    assert plan.ends() == [1, 0]
    assert fault.touched_bytes == len(frame)


def test_a_client_waits_while_much_is_on_its_way() -> None:
    plan = Plan(configs={"message.max.bytes": "4000000"})
    plan.toxic(Latency(latency=100, stream="upstream"))
    peer = plan.brokers.connect()
    frame = sized(frame_of(produce(records=batch_of(b"x" * 3_000_000)), VERSION))
    taken = peer.feed(frame)
    assert PAUSE_ABOVE_BYTES < taken <= PAUSE_ABOVE_BYTES + RECEIVE_BYTES
    while taken < len(frame):
        plan.brokers.loop.advance(0.11)
        taken += peer.feed(frame[taken:])
    plan.brokers.loop.advance(0.11)
    assert plan.ends() == [1, 0]


def test_a_timeout_hides_the_answer_and_closes(plan: Plan) -> None:
    fault = plan.toxic(Timeout(timeout=500))
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert plan.ends() == [1, 0]
    assert answers(plan, peer, after_s=0.49) == 0
    assert not peer.is_hung_up
    plan.brokers.loop.advance(0.02)
    assert (peer.is_hung_up, fault.hits) == (True, 1)


def test_a_timeout_closes_a_silent_connection_too(plan: Plan) -> None:
    fault = plan.toxic(Timeout(timeout=500))
    peer = plan.brokers.connect()
    plan.brokers.loop.advance(0.51)
    assert (peer.is_hung_up, fault.hits, fault.touched_bytes) == (True, 1, 0)


def test_a_timeout_without_an_end_drops_until_it_is_removed(plan: Plan) -> None:
    fault = plan.toxic(Timeout(timeout=0, stream="upstream"))
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert answers(plan, peer, after_s=1_000) == 0
    plan.plan.remove(fault)
    assert codes(peer.ask(produce_to(0), VERSION, ProduceResponse)) == {("orders", 0): 0}
    assert plan.ends() == [1, 0]


@pytest.mark.parametrize(("stream", "end"), [("upstream", 0), ("downstream", 1)])
def test_a_reset_loses_the_request_or_the_answer(plan: Plan, stream: Stream, end: int) -> None:
    plan.toxic(ResetPeer(after=100, stream=stream))
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert answers(plan, peer, after_s=0.09) == 0
    assert not peer.transport.is_lost
    plan.brokers.loop.advance(0.02)
    assert (peer.transport.is_lost, plan.ends()) == (True, [end, 0])


def test_a_limit_cuts_an_answer_off(plan: Plan) -> None:
    plan.toxic(LimitData(limit_bytes=10))
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    plan.brokers.loop.run()
    assert (len(peer.transport.written), peer.is_hung_up, plan.ends()) == (10, True, [1, 0])


def test_a_slow_close_is_late_and_serves_nothing_meanwhile(plan: Plan) -> None:
    fault = plan.toxic(SlowClose(delay=1_000))
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    peer.feed((-5).to_bytes(4, "big", signed=True))
    peer.send(produce_to(0), VERSION)
    assert answers(plan, peer, after_s=0.99) == 1
    assert (peer.is_hung_up, plan.ends(), fault.hits) == (False, [1, 0], 1)
    plan.brokers.loop.advance(0.02)
    assert peer.is_hung_up


def test_a_client_that_leaves_is_disconnected_after_its_bytes_arrived(plan: Plan) -> None:
    plan.toxic(Latency(latency=100, stream="upstream"))
    peer = plan.brokers.connect()
    peer.send(produce_to(0), VERSION)
    assert peer.transport.protocol.eof_received()
    plan.brokers.loop.advance(0.09)
    assert (peer.is_hung_up, plan.ends()) == (False, [0, 0])
    plan.brokers.loop.advance(0.02)
    assert (peer.is_hung_up, plan.ends()) == (True, [1, 0])


def test_bytes_on_their_way_arrive_at_once_when_the_toxic_is_removed(plan: Plan) -> None:
    fault = plan.toxic(Latency(latency=60_000))
    peer = plan.brokers.connect()
    peer.send(metadata(), 12)
    assert answers(plan, peer, after_s=1) == 0
    plan.plan.remove(fault)
    assert len(peer.new_frames()) == 1
    assert peer.transport.protocol is peer.connection
    assert peer.ask(metadata(), 12, MetadataResponse).brokers


def test_a_lost_connection_leaves_nothing_behind(plan: Plan) -> None:
    fault = plan.toxic(Latency(latency=60_000))
    peer = plan.brokers.connect()
    peer.send(metadata(), 12)
    peer.leave()
    assert not plan.brokers.listeners[1].connections
    plan.plan.remove(fault)
    assert plan.brokers.loop.is_idle
    assert plan.brokers.service.toxics is None


def test_the_fast_path_is_used_with_toxics() -> None:
    plan = Plan()
    plan.toxic(Latency(latency=1))
    peer = plan.brokers.connect()
    for _ in range(4):
        peer.send(produce_to(0), VERSION)
        assert answers(plan, peer, after_s=0.01) == 1
    assert plan.brokers.fast_answers == 3

"""Faults as a test makes them, at a cluster that runs."""

import re
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from inspect import signature

import pytest

from mockbroker import API, ERR, Cluster, Fault, MockbrokerWarning, Release, at
from mockbroker.faults.effects.hold import Hold
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireClient, WireProducer
from tests.support.faults import VERSION, codes, produce_to
from tests.support.requests import metadata

PATIENCE = "10s"
TRIGGERS: list[tuple[Callable[[Fault], Fault], list[int]]] = [
    (Fault.once, [1]),
    (lambda fault: fault.times(2), [1, 2]),
    (lambda fault: fault.on_call(3), [3]),
    (Fault.every_time, [1, 2, 3, 4]),
    (lambda fault: fault.with_probability(1.0), [1, 2, 3, 4]),
]
HOLDS: list[Callable[[Fault], Fault]] = [
    lambda fault: fault.hold("20ms"),
    lambda fault: fault.hold_response("20ms"),
]


@pytest.fixture(scope="module")
def shared() -> Generator[Cluster]:
    with Cluster(topics={"orders": 2}) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared: Cluster) -> Generator[Cluster]:
    yield shared
    for fault in shared.faults:
        fault.remove()


def produced(cluster: Cluster, *indexes: int) -> dict[tuple[str, int], int]:
    with WireClient(cluster.bootstrap_servers) as client:
        return codes(client.ask(produce_to(*indexes), VERSION, ProduceResponse))


def end(cluster: Cluster, index: int = 0) -> int:
    return cluster.partition("orders", index).log_end_offset


def test_a_fault_fires_once_unless_it_has_another_trigger(cluster: Cluster) -> None:
    fault = cluster.fault(API.PRODUCE, topic="orders", partition=0).answer(ERR.NOT_COORDINATOR)
    answers = [produced(cluster, 0)["orders", 0] for _ in range(2)]
    assert answers == [ErrorCode.NOT_COORDINATOR, ErrorCode.NONE]
    assert (fault.calls, fault.hits) == (1, 1)


@pytest.mark.parametrize(("trigger", "struck"), TRIGGERS)
def test_triggers_select_the_calls_at_which_a_fault_fires(
    cluster: Cluster, trigger: Callable[[Fault], Fault], struck: list[int]
) -> None:
    fault = trigger(cluster.fault(API.PRODUCE).answer("KAFKA_STORAGE_ERROR"))
    answers = [produced(cluster, 0)["orders", 0] for _ in range(4)]
    assert [n for n, code in enumerate(answers, 1) if code] == struck
    assert fault.hits == len(struck)


def test_the_verb_determines_whether_the_request_is_applied(cluster: Cluster) -> None:
    before = end(cluster)
    cluster.fault(API.PRODUCE).answer(56)
    cluster.fault(API.PRODUCE).apply_then_answer(ERR.KAFKA_STORAGE_ERROR).on_call(2)
    assert produced(cluster, 0)["orders", 0] == ErrorCode.KAFKA_STORAGE_ERROR
    assert end(cluster) == before
    assert produced(cluster, 0)["orders", 0] == ErrorCode.KAFKA_STORAGE_ERROR
    assert end(cluster) == before + 1


@pytest.mark.parametrize(("verb", "applied"), [("lose_response", 1), ("drop_request", 0)])
def test_an_answer_that_never_comes_is_a_closed_connection(
    cluster: Cluster, verb: str, applied: int
) -> None:
    before = end(cluster)
    fault = getattr(cluster.fault(API.PRODUCE), verb)()
    with pytest.raises(ConnectionError):
        produced(cluster, 0)
    fault.wait(timeout=PATIENCE)
    assert end(cluster) == before + applied


def test_a_held_request_is_applied_when_it_is_released(cluster: Cluster) -> None:
    before = end(cluster)
    fault = cluster.fault(API.PRODUCE, partition=0).hold()
    with WireClient(cluster.bootstrap_servers) as client:
        client.send(produce_to(0), VERSION)
        fault.wait_held(timeout=PATIENCE)
        assert (fault.held, fault.released, fault.last_error) == (1, 0, None)
    assert end(cluster) == before
    assert fault.release() == 1
    fault.wait_released(timeout=PATIENCE)
    assert (end(cluster), fault.last_error) == (before + 1, ErrorCode.NONE)


def test_a_hold_ends_with_another_fault(cluster: Cluster) -> None:
    first = cluster.fault(API.METADATA).observe()
    held = cluster.fault(API.PRODUCE, partition=0).hold(until=at.fault(first))
    with WireClient(cluster.bootstrap_servers) as client:
        client.send(produce_to(0), VERSION)
        held.wait_held(timeout=PATIENCE)
        assert produced(cluster, 1)["orders", 1] == ErrorCode.NONE
        assert not held.released
        with WireClient(cluster.bootstrap_servers) as other:
            other.ask(metadata(), 12, MetadataResponse)
        held.wait_released(timeout=PATIENCE)


@pytest.mark.parametrize("begun", HOLDS)
def test_a_duration_ends_a_hold(cluster: Cluster, begun: Callable[[Fault], Fault]) -> None:
    fault = begun(cluster.fault(API.PRODUCE))
    assert produced(cluster, 0)["orders", 0] == ErrorCode.NONE
    assert fault.released == 1


def test_other_effects_reach_the_client(cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE).throttle("3s")
    with WireClient(cluster.bootstrap_servers) as client:
        answer = client.ask(produce_to(0), VERSION, ProduceResponse)
        assert answer.throttle_time_ms == 3000
    cluster.fault(API.PRODUCE).corrupt()
    assert produced(cluster, 0)["orders", 0] == ErrorCode.CORRUPT_MESSAGE
    before = end(cluster)
    cluster.fault(API.PRODUCE).duplicate()
    cluster.fault(API.PRODUCE).delay("5ms")
    assert produced(cluster, 0)["orders", 0] == ErrorCode.NONE
    assert end(cluster) == before + 2


def test_a_wait_without_a_hit_times_out_and_names_the_closest_call(cluster: Cluster) -> None:
    fault = cluster.fault(API.PRODUCE, topic="payments", name="lost-ack").lose_response()
    produced(cluster, 0)
    with pytest.raises(TimeoutError) as failure:
        fault.wait(timeout="10ms")
    assert str(failure.value) == (
        "no 1 hits within 10ms: lost-ack: fault(api=Produce, topic='payments').lose_response()"
        ".once() matched 0 calls, fired 0 times; closest call: Produce v9 (topic was 'orders', "
        "the fault wants 'payments')"
    )


def test_a_fault_that_never_fired_is_reported(cluster: Cluster) -> None:
    fired = cluster.fault(API.PRODUCE, name="fired").observe()
    produced(cluster, 0)
    cluster.assert_all_faults_fired()
    cluster.fault(API.END_TXN, name="in-vain").drop_request()
    with pytest.raises(
        AssertionError, match=r"never fired:\nin-vain: .* 0 times; there was no other call"
    ):
        cluster.assert_all_faults_fired()
    assert fired.hits == 1


def test_a_fault_is_removed_with_its_block(cluster: Cluster) -> None:
    with cluster.fault(API.PRODUCE).answer(ERR.KAFKA_STORAGE_ERROR).every_time() as fault:
        assert produced(cluster, 0)["orders", 0] == ErrorCode.KAFKA_STORAGE_ERROR
        assert repr(fault).startswith("<Fault fault-")
    assert produced(cluster, 0)["orders", 0] == ErrorCode.NONE
    assert cluster.faults == []


def test_apis_and_errors_may_be_given_by_name(cluster: Cluster) -> None:
    cluster.fault("PRODUCE", partition=0).answer("NOT_COORDINATOR")
    cluster.fault(["TxnOffsetCommit", API.PRODUCE], partition=1).answer("not_coordinator")  # type: ignore[arg-type]
    assert produced(cluster, 0, 1) == {("orders", 0): 16, ("orders", 1): 16}
    with pytest.raises(ValueError, match="no API 'Prodce'; did you mean 'Produce'"):
        cluster.fault("Prodce")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"'NOT_LEADER' is not .*; did you mean 'NOT_LEADER_OR"):
        cluster.fault("Produce").answer("NOT_LEADER")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("number", "with_unit"),
    [
        (lambda fault: fault.delay(5), "write delay('5ms')"),
        (lambda fault: fault.throttle(by=5), "write throttle('5ms')"),
        (lambda fault: fault.hold(until=5), "write hold('5ms')"),
        (lambda fault: fault.latency("5ms", jitter=2), "write latency(jitter='2ms')"),
    ],
)
def test_a_duration_without_a_unit_is_deprecated(
    cluster: Cluster, number: Callable[[Fault], Fault], with_unit: str
) -> None:
    with pytest.warns(DeprecationWarning, match=re.escape(with_unit)) as told:
        fault = number(cluster.fault())
    assert told[0].filename == __file__
    assert "5ms" in str(fault)


def test_a_duration_may_be_a_timedelta_and_no_fraction_of_milliseconds(cluster: Cluster) -> None:
    fault = cluster.fault("Produce").delay(timedelta(seconds=0.25))
    assert "delay('250ms')" in repr(fault)
    with pytest.raises(ValueError, match=r'delay\(0.25\): .* write "250ms" or timedelta'):
        cluster.fault("Produce").delay(0.25)


def test_a_wait_ends_when_the_cluster_is_reset_or_has_stopped() -> None:
    with Cluster() as cluster:
        fault = cluster.fault(API.PRODUCE).observe()
        resets = threading.Timer(0.02, cluster.reset)
        resets.start()
        with pytest.raises(RuntimeError, match="the cluster was reset before this was complete"):
            fault.wait()
        resets.join()
        later = cluster.fault(API.PRODUCE).observe()
    with pytest.raises(RuntimeError, match="the cluster is not running"):
        later.wait_held()


def test_a_wait_in_bare_seconds_is_deprecated(cluster: Cluster) -> None:
    fault = cluster.fault("Produce").observe()
    produced(cluster, 0)
    fault.wait(timeout=timedelta(seconds=10))
    with pytest.warns(DeprecationWarning, match=r"write wait\(timeout='500ms'\)") as told:
        fault.wait(timeout=0.5)
    assert told[0].filename == __file__


def test_an_invalid_fault_is_refused_when_it_is_made(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="unknown selector 'topc'; did you mean 'topic'"):
        cluster.fault(API.PRODUCE, topc="orders")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="has no error code at its top"):
        cluster.fault(API.PRODUCE).answer(ERR.KAFKA_STORAGE_ERROR, top_level=True)
    with pytest.raises(ValueError, match=r"Heartbeat carries no records|not served"):
        cluster.fault(API.HEARTBEAT).corrupt()
    with pytest.raises(ValueError, match="DescribeTransactionState is not served"):
        cluster.fault(API.DESCRIBE_TRANSACTION_STATE).drop_request()
    with pytest.raises(ValueError, match="how='slowly': allowed are disconnect and silence"):
        cluster.fault(API.PRODUCE).lose_response(how="slowly")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'7x' is not a duration"):
        cluster.fault(API.PRODUCE).delay("7x")


@pytest.mark.parametrize(
    ("kafka", "why"),
    [("2.8", "brokers of this release do not call AddPartitionsToTxn"), ("3.9", None)],
)
def test_a_call_that_brokers_of_a_release_do_not_make_is_refused(
    kafka: Release, why: str | None
) -> None:
    with Cluster(kafka=kafka) as cluster:
        if why is None:
            fault = cluster.fault(API.ADD_PARTITIONS_TO_TXN, between_brokers=True)
            fault.answer("NOT_COORDINATOR", top_level=True)  # which older versions do not have
        else:
            with pytest.raises(ValueError, match=why):
                cluster.fault(API.ADD_PARTITIONS_TO_TXN, between_brokers=True)
        with pytest.raises(ValueError, match="DescribeTransactionState is not served"):
            cluster.fault(API.DESCRIBE_TRANSACTION_STATE, between_brokers=True).observe()


@pytest.mark.asyncio
async def test_waiting_on_the_clusters_own_loop_is_refused() -> None:
    async with Cluster() as cluster:
        fault = cluster.fault(API.METADATA).observe()
        with pytest.raises(RuntimeError, match="would block its own event loop"):
            fault.wait()


def test_a_held_call_is_forgotten_when_the_cluster_stops() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        fault = cluster.fault(API.PRODUCE).hold()
        with WireClient(cluster.bootstrap_servers) as client:
            client.send(produce_to(0), VERSION)
            fault.wait_held(timeout=PATIENCE)
    with pytest.raises(RuntimeError, match="not running"):
        fault.release()


def test_an_error_that_kafka_never_sends_is_accepted_with_one_warning(
    cluster: Cluster,
) -> None:
    fault = cluster.fault(API.PRODUCE, topic="orders")
    with pytest.warns(MockbrokerWarning, match="no Kafka broker answers Produce with") as told:
        fault.answer(ERR.MEMBER_ID_REQUIRED)
    fault.times(2)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert fault.state.warning is not None
    assert produced(cluster, 0)["orders", 0] == ErrorCode.MEMBER_ID_REQUIRED
    usual = cluster.fault(API.PRODUCE).answer(ERR.NOT_ENOUGH_REPLICAS)
    assert usual.state.warning is None


def test_a_fault_without_an_api_has_no_warning(cluster: Cluster) -> None:
    assert cluster.fault(topic="payments").answer("MEMBER_ID_REQUIRED").state.warning is None


def test_random_choices_are_reported_with_their_seed() -> None:
    drawn: list[list[int]] = []
    for seed in (5, 5, 6):
        with Cluster(topics={"orders": 2}, seed=seed) as cluster:
            fault = cluster.fault(API.PRODUCE).answer("KAFKA_STORAGE_ERROR").with_probability(0.5)
            drawn.append([produced(cluster, 0)["orders", 0] for _ in range(12)])
            assert f"times (random choices with seed {seed})" in fault.story()
    assert drawn[0] == drawn[1] != drawn[2]


def test_two_requests_are_swapped_by_a_hold_that_waits_for_the_other(cluster: Cluster) -> None:
    end = cluster.partition("orders", 1).log_end_offset
    with (
        WireProducer(cluster.bootstrap_servers) as early,
        WireProducer(cluster.bootstrap_servers) as late,
    ):
        for producer in (early, late):
            producer.init_producer_id()
        second = cluster.fault(API.PRODUCE, producer_id=late.producer_id).observe()
        first = cluster.fault(API.PRODUCE, producer_id=early.producer_id).hold(at.fault(second))
        with ThreadPoolExecutor(1) as elsewhere:
            held = elsewhere.submit(early.produce, "orders", b"early", base_sequence=0, index=1)
            first.wait_held()
            answered = late.produce("orders", b"late", base_sequence=0, index=1)
            assert (answered.base_offset, held.result().base_offset) == (end, end + 1)


def test_a_mistyped_verb_suggests_a_similar_one(cluster: Cluster) -> None:
    with pytest.raises(AttributeError, match="no 'lose_respons'; did you mean 'lose_response'"):
        getattr(cluster.fault(API.PRODUCE), "lose_respons")  # noqa: B009 - no such attribute
    with pytest.raises(AttributeError, match=r"no 'fail_with'; there are .*answer.*lose_response"):
        getattr(cluster.fault(API.PRODUCE), "fail_with")  # noqa: B009 - no such attribute
    with pytest.warns(DeprecationWarning, match=r"to answer with an error, write `answer\(...\)`"):
        assert cluster.fault(API.PRODUCE).error is None


def test_a_verb_has_the_fields_and_the_description_of_its_class() -> None:
    assert list(signature(Fault.hold).parameters) == ["self", "until", "block_connection"]
    assert Fault.hold.__doc__ == Hold.__doc__

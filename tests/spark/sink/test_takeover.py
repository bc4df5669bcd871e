"""Start of a batch on the driver."""

from collections.abc import Iterator

import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.control_records import BatchIdentity
from tests.support.sinks import QUERY, TASKS, TOPIC, SinkWithoutSpark, seen
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={TOPIC: 2}) as cluster:
        yield cluster


def test_a_new_sink_knows_no_batch(cluster: Cluster) -> None:
    claim = SinkWithoutSpark(cluster).begin()
    assert (claim.since, claim.last, claim.committed) == (0, None, frozenset())


def test_a_start_knows_the_last_batch_and_its_transactions(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    messages = sink.tasks(sink.begin(), [1], [2], batch=4)
    sink.commit(messages)
    claim = SinkWithoutSpark(cluster).begin()
    assert claim.last == BatchIdentity(QUERY, "4")
    written = [each.written for each in messages if each.written]
    assert claim.committed == {each.transaction.producer for each in written}


def test_a_start_finishes_what_was_decided(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    messages = sink.tasks(sink.begin(), [1], [2])
    cluster.fault(API.END_TXN, transactional_id=TASKS).answer(ERR.UNKNOWN_SERVER_ERROR).once()
    with pytest.raises(KafkaEosError):
        sink.commit(messages)
    sink.abort()
    assert not seen(cluster)
    claim = sink.begin()
    assert set(seen(cluster)) == {1, 2}
    assert (claim.last, claim.appended) == (BatchIdentity(QUERY, "0"), 1)


def test_a_start_aborts_what_was_not_decided(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    sink.tasks(sink.begin(), [1], [2])
    sink.begin()
    cluster.assert_no_open_transactions()


def test_an_abort_ends_what_was_not_decided(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    sink.run([1], [2])
    sink.tasks(sink.begin(), [3], [4], batch=1)
    sink.abort()
    cluster.assert_no_open_transactions()
    assert set(seen(cluster)) == {1, 2}


def test_an_abort_of_a_driver_that_was_replaced_leaves_its_successor_alone(
    cluster: Cluster,
) -> None:
    old, new = SinkWithoutSpark(cluster), SinkWithoutSpark(cluster)
    stale = old.tasks(old.begin(), [1])
    messages = new.tasks(new.begin(), [1])
    with pytest.raises(KafkaEosError):
        old.commit(stale)
    old.abort(stale)
    new.commit(messages)
    assert set(seen(cluster)) == {1}
    cluster.assert_no_open_transactions()


def test_an_abort_with_messages_ends_what_was_not_decided(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    sink.abort(sink.tasks(sink.begin(), [1]))
    cluster.assert_no_open_transactions()


def test_brokers_may_require_tls() -> None:
    with Cluster(topics={TOPIC: 2}, tls=True) as cluster:
        SinkWithoutSpark(cluster, **cluster.client_config("spark")).run([1], [2])
        assert set(seen(cluster)) == {1, 2}


def test_a_cluster_that_does_not_answer_is_told() -> None:
    with Cluster() as gone:
        sink = SinkWithoutSpark(gone)
    with pytest.raises(KafkaEosError, match="kafka_eos: no broker answers at "):
        sink.begin()

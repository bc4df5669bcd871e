"""Commit of a batch, and every fault that it can meet, without Spark."""

from collections import Counter
from collections.abc import Iterator, Sequence
from threading import Thread

import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.faults.fault import Fault
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.batch_commit import TaskMessage
from mockbroker.spark.sink.control_records import TaskTransaction
from mockbroker.spark.sink.sink_options import CONTROL_TOPIC
from tests.support.sinks import (
    DRIVER,
    TASKS,
    TOPIC,
    SinkWithoutSpark,
    TaskFailedInTheMiddleError,
    assert_each_once,
    seen,
)
from tests.support.spark_marks import SPARK_MARKS

pytestmark = SPARK_MARKS


IDS = range(12)
PARTS = (IDS[:4], IDS[4:8], IDS[8:])
OTHER_PARTS = (IDS[:1], IDS[1:])
STEPS = {
    "the first check": (API.ADD_PARTITIONS_TO_TXN, TASKS, 1),
    "a later check": (API.ADD_PARTITIONS_TO_TXN, TASKS, 2),
    "opening the decision": (API.ADD_PARTITIONS_TO_TXN, DRIVER, 1),
    "the decision": (API.PRODUCE, DRIVER, 1),
    "its commit": (API.END_TXN, DRIVER, 1),
    "the first commit": (API.END_TXN, TASKS, 1),
    "the second commit": (API.END_TXN, TASKS, 2),
    "the last commit": (API.END_TXN, TASKS, 3),
    "the result": (API.PRODUCE, None, 1),
}
"""The requests of a commit, in order: a driver dies before each of them."""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={TOPIC: 3}, journal=True) as cluster:
        yield cluster


def test_records_are_visible_after_the_commit_and_not_before(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    messages = sink.tasks(sink.begin(), *PARTS)
    assert not seen(cluster)
    sink.commit(messages)
    assert_each_once(cluster, IDS)


def test_batches_follow_each_other_with_the_same_transactional_ids(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    names: list[set[str]] = []
    for batch in range(4):
        ids = range(batch * 10, batch * 10 + 10)
        messages = sink.tasks(sink.begin(), ids[:5], ids[5:], batch=batch)
        sink.commit(messages)
        names.append({transaction_of(each).transactional_id for each in messages})
    assert_each_once(cluster, range(40))
    assert names == [names[0]] * 4


def test_a_failed_task_leaves_nothing(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster, **{"kafka.max.request.size": "4100"})
    claim = sink.begin()
    with pytest.raises(TaskFailedInTheMiddleError):
        sink.task(claim, IDS, fails=True)
    assert cluster.records(TOPIC)
    sink.commit([sink.task(claim, IDS, attempt=1)])
    assert_each_once(cluster, IDS)


@pytest.mark.parametrize("is_aborted", [True, False], ids=["abort", "kill"])
@pytest.mark.parametrize("step", STEPS)
def test_a_driver_may_die_before_any_step(cluster: Cluster, step: str, *, is_aborted: bool) -> None:
    sink = SinkWithoutSpark(cluster)
    sink.run([100], [101], [102])
    messages = sink.tasks(sink.begin(), *PARTS, batch=1)
    with death_before(cluster, step) as death, pytest.raises(KafkaEosError):
        sink.commit(messages)
    assert death.hits == 1
    if is_aborted:
        sink.abort()

    again = SinkWithoutSpark(cluster)
    again.run(*OTHER_PARTS, batch=1)  # Spark repeats the batch, in other tasks
    again.run([103], batch=2)
    assert_each_once(cluster, [*IDS, 100, 101, 102, 103])


def test_lost_answers_are_asked_for_again(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    messages = sink.tasks(sink.begin(), *PARTS)
    lost = [
        cluster.fault(API.END_TXN, transactional_id=DRIVER).lose_response().once(),
        cluster.fault(API.END_TXN, transactional_id=TASKS).lose_response().on_call(2),
        cluster.fault(API.PRODUCE, topic=CONTROL_TOPIC).lose_response().on_call(2),
    ]
    sink.commit(messages)
    assert [fault.hits for fault in lost] == [1, 1, 1]
    assert_each_once(cluster, IDS)


def test_markers_may_be_written_long_after_the_answers(cluster: Cluster) -> None:
    cluster.delay_markers("50ms")
    sink = SinkWithoutSpark(cluster)
    sink.run(*PARTS)
    sink.run([100], batch=1)
    cluster.clock.advance("1s")
    assert_each_once(cluster, [*IDS, 100])


def test_lost_answers_to_a_task_are_asked_for_again(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    lost = [
        cluster.fault(api).lose_response().on_call(2)
        for api in (API.INIT_PRODUCER_ID, API.ADD_PARTITIONS_TO_TXN)
    ]
    lost.append(cluster.fault(API.PRODUCE, topic=TOPIC).lose_response().on_call(2))
    sink.run(*PARTS)
    assert [fault.hits for fault in lost] == [1, 1, 1]
    assert_each_once(cluster, IDS)


def test_coordinators_and_leaders_may_move_between_any_two_steps(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    messages = sink.tasks(sink.begin(), *PARTS)
    held = cluster.fault(API.END_TXN, transactional_id=TASKS).hold_response().once()
    commit = Thread(target=sink.commit, args=[messages])
    commit.start()
    held.wait_held()
    for each in messages:
        cluster.move_coordinator(transactional_id=transaction_of(each).transactional_id)
    cluster.partition(CONTROL_TOPIC, 0).elect()
    held.release()
    commit.join()
    assert_each_once(cluster, IDS)


def test_a_transaction_that_expires_before_the_decision_costs_a_repetition(
    cluster: Cluster,
) -> None:
    sink = SinkWithoutSpark(cluster)
    messages = sink.tasks(sink.begin(), *PARTS)
    cluster.clock.advance("16m")
    with pytest.raises(KafkaEosError, match=r"nothing of batch 0 .* is visible, and it is to be"):
        sink.commit(messages)
    assert not seen(cluster)
    sink.run(*OTHER_PARTS)
    assert_each_once(cluster, IDS)


@pytest.mark.parametrize("step", ["its commit", "the first commit"])
def test_transactions_that_expire_before_the_first_commit_cost_a_repetition(
    cluster: Cluster, step: str
) -> None:
    interrupted(cluster, step)
    cluster.clock.advance("16m")
    SinkWithoutSpark(cluster).run(*OTHER_PARTS)
    # the request to commit them was refused, which is why they are written again
    assert_each_once(cluster, IDS, but_for={"PREPARED_TXN_EXPIRED"})


def test_transactions_that_expire_after_the_first_commit_are_reported(cluster: Cluster) -> None:
    interrupted(cluster, "the second commit")
    cluster.clock.advance("16m")
    told = (
        r"batch 0 of query query-1 is visible in part: 2 of 3 transactions ended before .*"
        r"and 8 records are lost \(copy-\d offsets 0 to 3; copy-\d offsets 0 to 3\)"
    )
    for _ in range(2):  # at every start, until somebody decides
        with pytest.raises(KafkaEosError, match=told):
            SinkWithoutSpark(cluster).run(*OTHER_PARTS)
    assert seen(cluster) == Counter(PARTS[0])

    goes_on = SinkWithoutSpark(cluster, failOnDataLoss="false")
    goes_on.run(*OTHER_PARTS)  # skipped
    goes_on.run([100], batch=1)
    assert seen(cluster) == Counter([*PARTS[0], 100])
    assert b'"lost":[{' in b"".join(each.value or b"" for each in cluster.records(CONTROL_TOPIC))


def test_an_expiry_between_two_batches_changes_nothing(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    sink.run(*PARTS)
    cluster.clock.advance("16m")
    sink.run([100], batch=1)
    assert_each_once(cluster, [*IDS, 100])
    cluster.clock.advance("8d")  # transactional ids are forgotten, and older records removed
    sink.run([101], batch=2)
    assert seen(cluster) == Counter([101])


def test_a_copy_that_starts_after_the_decision_is_refused(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    claim = sink.begin()
    sink.commit(sink.tasks(claim, *PARTS))
    with pytest.raises(KafkaEosError, match="attempt 1 of task 2 is late"):
        sink.task(claim, PARTS[2], task=2, attempt=1)
    assert_each_once(cluster, IDS)


def test_a_copy_that_runs_beside_the_commit_is_fenced(cluster: Cluster) -> None:
    sink = SinkWithoutSpark(cluster)
    claim = sink.begin()
    messages = sink.tasks(claim, *PARTS)
    second = sink.task(claim, PARTS[2], task=2, attempt=1)
    sink.commit(messages)
    assert_each_once(cluster, IDS)
    assert cluster.transaction(transaction_of(second).transactional_id).producer_epoch > 0


def test_a_copy_of_an_earlier_start_is_fenced_by_the_next_commit(cluster: Cluster) -> None:
    earlier = SinkWithoutSpark(cluster).begin()
    sink = SinkWithoutSpark(cluster)
    claim = sink.begin()
    late = sink.task(earlier, PARTS[2], task=2)
    sink.commit(sink.tasks(claim, *PARTS))
    assert_each_once(cluster, IDS)
    with pytest.raises(KafkaEosError):
        sink.commit([late])
    assert_each_once(cluster, IDS)


def test_a_driver_that_was_replaced_cannot_decide(cluster: Cluster) -> None:
    old, new = SinkWithoutSpark(cluster), SinkWithoutSpark(cluster)
    messages = old.tasks(old.begin(), *PARTS)
    held = cluster.fault(API.ADD_PARTITIONS_TO_TXN, transactional_id=DRIVER).hold().once()
    errors: list[KafkaEosError] = []
    commit = Thread(target=lambda: errors.extend(failure_of(old, messages)))
    commit.start()
    held.wait_held()
    new.run(*OTHER_PARTS)
    held.release()
    commit.join()
    assert "another start of the sink copier has taken over" in str(errors)
    assert_each_once(cluster, IDS)


def test_a_driver_that_was_replaced_in_its_commit_reports_no_loss(cluster: Cluster) -> None:
    old, new = SinkWithoutSpark(cluster), SinkWithoutSpark(cluster)
    messages = old.tasks(old.begin(), *PARTS)
    held = cluster.fault(API.END_TXN, transactional_id=TASKS).hold().on_call(2)
    errors: list[KafkaEosError] = []
    commit = Thread(target=lambda: errors.extend(failure_of(old, messages)))
    commit.start()
    held.wait_held()
    new.run(*OTHER_PARTS)
    for batch in (1, 2):  # the transactional ids are used again
        new.run([100 * batch], [100 * batch + 1], [100 * batch + 2], batch=batch)
    held.release()
    commit.join()
    assert "another start of the sink copier has taken over" in str(errors)
    assert_each_once(cluster, [*IDS, 100, 101, 102, 200, 201, 202])


def failure_of(sink: SinkWithoutSpark, messages: Sequence[TaskMessage]) -> list[KafkaEosError]:
    try:
        sink.commit(messages)
    except KafkaEosError as error:
        return [error]
    return []


def interrupted(cluster: Cluster, step: str) -> None:
    """Let a driver die before a step of its commit."""
    sink = SinkWithoutSpark(cluster)
    messages = sink.tasks(sink.begin(), *PARTS)
    with death_before(cluster, step), pytest.raises(KafkaEosError):
        sink.commit(messages)


def death_before(cluster: Cluster, step: str) -> Fault:
    api, transactional_id, number = STEPS[step]
    topic = CONTROL_TOPIC if api is API.PRODUCE else None
    fault = cluster.fault(api, transactional_id=transactional_id, topic=topic)
    return fault.answer(ERR.UNKNOWN_SERVER_ERROR).on_call(number)


def transaction_of(message: TaskMessage) -> TaskTransaction:
    assert message.written is not None
    return message.written.transaction

"""Conversations with a broker, and what they leave behind."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mockbroker import API, Cluster
from mockbroker.diff.comparison import (
    ComparedConversation,
    Comparer,
    Comparison,
    ComparisonLimits,
    in_both,
)
from mockbroker.diff.conversations import installed
from mockbroker.diff.outcomes import StepOutcome, StepStatus
from mockbroker.diff.survey import survey
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.wire import WireClient
from tests.conformance.replay import addresses_of
from tests.support.scripted_broker import names_on, recorded_cluster

CONVERSATIONS = installed()
RELEASE = CONVERSATIONS.releases()[0]


def compared(
    cluster: Cluster,
    *names: str,
    limits: ComparisonLimits | None = None,
    keeps: bool = False,
    walk: int | None = None,
) -> Comparison:
    scenarios = CONVERSATIONS.scenarios(RELEASE)
    chosen = [scenarios[name] for name in names]
    if walk is not None:
        chosen = [CONVERSATIONS.walk("log", walk)]
    result = Comparison(against="here", release=RELEASE, is_walk=walk is not None)
    comparer = Comparer(
        conversations=CONVERSATIONS,
        facts=survey(addresses_of(cluster)[0], 5),
        limits=limits or ComparisonLimits(),
        result=result,
    )
    comparer.run(chosen, lambda _progress: None, keeps=keeps)
    return result


def statuses(result: Comparison) -> set[StepStatus]:
    return {outcome.status for outcome in result.outcomes}


def test_a_broker_like_kafka_does_not_differ() -> None:
    with recorded_cluster() as cluster:
        result = compared(cluster, "delete_topics_by_id", "offset_for_leader_epoch", "init_bump")
    assert statuses(result) == {StepStatus.SAME}
    assert len(result.asked) == 3


def test_nothing_that_exists_is_touched_and_what_was_made_is_deleted() -> None:
    with recorded_cluster() as cluster, WireClient(cluster.bootstrap_servers) as client:
        topics = [CreatableTopic(name="t", num_partitions=1, replication_factor=1)]
        client.ask(CreateTopicsRequest(topics=topics), 5, CreateTopicsResponse)
        before = names_on(cluster)
        result = compared(cluster, "offset_for_leader_epoch", "metadata_of_named")
        assert statuses(result) == {StepStatus.SAME}
        assert names_on(cluster) == before
        kept = compared(cluster, "offset_for_leader_epoch", keeps=True)
        assert len(names_on(cluster).topics) > len(before.topics)
    assert kept.left_over[0].startswith("everything whose name begins with diff")


def test_a_difference_that_is_there_once_is_passing() -> None:
    with recorded_cluster() as cluster:
        cluster.fault(API.OFFSET_FOR_LEADER_EPOCH).answer("UNKNOWN_LEADER_EPOCH").once()
        result = compared(cluster, "offset_for_leader_epoch")
    assert statuses(result) == {StepStatus.SAME, StepStatus.PASSING}
    assert not result.failures


def test_a_difference_that_is_there_each_time_counts() -> None:
    with recorded_cluster() as cluster:
        cluster.fault(API.OFFSET_FOR_LEADER_EPOCH).answer("UNKNOWN_LEADER_EPOCH").every_time()
        result = compared(cluster, "offset_for_leader_epoch")
    assert {outcome.api for outcome in result.failures} == {"OffsetForLeaderEpoch"}


def test_a_broker_that_is_silent_does_not_stop_the_run() -> None:
    with recorded_cluster() as cluster:
        cluster.fault(API.DESCRIBE_CLUSTER).hold().every_time()
        limits = ComparisonLimits(answer_s=0.05, conversation_s=1)
        result = compared(cluster, "describe_cluster", "offset_for_leader_epoch", limits=limits)
    first, second = result.asked
    assert {outcome.given for outcome in first.failures} >= {"no answer"}
    assert not second.failures


def test_a_conversation_ends_with_its_time() -> None:
    with recorded_cluster() as cluster:
        limits = ComparisonLimits(conversation_s=0)
        result = compared(cluster, "offset_for_leader_epoch", limits=limits)
    (asked,) = result.asked
    assert asked.stop == "the time for one conversation is over"
    assert {each.status for each in asked.outcomes[1:]} == {StepStatus.NOT_REACHED}


def test_a_step_can_be_the_last_one() -> None:
    with recorded_cluster() as cluster:
        limits = ComparisonLimits(last_step=2)
        result = compared(cluster, "offset_for_leader_epoch", limits=limits)
    assert [outcome.status for outcome in result.outcomes] == [StepStatus.SAME] * 2


def test_what_shows_only_in_its_course_is_not_asked() -> None:
    with recorded_cluster() as cluster:
        result = compared(cluster, "the_offsets_log")
    (not_asked,) = result.not_asked
    assert not_asked.reason == "reads a whole internal topic"


def test_a_broker_that_goes_away_is_a_reason() -> None:
    with recorded_cluster() as cluster:
        facts = survey(addresses_of(cluster)[0], 5)
    result = Comparison(against="here", release=RELEASE)
    comparer = Comparer(
        conversations=CONVERSATIONS, facts=facts, limits=ComparisonLimits(), result=result
    )
    comparer.run([CONVERSATIONS.scenarios(RELEASE)["init_bump"]], lambda _progress: None)
    (not_asked,) = result.not_asked
    assert not_asked.reason.startswith("the broker is gone")
    assert result.lost_at == "init_bump"
    assert result.left_over[0].endswith("because the broker is gone")


@pytest.mark.slow
def test_a_walk_is_compared_with_mockbroker() -> None:
    with recorded_cluster() as cluster:
        result = compared(cluster, walk=77)
    assert statuses(result) == {StepStatus.SAME}
    assert result.is_walk


def conversation(statuses: Sequence[StepStatus]) -> ComparedConversation:
    step = StepOutcome(
        scenario="s", number=0, step="", asked="", api="Fetch", status=StepStatus.SAME
    )
    outcomes = [replace(step, number=n, status=each) for n, each in enumerate(statuses)]
    return ComparedConversation(scenario="s", outcomes=outcomes)


def test_only_what_is_in_both_conversations_lasts() -> None:
    same, differs = StepStatus.SAME, StepStatus.DIFFERS
    first = conversation([same, differs, same, differs])
    second = conversation([same, differs, differs, same])
    lasting = [each.status for each in in_both(first, second).outcomes]
    assert lasting == [same, differs, StepStatus.PASSING, StepStatus.PASSING]

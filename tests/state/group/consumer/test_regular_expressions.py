import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.consumer.regular_expressions import BATCHING_MS, check_expression
from tests.state.group.consumer.classic_building import ClassicMember
from tests.state.group.consumer.consumer_building import Consumer, cluster_of, create, group_in
from tests.state.group.coordinator_building import coordinator_in

ORDERS = "ord.*"
LATER_MS = 600_001
"""A time after the refresh interval."""


def matching(cluster_topics: dict[str, int], regex: str = ORDERS) -> Consumer:
    """Create a member that subscribes by an expression only."""
    cluster = cluster_of()
    for name, partitions in cluster_topics.items():
        create(cluster, name, partitions)
    one = Consumer(cluster, regex=regex)
    join(one)
    return one


def join(one: Consumer, now_ms: int = 0) -> None:
    one.send(one.full(epoch=0)._replace(subscribed_topic_names=None), now_ms)
    one.cluster.run_pending(now_ms)


def test_an_expression_is_resolved_after_the_heartbeat() -> None:
    one = matching({"orders": 1, "orders2": 1, "bills": 1})
    assert one.assigned == {}
    one.beat()
    assert one.assigned == {"orders": [0], "orders2": [0]}
    assert group_in(one.cluster).is_subscribed_to_topic("orders2", lambda _: None)


def test_an_expression_matches_what_the_client_of_the_heartbeat_may_describe() -> None:
    cluster = cluster_of(orders=1)
    create(cluster, "orders2", 1)
    one = Consumer(cluster, regex=ORDERS)
    request = one.full(epoch=0)._replace(
        subscribed_topic_names=None, may_describe={"orders2"}.__contains__
    )
    one.send(request, 0)
    cluster.run_pending(0)
    one.beat()
    assert one.assigned == {"orders2": [0]}


def test_a_second_member_with_the_expression_finds_it_resolved() -> None:
    one = matching({"orders": 2})
    one.beat()
    two = Consumer(one.cluster, "b", regex=ORDERS)
    join(two)
    one.beat()
    one.beat(one.assigned)
    two.beat()
    assert (len(one.assigned["orders"]), len(two.assigned["orders"])) == (1, 1)
    two.leave()
    assert ORDERS in group_in(one.cluster).regular_expressions
    one.leave()
    assert not group_in(one.cluster).regular_expressions


def test_new_topics_are_found_after_a_while() -> None:
    one = matching({"orders": 1})
    one.beat()
    create(one.cluster, "orders2", 1)
    one.beat(now_ms=BATCHING_MS)
    one.cluster.run_pending(BATCHING_MS)
    assert one.beat(now_ms=BATCHING_MS).assigned is None
    one.beat(now_ms=BATCHING_MS + 1)
    one.cluster.run_pending(BATCHING_MS + 1)
    one.beat(now_ms=BATCHING_MS + 2)
    assert one.assigned == {"orders": [0], "orders2": [0]}


def test_expressions_are_refreshed_at_intervals() -> None:
    one = matching({"orders": 1})
    before = group_in(one.cluster).regular_expressions[ORDERS]
    one.beat(now_ms=600_000)
    one.cluster.run_pending(600_000)
    assert group_in(one.cluster).regular_expressions[ORDERS] == before
    epoch = group_in(one.cluster).group_epoch
    one.beat(now_ms=600_001)
    one.cluster.run_pending(600_001)
    assert group_in(one.cluster).regular_expressions[ORDERS].timestamp_ms == 600_001
    assert group_in(one.cluster).group_epoch == epoch


def test_another_expression_replaces_the_first() -> None:
    one = matching({"orders": 1, "bills": 1})
    one.beat()
    one.regex = "b.*"
    one.send(one.full(one.assigned)._replace(subscribed_topic_names=None), 20_000)
    assert ORDERS not in group_in(one.cluster).regular_expressions
    one.cluster.run_pending(20_000)
    one.beat({}, now_ms=20_000)
    assert one.assigned == {"bills": [0]}


def test_a_subscription_by_name_ends_one_by_expression() -> None:
    one = matching({"orders": 1, "bills": 1})
    one.beat()
    one.regex, one.topics = "", ("bills",)
    one.send(one.full({}))
    assert one.assigned == {"bills": [0]}
    assert not group_in(one.cluster).regular_expressions


def test_a_group_that_has_gone_is_not_resolved() -> None:
    cluster = cluster_of(orders=1)
    one = Consumer(cluster, regex=ORDERS)
    one.send(one.full(epoch=0)._replace(subscribed_topic_names=None))
    one.leave()
    cluster.run_pending(0)
    assert not group_in(cluster).regular_expressions


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("[a", "missing closing ]"),
        ("(a", "missing closing )"),
        ("*a", "missing argument to repetition operator"),
        ("a**", "invalid nested repetition operator"),
        ("(?=a)", "invalid or unsupported Perl syntax"),
        ("a{2,1}", "invalid repeat count"),
        ("a)", "regexp/syntax: internal error"),
        ("\\y", "invalid escape sequence"),
        ("a\\", "trailing backslash at end of expression"),
        ("[b-a]", "invalid character class range"),
    ],
)
def test_an_invalid_expression_is_refused(expression: str, why: str) -> None:
    with pytest.raises(ApiError) as refused:
        check_expression(expression)
    assert refused.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert refused.value.why == (
        f"SubscribedTopicRegex `{expression}` is not a valid regular expression: {why}."
    )


def test_a_classic_member_has_the_expressions_resolved_with_its_own_rights() -> None:
    one = matching({"orders": 1, "orders2": 1})
    two = ClassicMember(one.cluster, "c")
    request = two.request({})._replace(may_describe={"orders2"}.__contains__)
    coordinator_in(one.cluster).classic_requests.join(request, LATER_MS)
    one.cluster.run_pending(LATER_MS)
    assert group_in(one.cluster).regular_expressions[ORDERS].topics == {"orders2"}

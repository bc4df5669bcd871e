"""Requests of a load to the HTTP API."""

import pytest

from mockbroker import Cluster
from mockbroker.http.admin_client import AdminRequestError
from mockbroker.spark.load.load_moments import (
    ask,
    filled,
    make_rules,
    remove_rules,
)
from mockbroker.spark.load.load_plan import PLANS, AdminCall, Plan

pytestmark = pytest.mark.slow


def test_placeholders_are_filled_in_and_numbers_stay_numbers() -> None:
    document = {
        "topic": "{topic}",
        "partition": "{partition}",
        "id": "of-{client_id}-{other}",
        "match": {"topic": ["{topic}", "x"], "times": 3},
    }
    assert filled(document, {"topic": "orders", "partition": 2, "client_id": "load-1"}) == {
        "topic": "orders",
        "partition": 2,
        "id": "of-load-1-{other}",
        "match": {"topic": ["orders", "x"], "times": 3},
    }


def test_a_fault_with_a_client_placeholder_is_made_for_each_client() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        ids = make_rules(
            cluster.admin_url, PLANS["lost-answers"], topic="orders", client_ids=["a", "b"]
        )
        assert ids == ["lost-answer-of-a", "lost-answer-of-b"]
        assert [fault.name for fault in cluster.faults] == ids
        views = remove_rules(cluster.admin_url, ids)
        assert [(view["id"], view["hits"]) for view in views] == [(each, 0) for each in ids]
        assert not cluster.faults


def test_a_fault_without_a_client_placeholder_is_made_once() -> None:
    rule = {"id": "slow", "match": {"topic": "{topic}"}, "effect": {"delay": "1ms"}}
    plan = Plan(about="", expected={}, rules=(rule,))
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        made = make_rules(cluster.admin_url, plan, topic="orders", client_ids=["a", "b"])
        assert made == ["slow"]


def test_a_moment_is_requested_over_http() -> None:
    with Cluster(brokers=2, topics={"orders": 2}, admin_port=0) as cluster:
        before = cluster.partition("orders", 1).leader
        (moment,) = PLANS["leader-moves"].moments
        ask(cluster.admin_url, moment, topic="orders", partition=1)
        assert cluster.partition("orders", 1).leader != before


def test_a_refusal_has_a_reason() -> None:
    moment = AdminCall(after="load", path="topics/{topic}/partitions/9/lose-tail", document={})
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        pytest.raises(AdminRequestError, match="9"),
    ):
        ask(cluster.admin_url, moment, topic="orders", partition=0)


def test_a_plan_without_faults_sends_no_request() -> None:
    assert make_rules(None, PLANS["clean"], topic="orders", client_ids=["a"]) == []
    assert remove_rules(None, []) == []

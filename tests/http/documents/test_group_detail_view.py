"""A group with its offsets, their lag and their owners."""

import pytest

from mockbroker import Cluster
from mockbroker.http.documents.group_detail_view import GroupDetailView, group_detail_view
from mockbroker.http.problem import Problem
from tests.support.consumer_members import AT_ONCE, ConsumerMember


def detail_of(cluster: Cluster, group_id: str) -> GroupDetailView:
    return cluster.look(lambda state, _now_ms: group_detail_view(state, group_id))


def test_members_are_shown_and_unknown_groups_are_named() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE) as cluster:
        ConsumerMember(cluster, "reader-1").join()
        view = detail_of(cluster, "readers")
        with pytest.raises(Problem, match="did you mean readers"):
            detail_of(cluster, "reader")
    assert (view.members, view.offsets, view.lag, view.rows) == (1, 0, 0, [])
    assert [each.member_id for each in view.group.members] == ["reader-1"]

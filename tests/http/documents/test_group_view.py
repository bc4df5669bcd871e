"""Groups as they are shown."""

from mockbroker import Cluster
from mockbroker.http.documents.group_view import groups_view
from tests.support.consumer_members import AT_ONCE, GROUP, two_members


def test_a_group_is_shown_with_its_members() -> None:
    with Cluster(brokers=3, topics={"orders": 2}, config=AT_ONCE) as cluster:
        assert cluster.look(lambda state, _: groups_view(state).groups) == []
        two_members(cluster)
        (group,) = cluster.look(lambda state, _: groups_view(state).groups)
        assert group.coordinator == cluster.coordinator_of(group=GROUP)
    assert (group.group_id, group.kind, group.state) == (GROUP, "consumer", "Stable")
    assert (group.group_epoch, group.assignment_epoch, group.is_held) == (3, 3, False)
    assert [each.member_id for each in group.members] == ["a", "b"]
    first = group.members[0]
    assert (first.member_epoch, first.state, first.subscribed_topics) == (3, "STABLE", ["orders"])
    assert [(each.topic, each.partition) for each in first.assigned] == [("orders", 0)]
    assert (first.target, first.pending_revocation, first.standby) == (first.assigned, [], [])
    assert group.offsets == []

"""Share partitions of a group for people: a part of what is in flight."""

from mockbroker import Cluster
from mockbroker.http.documents.share_detail_view import IN_FLIGHT_MAX
from tests.support.consumer_members import AT_ONCE as CONSUMERS_AT_ONCE
from tests.support.consumer_members import ConsumerMember
from tests.support.http import Http
from tests.support.share_members import AT_ONCE, SHARERS, joined, set_up, store


def test_records_in_flight_are_shown_in_part_and_counted() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE, admin_port=0) as cluster:
        set_up(cluster)
        store(cluster, 2 * IN_FLIGHT_MAX + 10)
        with joined(cluster) as member:
            member.fetch()
            for offset in range(1, 2 * IN_FLIGHT_MAX + 10, 2):
                member.acknowledge(offset, offset)
            view = Http(cluster).get(f"/views/groups/{SHARERS}/share")
    first, second = view["rows"]
    assert (first["share_partition"]["partition"], second["share_partition"]["partition"]) == (0, 1)
    assert len(first["share_partition"]["in_flight"]) == IN_FLIGHT_MAX
    assert first["in_flight_count"] == 2 * IN_FLIGHT_MAX + 10
    assert (view["total"], view["holds_dead_letters"], view["waiting"]) == (2, False, [])


def test_a_group_of_another_kind_has_no_share_partitions() -> None:
    with Cluster(topics={"orders": 1}, config=CONSUMERS_AT_ONCE, admin_port=0) as cluster:
        ConsumerMember(cluster, "reader-1").join()
        http = Http(cluster)
        assert http.get("/views/groups/readers/share")["rows"] == []
        assert http.refused("GET", "/views/groups/reader/share")["near"] == ["readers"]

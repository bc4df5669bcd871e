"""Timeline of a transactional id, from the journal and the coordinator of a cluster."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from mockbroker import Cluster
from mockbroker.timeline.timeline import Beyond, CellKind, Timeline
from mockbroker.timeline.timeline_svg import timeline_svg
from mockbroker.timeline.transaction_timeline import LANES_MAX, transaction_timeline
from mockbroker.wire import WireProducer


def shown(cluster: Cluster, events_max: int = 60) -> Timeline:
    entries = cluster.journal.entries() if cluster.journal.is_on else []
    return cluster.look(
        lambda state, _now_ms: transaction_timeline(
            state, "payments", entries, events_max=events_max
        )
    )


def states(timeline: Timeline) -> list[tuple[str, float, float]]:
    """Return the states with their first column and the column after them."""
    return [
        (cell.first, cell.start, cell.start + cell.width)
        for cell in timeline.cells
        if cell.kind is CellKind.STATE
    ]


def written(producer: WireProducer, topic: str = "orders", index: int = 0) -> None:
    producer.add_partition(topic, index)
    producer.produce(topic, b"paid", base_sequence=0, index=index)


def test_states_last_until_the_next_and_name_who_held_them() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True, kafka="3.9") as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        written(producer)
        producer.commit()
        timeline = shown(cluster)
        owner = f"producer {producer.producer_id} · epoch 0"
    names = [name for name, _, _ in states(timeline)]
    assert names == ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]
    assert all(one[2] == after[1] for one, after in pairwise(states(timeline)))
    assert states(timeline)[-1][2] == len(timeline.columns)
    assert {cell.second for cell in timeline.cells if cell.kind is CellKind.STATE} == {owner}
    assert [lane.name for lane in timeline.lanes][:1] == ["state"]
    assert timeline.lanes[-1].name == "orders-0"
    in_log = [cell.kind for cell in timeline.cells if cell.lane == len(timeline.lanes) - 1]
    assert in_log == [CellKind.TRANSACTIONAL, CellKind.COMMIT]
    assert timeline.notes[0].startswith("CompleteCommit, held by producer ")
    assert ET.fromstring(timeline_svg(timeline)).get("role") == "img"


def test_an_open_transaction_names_its_partitions_and_its_timeout() -> None:
    with (
        Cluster(topics={"orders": 8}) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        for index in range(8):
            producer.add_partition("orders", index)
        timeline = shown(cluster)
    assert timeline.columns == ()
    _, waits = timeline.notes
    assert waits.startswith("open in orders-0, orders-1, orders-2, orders-3, orders-4, 3 more; its")
    assert "times out at 2" in waits


def test_a_held_end_says_what_it_waits_for_and_how_to_go_on() -> None:
    with (
        Cluster(topics={"orders": 2}, journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        written(producer)
        written(producer, index=1)
        handle = cluster.transaction("payments")
        handle.hold_ending()
        producer.abort()
        first = shown(cluster).notes
        handle.step()
        handle.step()
        last = shown(cluster).notes
    assert first[1] == "waits for the markers in orders-0, orders-1"
    assert first[2] == "held: cluster.transaction('payments').step() or .release() goes on"
    assert last[1] == "waits for its completion record"


def test_a_fenced_client_has_its_error_in_its_lane() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True, kafka="3.9") as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as first,
        WireProducer(cluster.bootstrap_servers, "payments") as second,
    ):
        first.init_producer_id()
        second.init_producer_id()
        first.add_partition("orders")
        timeline = shown(cluster)
    (refused,) = [cell for cell in timeline.cells if cell.kind is CellKind.ERROR]
    assert refused.second == "PRODUCER_FENCED"
    assert timeline.lanes[refused.lane].name.startswith("client ")


def test_a_view_has_the_last_events_and_counts_the_others() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        for _ in range(5):
            written(producer)
            producer.commit()
        whole, timeline = shown(cluster), shown(cluster, events_max=4)
    assert whole.beyond == Beyond()
    assert len(timeline.columns) == 4
    assert timeline.beyond == Beyond(len(whole.columns) - 4, 0)
    assert states(timeline)[0][1] == 0
    assert whole.columns[-4:] == timeline.columns


def test_the_lanes_of_a_view_are_bounded() -> None:
    count = LANES_MAX + 4
    with (
        Cluster(topics={"orders": count}, journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        for index in range(count):
            written(producer, index=index)
        timeline = shown(cluster, events_max=200)
    assert len(timeline.lanes) == LANES_MAX
    assert timeline.lanes[-1].name.endswith(" more lanes")
    assert max(cell.lane for cell in timeline.cells) == LANES_MAX - 1


@pytest.mark.parametrize("is_on", [True, False])
def test_an_id_that_no_coordinator_knows_has_a_note(is_on: bool) -> None:
    with Cluster(journal=is_on or None) as cluster:
        timeline = shown(cluster)
    assert timeline.notes == ("no coordinator knows it",)
    assert timeline.cells == ()

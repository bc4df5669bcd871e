"""Progress of a copy by the clock, and its updates when configs change."""

from collections.abc import Callable

from mockbroker.state.replication.moving_partitions import Copying, MovingPartitions
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.cluster_building import new_cluster


def nothing(_now_ms: int) -> None:
    """Do nothing."""


def copying(remaining_bytes: int, bytes_per_second: int = 0) -> Copying:
    copy = Copying(
        name="ReassignPartition t-0",
        resume=nothing,
        remaining_bytes=remaining_bytes,
        since_ms=1_000,
    )
    copy.bytes_per_second = bytes_per_second
    return copy


def test_a_copy_ends_when_its_bytes_are_copied() -> None:
    assert copying(1_000, 100).done_at_ms() == 11_000
    assert copying(1_001, 100).done_at_ms() == 11_010
    assert copying(1, 1_000_000).done_at_ms() == 1_001


def test_copied_bytes_are_counted_at_the_former_rate() -> None:
    each = copying(1_000, 100)
    each.count(3_500)
    assert (each.remaining_bytes, each.since_ms) == (750, 3_500)
    each.count(90_000)
    assert each.remaining_bytes == 0


def test_nothing_is_copied_without_a_rate() -> None:
    each = copying(1_000)
    each.count(90_000)
    assert each.remaining_bytes == 1_000


def test_all_copies_are_resumed_until_their_topic_is_deleted() -> None:
    deferred: list[str] = []

    def defer(name: str, _run: Callable[[int], None]) -> None:
        deferred.append(name)

    moving = MovingPartitions(defer)
    topic = new_cluster().create_topic(NewTopic(name="t", num_partitions=1))
    moving.copying[topic.partitions[0]] = copying(5)
    assert moving.as_text() == ["ReassignPartition t-0: 5 bytes at 1000 ms"]
    moving.configs_changed()
    assert deferred == ["ReassignPartition t-0"]
    moving.topic_deleted(topic)
    moving.configs_changed()
    assert deferred == ["ReassignPartition t-0"]
    assert not moving.as_text()

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.state.group.streams.topics.configured_topology import TopicConfigurationError
from mockbroker.state.group.streams.topics.partition_counts import decide_partition_counts
from mockbroker.state.group.streams.topics.topology import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
    build_topology,
)


def decided(*subtopologies: Subtopology, **topics: int) -> dict[str, int]:
    return decide_partition_counts(build_topology(0, list(subtopologies)), topics.get)


def writes(*sinks: str, reads: str = "orders") -> Subtopology:
    return Subtopology("0", (reads,), repartition_sink_topics=sinks)


def reads_again(*topics: TopicInfo, group: CopartitionGroup | None = None) -> Subtopology:
    return Subtopology(
        "1",
        ("users",) if group else (),
        state_changelog_topics=(TopicInfo("log"),),
        repartition_source_topics=topics,
        copartition_groups=(group,) if group else (),
    )


def test_a_repartition_topic_has_the_partitions_of_its_writer() -> None:
    counts = decided(writes("r"), reads_again(TopicInfo("r")), orders=3)
    assert counts == {"r": 3, "log": 3}


def test_a_fixed_count_stays() -> None:
    assert decided(writes("r"), reads_again(TopicInfo("r", 5)), orders=3) == {"r": 5, "log": 5}


def test_copartitioned_topics_get_equal_counts() -> None:
    group = CopartitionGroup((0,), (), (0,))
    counts = decided(writes("r"), reads_again(TopicInfo("r"), group=group), orders=3, users=4)
    assert counts == {"r": 4, "log": 4}
    with pytest.raises(TopicConfigurationError) as refused:
        decided(writes("r"), reads_again(TopicInfo("r", 5), group=group), orders=3, users=4)
    assert "[5] of repartition topic [r]" in refused.value.status.detail


def test_a_loop_is_invalid() -> None:
    loop = Subtopology("0", (), (), (), ("r",), (TopicInfo("r"),))
    with pytest.raises(ApiError, match="loops"):
        decided(loop)


def test_a_topic_that_nobody_writes_is_invalid() -> None:
    with pytest.raises(ApiError, match="never used as a sink"):
        decided(reads_again(TopicInfo("r")), orders=1)


def test_a_subtopology_has_input() -> None:
    with pytest.raises(ApiError, match="No source topics found for subtopology 0"):
        decided(Subtopology("0"))

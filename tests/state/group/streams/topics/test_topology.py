import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.topics.topology import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
    build_topology,
    checked_topology,
)

JOINED = Subtopology(
    "0",
    ("orders",),
    state_changelog_topics=(TopicInfo("log"),),
    repartition_source_topics=(TopicInfo("r"),),
    copartition_groups=(CopartitionGroup((0,), (), (0,)),),
)


def test_topics_of_a_subtopology() -> None:
    topology = build_topology(0, [JOINED])
    assert set(topology.required_topics()) == {"orders", "log", "r"}
    assert list(JOINED.copartitioned_topics()) == [["orders", "r"]]
    assert topology.subtopology_of("r") is JOINED
    assert topology.subtopology_of("log") is None


@pytest.mark.parametrize("index", [-1, 1])
def test_an_index_beyond_the_topics_fails(index: int) -> None:
    group = CopartitionGroup((index,))
    with pytest.raises(ApiError) as refused:
        list(JOINED._replace(copartition_groups=(group,)).copartitioned_topics())
    assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_request_has_ids_of_its_own_and_an_epoch() -> None:
    assert checked_topology(0, [JOINED]) == build_topology(0, [JOINED])
    for topology_epoch, subtopologies in ((-1, [JOINED]), (0, [JOINED, JOINED])):
        with pytest.raises(ApiError) as refused:
            checked_topology(topology_epoch, subtopologies)
        assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR

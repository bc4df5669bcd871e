from mockbroker.state.group.streams.topics.configured_topology import (
    ConfiguredTopology,
    Status,
    StatusCode,
)

MISSING = Status(StatusCode.MISSING_SOURCE_TOPICS, "")


def test_a_topology_is_validated_when_it_is_ready() -> None:
    assert ConfiguredTopology(4, 0, {}, {}, None).validated_epoch == 4
    assert ConfiguredTopology(4, 0, None, {}, MISSING).validated_epoch == -1

from mockbroker.state.group.streams.streams_group_member import StreamsGroupMember, UserEndpoint
from mockbroker.state.group.streams.tasks import AssignedTasks
from mockbroker.state.group.streams.topics.configured_topology import ConfiguredSubtopology
from mockbroker.state.group.streams.topics.endpoint_partitions import (
    EndpointPartitions,
    endpoint_partitions,
)
from tests.state.group.streams.streams_building import tasks

HERE = UserEndpoint("here", 1)
COUNTS = {"wide": 3, "narrow": 1}


def test_each_task_serves_the_partitions_of_its_topics() -> None:
    subtopologies = {"0": ConfiguredSubtopology(3, ("wide", "narrow"), {}, (), {})}
    assigned = AssignedTasks({"0": {2: 1, 0: 1}}, tasks(1))
    members = [
        StreamsGroupMember("a", user_endpoint=HERE, assigned=assigned),
        StreamsGroupMember("b", assigned=assigned),
    ]
    (found,) = endpoint_partitions(members, subtopologies, COUNTS.get)
    assert found == EndpointPartitions(
        HERE, active=(("wide", (0, 2)), ("narrow", (0,))), standby=(("wide", (1,)),)
    )

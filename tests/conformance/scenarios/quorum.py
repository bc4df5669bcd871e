"""DescribeQuorum, and the registration of brokers, voters and controllers."""

from collections.abc import Sequence
from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import add_raft_voter
from mockbroker.protocol.messages.add_raft_voter import AddRaftVoterRequest
from mockbroker.protocol.messages.describe_cluster import DescribeClusterRequest
from mockbroker.protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    PartitionData,
    TopicData,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.messages.remove_raft_voter import RemoveRaftVoterRequest
from mockbroker.protocol.messages.unregister_broker import UnregisterBrokerRequest
from mockbroker.protocol.messages.unregister_controller import UnregisterControllerRequest
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

SINCE_3_6 = defaults_since("3.6")
QUORUM_TOPIC = "__cluster_metadata"


def quorum(*topics: tuple[str, Sequence[int]]) -> DescribeQuorumRequest:
    """Build a DescribeQuorum request; only one partition has a quorum."""
    return DescribeQuorumRequest(
        topics=[
            TopicData(
                topic_name=name,
                partitions=[PartitionData(partition_index=index) for index in partitions],
            )
            for name, partitions in topics
        ]
    )


@scenario(presets=SINCE_3_6)
def describe_quorum(talk: Talk) -> None:
    talk.topic("t")
    for version in talk.versions(ApiKey.DESCRIBE_QUORUM):
        for title, request in [
            ("the quorum", quorum((QUORUM_TOPIC, [0]))),
            ("none", quorum()),
            ("no partition", quorum((QUORUM_TOPIC, []))),
            ("another partition", quorum((QUORUM_TOPIC, [1]))),
            ("two partitions", quorum((QUORUM_TOPIC, [0, 1]))),
            ("twice", quorum((QUORUM_TOPIC, [0, 0]))),
            ("another topic", quorum(("t", [0]))),
            ("two topics", quorum((QUORUM_TOPIC, [0]), ("missing", [0, 1]))),
        ]:
            talk.ask(f"{title}, v{version}", request, version)


@scenario(brokers=3, presets=SINCE_3_6)
def describe_quorum_of_three(talk: Talk) -> None:
    for version in talk.versions(ApiKey.DESCRIBE_QUORUM):
        for broker in (1, 2):
            request = quorum((QUORUM_TOPIC, [0]))
            talk.ask(f"the quorum, v{version}", request, version, broker=broker)


@scenario(alone=True, presets=SINCE_3_6)
def unregister_brokers(talk: Talk) -> None:
    for broker_id in (9, 0, -1):
        request = UnregisterBrokerRequest(broker_id=broker_id)
        talk.ask(f"unknown broker {broker_id}", request, 0)


@scenario(alone=True, presets=SINCE_3_6)
def voters_come_and_go(talk: Talk) -> None:
    talk.ask("the cluster", DescribeClusterRequest(), talk.latest(ApiKey.DESCRIBE_CLUSTER))
    listener = add_raft_voter.Listener(name="CONTROLLER", host="127.0.0.1", port=1)
    for version in talk.versions(ApiKey.ADD_RAFT_VOTER):
        for cluster_id in (None, "another"):
            for voter_id in (1, 9, -1):
                request = AddRaftVoterRequest(
                    cluster_id=cluster_id,
                    timeout_ms=1_000,
                    voter_id=voter_id,
                    voter_directory_id=UUID(int=5),
                    listeners=[listener],
                )
                talk.ask(f"add {voter_id} to {cluster_id}, v{version}", request, version)
        nowhere = AddRaftVoterRequest(
            cluster_id=None, timeout_ms=0, voter_id=9, voter_directory_id=UUID(int=5)
        )
        talk.ask(f"without a listener, v{version}", nowhere, version)
        if version >= 1:
            silent = AddRaftVoterRequest(
                cluster_id=None, timeout_ms=1_000, voter_id=9, ack_when_committed=False
            )
            talk.ask(f"answered early, v{version}", silent, version)
    for cluster_id in (None, "another"):
        for voter_id in (1, 9, -1):
            gone = RemoveRaftVoterRequest(
                cluster_id=cluster_id, voter_id=voter_id, voter_directory_id=UUID(int=5)
            )
            talk.ask(f"remove {voter_id} of {cluster_id}", gone, 0)


@scenario(alone=True, presets=("4.4",))
def unregister_controllers(talk: Talk) -> None:
    for controller_id in (9, -1, 1):
        request = UnregisterControllerRequest(controller_id=controller_id)
        talk.ask(f"controller {controller_id}", request, 0)


@scenario(brokers=3, alone=True, presets=SINCE_3_6)
def unregister_a_broker_that_lives(talk: Talk) -> None:
    talk.ask("one that lives", UnregisterBrokerRequest(broker_id=3), 0)
    talk.let_time_pass(2_000)
    talk.ask("again", UnregisterBrokerRequest(broker_id=3), 0)
    answer = talk.quietly(MetadataRequest(topics=[]), 1)
    count = len(talk.expect(MetadataResponse, answer).brokers)
    talk.note("brokers that are left", "Metadata v1", count)

"""Moves of a group's coordinator, and of the states of share partitions, to another broker."""

from typing import Final

from mockbroker.protocol.messages.describe_groups import DescribeGroupsRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.state.topic.java_hash import java_hash_code
from tests.conformance.answers import error_codes
from tests.conformance.offsets_log import TOPIC as OFFSETS
from tests.conformance.patience import UNREADY
from tests.conformance.scenarios.reassignments import Shape, await_shape, reassign
from tests.conformance.script import EVERY_CLUSTER
from tests.conformance.share_groups import offsets_request
from tests.conformance.talk import Talk

STATES: Final = "__share_group_state"


def move_partition(talk: Talk, topic: str, index: int, broker: int) -> None:
    """Move a partition to a broker, until all brokers know it."""
    talk.quietly(reassign((topic, index, [broker])), 0, broker=talk.controller())
    await_shape(talk, topic, Shape(index, [broker], leader=broker))


def move_coordinator(talk: Talk, group: str, broker: int) -> None:
    """Move a group's partition to a broker, which is asked from then on, once it has loaded it."""
    count = int(EVERY_CLUSTER["offsets.topic.num.partitions"])
    move_partition(talk, OFFSETS, abs(java_hash_code(group)) % count, broker)
    talk.until_quietly(DescribeGroupsRequest(groups=[group]), 0, is_ready, broker=broker)
    talk.home = broker


def move_share_states(talk: Talk, group: str, broker: int) -> None:
    """Move the only partition of share states to a broker, once it can read a group's states."""
    move_partition(talk, STATES, 0, broker)
    talk.until_quietly(offsets_request(group, None), 1, is_ready)


def is_ready(answer: Message) -> bool:
    """Return whether a coordinator has loaded what it was asked for."""
    return UNREADY.isdisjoint(error_codes(answer))

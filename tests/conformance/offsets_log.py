"""Decoded records of `__consumer_offsets`, with names for the values that vary."""

import struct
from collections.abc import Mapping
from typing import Final, cast

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode
from mockbroker.protocol.log_records import consumer_group as consumers
from mockbroker.protocol.log_records import share_group as share
from mockbroker.protocol.log_records import streams_group as streams
from mockbroker.protocol.log_records import streams_group_current as streams_current
from mockbroker.protocol.log_records.group_metadata import (
    GroupMetadataKey,
    GroupMetadataValue,
    MemberMetadata,
)
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.answers import shown_answer
from tests.conformance.requests import Wanted, fetch
from tests.conformance.stored import Shown, keys_and_values, shown_bytes, shown_records
from tests.conformance.talk import Talk

TOPIC: Final = "__consumer_offsets"
BY_NAME_UNTIL: Final = 12
"""The last version of Fetch with topic names."""
OFFSETS_KEY_VERSIONS: Final = (0, 1)
GROUP_KEY_VERSION: Final = 2
NEWER_KEYS: Final[Mapping[int, tuple[type[Message], type[Message]]]] = {
    3: (consumers.ConsumerGroupMetadataKey, consumers.ConsumerGroupMetadataValue),
    4: (consumers.ConsumerGroupPartitionMetadataKey, consumers.ConsumerGroupPartitionMetadataValue),
    5: (consumers.ConsumerGroupMemberMetadataKey, consumers.ConsumerGroupMemberMetadataValue),
    6: (
        consumers.ConsumerGroupTargetAssignmentMetadataKey,
        consumers.ConsumerGroupTargetAssignmentMetadataValue,
    ),
    7: (
        consumers.ConsumerGroupTargetAssignmentMemberKey,
        consumers.ConsumerGroupTargetAssignmentMemberValue,
    ),
    8: (
        consumers.ConsumerGroupCurrentMemberAssignmentKey,
        consumers.ConsumerGroupCurrentMemberAssignmentValue,
    ),
    10: (share.ShareGroupMemberMetadataKey, share.ShareGroupMemberMetadataValue),
    11: (share.ShareGroupMetadataKey, share.ShareGroupMetadataValue),
    12: (
        share.ShareGroupTargetAssignmentMetadataKey,
        share.ShareGroupTargetAssignmentMetadataValue,
    ),
    13: (
        share.ShareGroupTargetAssignmentMemberKey,
        share.ShareGroupTargetAssignmentMemberValue,
    ),
    14: (
        share.ShareGroupCurrentMemberAssignmentKey,
        share.ShareGroupCurrentMemberAssignmentValue,
    ),
    15: (
        share.ShareGroupStatePartitionMetadataKey,
        share.ShareGroupStatePartitionMetadataValue,
    ),
    16: (
        consumers.ConsumerGroupRegularExpressionKey,
        consumers.ConsumerGroupRegularExpressionValue,
    ),
    17: (streams.StreamsGroupMetadataKey, streams.StreamsGroupMetadataValue),
    19: (streams.StreamsGroupMemberMetadataKey, streams.StreamsGroupMemberMetadataValue),
    20: (
        streams.StreamsGroupTargetAssignmentMetadataKey,
        streams.StreamsGroupTargetAssignmentMetadataValue,
    ),
    21: (
        streams.StreamsGroupTargetAssignmentMemberKey,
        streams.StreamsGroupTargetAssignmentMemberValue,
    ),
    22: (
        streams_current.StreamsGroupCurrentMemberAssignmentKey,
        streams_current.StreamsGroupCurrentMemberAssignmentValue,
    ),
    23: (streams.StreamsGroupTopologyKey, streams.StreamsGroupTopologyValue),
}
"""Keys and values of the records of the newer groups."""


def note_offsets_log(talk: Talk, title: str, partition: int) -> None:
    """Record steps with a partition's batches, without contents, and with its records."""
    talk.needs_own_cluster("reads a whole internal topic")
    version = talk.latest(ApiKey.FETCH, BY_NAME_UNTIL)
    request = fetch(talk, Wanted(TOPIC, partition))
    answer = talk.expect(FetchResponse, talk.quietly(request, version))
    data = bytes(answer.responses[0].partitions[0].records or b"")
    asked = f"{TOPIC}-{partition}"
    batches = cast("list[dict[str, Shown]]", shown_records(data, talk.names))
    are_control = [bool(cast("int", each["attributes"]) & 0x20) for each in batches]
    for each in batches:
        each.pop("records")
    talk.note(f"{title}: batches", asked, cast("Shown", batches))
    if not any(are_control):
        records = [_shown(talk, key, value) for key, value in keys_and_values(data)]
        talk.note(f"{title}: records", asked, cast("Shown", records))
        return
    records = [
        _shown(talk, key, value) for key, value in keys_and_values(data) if key and len(key) > 4
    ]
    talk.note(f"{title}: records but markers", asked, cast("Shown", records))


def _shown(talk: Talk, key: bytes | None, value: bytes | None) -> dict[str, Shown]:
    assert key is not None
    (key_version,) = struct.unpack_from(">h", key)
    if key_version == GROUP_KEY_VERSION:
        return _shown_group(talk, key, value)
    if key_version in NEWER_KEYS:
        return _shown_newer(talk, key_version, key, value)
    if key_version not in OFFSETS_KEY_VERSIONS:
        return {"key": shown_bytes(key)}
    of = decode(OffsetCommitKey, 0, key, 2)
    fields: dict[str, Shown] = {
        "key version": key_version,
        "group": of.group,
        "partition": f"{of.topic}-{of.partition}",
    }
    if value is None:
        return {**fields, "value": None}
    (version,) = struct.unpack_from(">h", value)
    read = decode(OffsetCommitValue, version, value, 2)
    return {
        **fields,
        "value version": version,
        "offset": read.offset,
        "leader_epoch": read.leader_epoch,
        "metadata": read.metadata,
        "committed": talk.names.time(read.commit_timestamp),
        "expires": talk.names.time(read.expire_timestamp),
        "topic_id": talk.names.uuid(read.topic_id),
    }


def _shown_newer(talk: Talk, key_version: int, key: bytes, value: bytes | None) -> dict[str, Shown]:
    of_key, of_value = NEWER_KEYS[key_version]
    about = shown_answer(decode(of_key, 0, key, 2), 0, talk.names)
    assert isinstance(about, dict)
    fields: dict[str, Shown] = {"key version": key_version, **about}
    if value is None:
        return {**fields, "value": None}
    (version,) = struct.unpack_from(">h", value)
    read = shown_answer(decode(of_value, version, value, 2), version, talk.names)
    return {**fields, "value version": version, "value": read}


def _shown_group(talk: Talk, key: bytes, value: bytes | None) -> dict[str, Shown]:
    fields: dict[str, Shown] = {
        "key version": GROUP_KEY_VERSION,
        "group": decode(GroupMetadataKey, 0, key, 2).group,
    }
    if value is None:
        return {**fields, "value": None}
    (version,) = struct.unpack_from(">h", value)
    read = decode(GroupMetadataValue, version, value, 2)
    members = [_shown_member(talk, each) for each in sorted(read.members, key=_order)]
    return {
        **fields,
        "value version": version,
        "protocol_type": read.protocol_type,
        "generation": read.generation,
        "protocol": read.protocol,
        "leader": None if read.leader is None else talk.names.text(read.leader),
        "current_state": talk.names.time(read.current_state_timestamp),
        "members": cast("Shown", members),
    }


def _order(member: MemberMetadata) -> tuple[bytes, str]:
    return member.subscription, member.group_instance_id or ""


def _shown_member(talk: Talk, member: MemberMetadata) -> dict[str, Shown]:
    return {
        "member_id": talk.names.text(member.member_id),
        "group_instance_id": member.group_instance_id,
        "client_id": member.client_id,
        "client_host": member.client_host,
        "rebalance_timeout": member.rebalance_timeout,
        "session_timeout": member.session_timeout,
        "subscription": shown_bytes(member.subscription),
        "assignment": shown_bytes(member.assignment),
    }

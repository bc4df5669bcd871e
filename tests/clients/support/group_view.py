"""A group as its coordinator sees it: DescribeGroups v0 and Heartbeat v0, past all clients."""

import itertools
import struct
from dataclasses import dataclass
from typing import Final

from tests.clients.support.wire import (
    Address,
    Reader,
    RefusedError,
    array,
    call,
    group_coordinator,
    string,
)

_NONE: Final = 0
_ILLEGAL_GENERATION: Final = 22
_GENERATION_MAX: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupView:
    """A group at one moment."""

    state: str
    partitions: frozenset[frozenset[int]]
    """What each of the members is assigned of the one topic that they read."""
    member_ids: tuple[str, ...]


def group_view(bootstrap_servers: str, group: str) -> GroupView:
    """Return the group as it is described."""
    coordinator = group_coordinator(bootstrap_servers, group)
    answer = Reader(call(coordinator, api_key=15, api_version=0, body=array(string(group))))
    _, error_code = answer.unpack(">ih")  # one group
    if error_code:
        raise RefusedError(f"description of {group}", error_code)
    answer.string()
    state = answer.string()
    for _ in ("protocol type", "protocol"):
        answer.string()
    members = dict(_member(answer) for _ in range(answer.unpack(">i")[0]))
    return GroupView(
        state=state, partitions=frozenset(members.values()), member_ids=tuple(sorted(members))
    )


def generation(bootstrap_servers: str, group: str) -> int:
    """Return the generation of a stable group: the one for which a member's heartbeat is taken."""
    coordinator = group_coordinator(bootstrap_servers, group)
    member_id = group_view(bootstrap_servers, group).member_ids[0]
    for candidate in itertools.islice(itertools.count(1), _GENERATION_MAX):
        if (error_code := _heartbeat(coordinator, group, candidate, member_id)) == _NONE:
            return candidate
        assert error_code == _ILLEGAL_GENERATION, f"heartbeat in {group}: error code {error_code}"
    raise AssertionError(f"{group} is beyond generation {_GENERATION_MAX}")


def _heartbeat(coordinator: Address, group: str, candidate: int, member_id: str) -> int:
    body = string(group) + struct.pack(">i", candidate) + string(member_id)
    return Reader(call(coordinator, api_key=12, api_version=0, body=body)).unpack(">h")[0]


def _member(answer: Reader) -> tuple[str, frozenset[int]]:
    member_id = answer.string()
    for _ in ("client id", "client host"):
        answer.string()
    answer.take(answer.unpack(">i")[0])  # its subscription
    return member_id, _assigned(answer.take(answer.unpack(">i")[0]))


def _assigned(assignment: bytes) -> frozenset[int]:
    if not assignment:
        return frozenset()
    content = Reader(assignment)
    _version, topics = content.unpack(">hi")
    if not topics:
        return frozenset()
    assert topics == 1, f"{topics} topics are assigned"
    content.string()
    (count,) = content.unpack(">i")
    return frozenset(content.unpack(f">{count}i"))

"""A group's committed offset, asked for by FindCoordinator v0 and OffsetFetch v1."""

import struct

from tests.clients.support.wire import Address, Reader, array, call, string


def committed_offset(bootstrap_servers: str, group: str, topic: str, partition: int) -> int:
    """Return the offset that the group has committed; -1 when it has none."""
    body = string(group) + array(string(topic) + array(struct.pack(">i", partition)))
    answer = Reader(
        call(_coordinator(bootstrap_servers, group), api_key=9, api_version=1, body=body)
    )
    answer.unpack(">i")
    answer.string()
    _, _, offset = answer.unpack(">iiq")
    answer.string()  # metadata
    (error_code,) = answer.unpack(">h")
    if error_code:
        raise AssertionError(f"offset of {group} in {topic}-{partition}: error code {error_code}")
    return offset


def _coordinator(bootstrap_servers: str, group: str) -> Address:
    host, _, port = bootstrap_servers.split(",", maxsplit=1)[0].rpartition(":")
    answer = Reader(call((host, int(port)), api_key=10, api_version=0, body=string(group)))
    (error_code, _node_id) = answer.unpack(">hi")
    if error_code:
        raise AssertionError(f"coordinator of {group}: error code {error_code}")
    return answer.string(), answer.unpack(">i")[0]

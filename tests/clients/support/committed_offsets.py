"""A group's committed offset, asked for by OffsetFetch v1."""

import struct

from tests.clients.support.wire import Reader, RefusedError, array, call, group_coordinator, string


def committed_offset(bootstrap_servers: str, group: str, topic: str, partition: int) -> int:
    """Return the offset that the group has committed; -1 when it has none."""
    body = string(group) + array(string(topic) + array(struct.pack(">i", partition)))
    answer = Reader(
        call(group_coordinator(bootstrap_servers, group), api_key=9, api_version=1, body=body)
    )
    answer.unpack(">i")
    answer.string()
    _, _, offset = answer.unpack(">iiq")
    answer.string()  # metadata
    (error_code,) = answer.unpack(">h")
    if error_code:
        raise RefusedError(f"offset of {group} in {topic}-{partition}", error_code)
    return offset

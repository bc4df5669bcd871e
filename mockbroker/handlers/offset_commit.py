"""OffsetCommit: keep how far a group has read (KIP-98, KIP-848)."""

from typing import Final

from mockbroker.call import Call
from mockbroker.dispatch import handles
from mockbroker.group_offsets import (
    as_groups_know,
    check_group,
    commit_offsets,
    home_of,
    sort_out,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

FIRST_WITH_UNKNOWN_GROUP: Final = 9
FIRST_WITH_TOPIC_IDS: Final = 10


@handles(ApiKey.OFFSET_COMMIT, versions=range(11))
def offset_commit(request: OffsetCommitRequest, call: Call) -> OffsetCommitResponse:
    """Write the offsets of a group that has no members."""
    commits = sort_out(call, request.topics, by_id=call.api_version >= FIRST_WITH_TOPIC_IDS)
    unknown = (
        ErrorCode.GROUP_ID_NOT_FOUND
        if call.api_version >= FIRST_WITH_UNKNOWN_GROUP
        else ErrorCode.ILLEGAL_GENERATION
    )
    try:
        home = home_of(call, request.group_id)
        check_group(
            call,
            request.group_id,
            request.generation_id_or_member_epoch,
            request.member_id,
            unknown=unknown,
        )
        commit_offsets(
            call,
            home,
            request.group_id,
            commits.offsets,
            retention_time_ms=request.retention_time_ms,
        )
    except ApiError as failure:
        refusal = as_groups_know(failure)
        call.service.refusals.note("offset_commit_refused", refusal, group_id=request.group_id)
        commits.refuse(refusal.code)
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=name,
                topic_id=topic_id,
                partitions=[
                    OffsetCommitResponsePartition(partition_index=index, error_code=code)
                    for index, code in codes.items()
                ],
            )
            for (name, topic_id), codes in commits.codes.items()
        ]
    )

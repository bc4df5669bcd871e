"""OffsetCommit: commit the offsets of a group (KIP-211, KIP-345, KIP-848)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import check_version, coordinator_of, sort_out
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from mockbroker.state.group.group_checks import Committer

FIRST_WITH_UNKNOWN_GROUP: Final = 9
FIRST_WITH_TOPIC_IDS: Final = 10


def offset_commit(request: OffsetCommitRequest, call: Call) -> OffsetCommitResponse:
    """Commit offsets for a member of the group, or for any client if it has no members."""
    commits = sort_out(
        call,
        request.group_id,
        request.topics,
        by_id=call.api_version >= FIRST_WITH_TOPIC_IDS,
        retention_time_ms=request.retention_time_ms,
    )
    options = call.cluster.options.offsets
    has_own_code = call.api_version >= FIRST_WITH_UNKNOWN_GROUP and options.commit_may_lack_group
    unknown = ErrorCode.GROUP_ID_NOT_FOUND if has_own_code else ErrorCode.ILLEGAL_GENERATION
    try:
        check_version(call)
        coordinator_of(call).commit_offsets(
            request.group_id,
            Committer(
                request.member_id,
                request.group_instance_id,
                request.generation_id_or_member_epoch,
                call.api_version,
            ),
            commits.records,
            call.now_ms,
            unknown_group=unknown,
        )
    except ApiError as refusal:
        call.service.refusals.note("offset_commit_refused", refusal, group_id=request.group_id)
        commits.refuse(refusal.code)
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=name,
                topic_id=topic_id,
                partitions=[
                    OffsetCommitResponsePartition(partition_index=each.index, error_code=each.code)
                    for each in call.paced(answers)
                ],
            )
            for (name, topic_id), answers in call.paced(commits.answers.items())
        ]
    )

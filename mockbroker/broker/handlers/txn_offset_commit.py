"""TxnOffsetCommit: commit a group's offsets in a transaction (KIP-98, KIP-447, KIP-890)."""

from typing import Final

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.handlers.group_offsets import SortedCommits, coordinator_of, sort_out
from mockbroker.broker.produce.transaction_verification import (
    NOTHING_TO_VERIFY,
    FirstBatch,
    Question,
    TransactionSupportedOperation,
    Verified,
    is_verification_enabled,
    verify,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE
from mockbroker.state.coordinator.coordinator_log import APPEND_REFUSALS
from mockbroker.state.coordinator.log_records import BatchWriter
from mockbroker.state.group.group_checks import Committer
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, Partition
from mockbroker.state.transaction.producer_epochs import ProducerIdAndEpoch

FIRST_WITH_LOAD_IN_PROGRESS: Final = 2
FIRST_WITH_ABORTABLE: Final = 4
FIRST_WITH_ADDED_PARTITION: Final = 5
FIRST_WITH_TOPIC_IDS: Final = 6
FIRST_WITH_MEMBER_EPOCHS: Final = 6

_AS_GROUPS_KNOW: Final = {
    **APPEND_REFUSALS,
    ErrorCode.NETWORK_EXCEPTION: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
}
"""Error codes for group clients if the verification failed."""


def txn_offset_commit(request: TxnOffsetCommitRequest, call: Call) -> Answer:
    """Write a group's offsets, which take effect when the transaction commits."""
    commits = sort_out(
        call, request.group_id, request.topics, by_id=call.api_version >= FIRST_WITH_TOPIC_IDS
    )
    if not commits.records:
        return _response(call, commits)
    try:
        home = _home(request, call)
    except ApiError as refusal:
        return _refused(request, call, commits, refusal)
    question = Question(
        _operation(call.api_version),
        request.transactional_id,
        ProducerIdAndEpoch(request.producer_id, request.producer_epoch),
    )

    def proceed(verified: Verified) -> Answer:
        try:
            _commit(request, call, commits, home, verified)
        except ApiError as refusal:
            return _refused(request, call, commits, refusal)
        return _response(call, commits)

    if not call.cluster.options.producer_state.verifies_offsets:
        return proceed(NOTHING_TO_VERIFY)
    return verify(call, question, [FirstBatch(home, NO_SEQUENCE)], proceed)


def _response(call: Call, commits: SortedCommits) -> TxnOffsetCommitResponse:
    return TxnOffsetCommitResponse(
        topics=[
            TxnOffsetCommitResponseTopic(
                name=name,
                topic_id=topic_id,
                partitions=[
                    TxnOffsetCommitResponsePartition(
                        partition_index=each.index, error_code=each.code
                    )
                    for each in call.paced(answers)
                ],
            )
            for (name, topic_id), answers in call.paced(commits.answers.items())
        ]
    )


def _refused(
    request: TxnOffsetCommitRequest, call: Call, commits: SortedCommits, refusal: ApiError
) -> TxnOffsetCommitResponse:
    call.service.refusals.note("txn_offset_commit_refused", refusal, group_id=request.group_id)
    commits.refuse(_as_client_knows(refusal.code, call))
    return _response(call, commits)


def _home(request: TxnOffsetCommitRequest, call: Call) -> Partition:
    """Return the partition that stores the group, which is to be verified.

    Raises:
        ApiError: the group has none, or this broker is not its coordinator.

    """
    if not request.group_id and call.cluster.options.transactions.offsets_need_group:
        raise ApiError(ErrorCode.INVALID_GROUP_ID, "the group id is empty")
    if CONSUMER_OFFSETS not in call.cluster.topics and is_verification_enabled(call):
        code = call.cluster.options.transactions.offsets_without_topic
        raise ApiError(code, f"{CONSUMER_OFFSETS} does not exist and cannot be verified")
    index = coordinator_of(call).groups.owner_of(request.group_id).index
    home = call.cluster.partition(CONSUMER_OFFSETS, index)
    assert home is not None, index
    return home


def _commit(
    request: TxnOffsetCommitRequest,
    call: Call,
    commits: SortedCommits,
    home: Partition,
    verified: Verified,
) -> None:
    """Check the group, and write the offsets.

    Raises:
        ApiError: the verification's error, or an error of the group or its log.

    """
    for code in verified.errors.values():
        raise ApiError(
            _AS_GROUPS_KNOW.get(code, code), f"{home.topic_partition} is not in the transaction"
        )
    coordinator = coordinator_of(call)
    coordinator.check_transactional_commit(
        request.group_id,
        Committer(
            request.member_id, request.group_instance_id, request.generation_id_or_member_epoch
        ),
        call.now_ms,
        commits.records,
        unknown_group=_unknown_group(call),
    )
    if request.producer_id != NO_PRODUCER_ID and request.producer_epoch == NO_PRODUCER_EPOCH:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "the transaction's producer needs an epoch")
    coordinator.commit_transactional_offsets(
        request.group_id,
        commits.records,
        BatchWriter(request.producer_id, request.producer_epoch),
        call.now_ms,
        verified.guards.get(home.topic_partition),
        member_id=request.member_id,
    )


def _unknown_group(call: Call) -> ErrorCode:
    """Return the error for a generation of a group that does not exist."""
    if call.api_version >= FIRST_WITH_MEMBER_EPOCHS:
        return ErrorCode.GROUP_ID_NOT_FOUND
    return ErrorCode.ILLEGAL_GENERATION


def _operation(api_version: int) -> TransactionSupportedOperation:
    if api_version >= FIRST_WITH_ADDED_PARTITION:
        return TransactionSupportedOperation.ADD_PARTITION
    if api_version >= FIRST_WITH_ABORTABLE:
        return TransactionSupportedOperation.GENERIC_ERROR_SUPPORTED
    return TransactionSupportedOperation.DEFAULT_ERROR


def _as_client_knows(code: ErrorCode, call: Call) -> ErrorCode:
    """Map codes that older clients do not expect: of members' epochs, and KAFKA-7296."""
    if code is ErrorCode.STALE_MEMBER_EPOCH and call.api_version < FIRST_WITH_MEMBER_EPOCHS:
        return ErrorCode.ILLEGAL_GENERATION
    is_loading = code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    if is_loading and call.api_version < FIRST_WITH_LOAD_IN_PROGRESS:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    return code

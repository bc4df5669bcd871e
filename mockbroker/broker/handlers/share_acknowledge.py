"""ShareAcknowledge: acknowledge acquired records (KIP-932, KIP-1222).

- v2: the answer has the duration of acquisition locks, and records can be renewed.
"""

from mockbroker.broker.call import Answer, Call
from mockbroker.broker.handlers.newer_groups import refuse
from mockbroker.broker.handlers.share_requests import (
    Acknowledged,
    acknowledge_all,
    as_batches,
    by_topic,
    check_names,
    member_of,
    name_leader,
    share_partitions,
)
from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.messages.share_acknowledge import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
    ShareAcknowledgeTopicResponse,
)
from mockbroker.state.share.share_session import FINAL_EPOCH, MemberKey, PartitionId


def share_acknowledge(request: ShareAcknowledgeRequest, call: Call) -> Answer:
    """Acknowledge records, and end the member's session in epoch -1."""
    if not call.cluster.options.serves_share_groups:
        return refuse(request, call)
    manager = share_partitions(call)
    batches = {
        (topic.topic_id, partition.partition_index): as_batches(partition.acknowledgement_batches)
        for topic in call.paced(request.topics)
        for partition in call.paced(topic.partitions)
    }
    try:
        member = member_of(request.group_id, request.member_id)
        manager.sessions.acknowledge(member, request.share_session_epoch)
        check_names(call, batches)
    except ApiError as refusal:
        call.service.refusals.note("share_acknowledge_refused", refusal, client_id=call.client_id)
        return ShareAcknowledgeResponse(error_code=refusal.code)
    outcomes = acknowledge_all(call, member, batches, is_renewal=request.is_renew_ack)
    if request.share_session_epoch == FINAL_EPOCH:
        manager.release_session(member, call.now_ms)
    return _response(call, member, outcomes)


def _response(
    call: Call, member: MemberKey, outcomes: dict[PartitionId, Acknowledged]
) -> ShareAcknowledgeResponse:
    settings = share_partitions(call).settings(member.group_id)
    response = ShareAcknowledgeResponse(acquisition_lock_timeout_ms=settings.lock_duration_ms)
    for topic_id, partitions in by_topic(outcomes).items():
        topic = ShareAcknowledgeTopicResponse(topic_id=topic_id)
        for partition in call.paced(partitions):
            outcome = outcomes[partition]
            leader = LeaderIdAndEpoch()
            endpoint = name_leader(
                call, partition, outcome.error_code, leader, response.node_endpoints
            )
            if endpoint is not None:
                response.node_endpoints.append(
                    NodeEndpoint(
                        node_id=endpoint.node_id,
                        host=endpoint.host,
                        port=endpoint.port,
                        rack=endpoint.rack,
                    )
                )
            data = PartitionData(
                partition_index=partition[1],
                error_code=outcome.error_code,
                error_message=outcome.error_message,
                current_leader=leader,
            )
            topic.partitions.append(data)
        response.responses.append(topic)
    return response

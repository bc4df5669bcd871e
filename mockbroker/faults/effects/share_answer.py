"""Error answers to ShareFetch and ShareAcknowledge, which continue the member's share session.

As at a real broker, an error of some partitions, or of all, does not end the session: the rest of
the request is handled, which advances the session's epoch, and the partitions with the error stay
part of the session.
"""

from collections.abc import Callable
from typing import Final

from mockbroker.broker.call import Answer as CallAnswer
from mockbroker.broker.request_items import Path, subset
from mockbroker.faults.strike import Response, Strike
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.merged_answer import merged
from mockbroker.protocol.messages.share_acknowledge import (
    ShareAcknowledgeRequest,
    ShareAcknowledgeResponse,
)
from mockbroker.protocol.messages.share_fetch import (
    ForgottenTopic,
    ShareFetchRequest,
    ShareFetchResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.state.share.share_session import MemberKey, PartitionId

OF_SHARE_SESSIONS: Final = frozenset({ApiKey.SHARE_FETCH, ApiKey.SHARE_ACKNOWLEDGE})
_PARTITION_DEPTH: Final = 2


def continue_session(
    strike: Strike, refusal: Callable[[], Message], *, is_applied: bool
) -> CallAnswer:
    """Handle the request, or what does not match the fault; answer the rest with the error."""
    request = strike.request
    assert isinstance(request, ShareFetchRequest | ShareAcknowledgeRequest), request
    refused = _with_acknowledgements(refusal(), strike)
    chosen = _chosen(strike)

    def answered(response: Response) -> CallAnswer:
        if not isinstance(response, ShareFetchResponse | ShareAcknowledgeResponse):
            return response
        manager = strike.call.service.share_managers.get(strike.call.broker_id)
        if manager is not None and isinstance(request, ShareFetchRequest):
            member = MemberKey(request.group_id or "", request.member_id or "")
            manager.sessions.keep(member, chosen)
        if response.error_code:
            # Without a session, for instance, nothing was handled.
            return response if strike.others else refused
        return merged(response, refused, strike.call.api_version)

    asked = request if is_applied else _rest(strike, request, chosen)
    return strike.then(strike.proceed(asked), answered)


def _rest(
    strike: Strike,
    request: ShareFetchRequest | ShareAcknowledgeRequest,
    chosen: list[PartitionId],
) -> Message:
    """Return the request without the partitions that match the fault."""
    count = len(request.topics)
    # The items behind the request's own are those of its session.
    own = {path for path in strike.others if path and path[0][1] < count}
    rest = subset(request, own)
    if not own:
        rest.topics = []
    if isinstance(rest, ShareFetchRequest):
        # As in Kafka, a fetch with an error does not wait.
        rest.max_wait_ms = 0
        if rest.share_session_epoch > 0:
            rest.forgotten_topics_data = [
                *rest.forgotten_topics_data,
                *(ForgottenTopic(topic_id=each, partitions=[index]) for each, index in chosen),
            ]
    return rest


def _chosen(strike: Strike) -> list[PartitionId]:
    request = strike.facts.request
    assert isinstance(request, ShareFetchRequest | ShareAcknowledgeRequest), request

    def partition_at(path: Path) -> PartitionId:
        topic = request.topics[path[0][1]]
        return topic.topic_id, topic.partitions[path[1][1]].partition_index

    return [partition_at(item.path) for item in strike.chosen if len(item.path) == _PARTITION_DEPTH]


def _with_acknowledgements(refused: Message, strike: Strike) -> Message:
    """Set the error of acknowledgements too, in partitions for which a ShareFetch has some."""
    request = strike.facts.request
    if not isinstance(refused, ShareFetchResponse) or not isinstance(request, ShareFetchRequest):
        return refused
    acknowledging = {
        (topic.topic_id, each.partition_index)
        for topic in request.topics
        for each in topic.partitions
        if each.acknowledgement_batches
    }
    for topic in refused.responses:
        for data in topic.partitions:
            if (topic.topic_id, data.partition_index) in acknowledging:
                data.acknowledge_error_code = data.error_code
    return refused

"""Input of selectors: a call with its items, or a connection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from mockbroker.broker.call import ANONYMOUS, Call
from mockbroker.broker.request_items import Item, items_of, names_in
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from mockbroker.protocol.messages.leave_group import LeaveGroupRequest
from mockbroker.protocol.messages.share_fetch import FetchPartition as ShareFetchPartition
from mockbroker.protocol.messages.share_fetch import FetchTopic as ShareFetchTopic
from mockbroker.protocol.messages.share_fetch import ShareFetchRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.state.share.share_session import MemberKey

_MEMBER_ID: Final = "member_id"


class ConnectionFacts(NamedTuple):
    """A connection, as selectors see it."""

    connection: int
    broker: int
    client_id: str | None
    principal: str = ANONYMOUS
    listener: str = ""

    def __str__(self) -> str:
        """Format the connection."""
        return f"connection {self.connection} of client {self.client_id!r} to broker {self.broker}"


@dataclass(frozen=True, slots=True)
class CallFacts:
    """A call, as selectors and predicates see it."""

    api: ApiKey
    version: int
    broker: int
    connection: int
    client_id: str | None
    request: Message
    """The request, decoded; a Fetch or ShareFetch has all partitions of its session."""
    items: Sequence[Item]
    principal: str = ANONYMOUS
    """The authenticated client, such as `User:alice`."""
    listener: str = ""
    """Name of the listener to which the client is connected."""
    between_brokers: bool = False
    """True if a broker sent the request, and no client."""

    def __str__(self) -> str:
        """Format the call."""
        return f"{self.api.title} v{self.version}"

    @property
    def of_call(self) -> Mapping[str, object]:
        """Properties that all items share."""
        return {
            "api": self.api,
            "version": self.version,
            "broker": self.broker,
            "connection": self.connection,
            "client_id": self.client_id,
            "principal": self.principal,
            "listener": self.listener,
            "between_brokers": self.between_brokers,
        }


def facts_of(request: Message, call: Call) -> CallFacts:
    """Return the properties of a call that selectors use."""
    if isinstance(request, FetchRequest):
        request = _with_session(request, call)
    elif isinstance(request, ShareFetchRequest):
        request = _with_share_session(request, call)
    items = items_of(request, call.api_version, lambda topic_id: _name_of(topic_id, call))
    return CallFacts(
        call.api_key,
        call.api_version,
        call.broker_id,
        call.connection_id,
        call.client_id,
        request,
        [_with_member(item, request) for item in items],
        call.principal,
        call.listener,
        call.from_broker is not None,
    )


def selectable(api: ApiKey, versions: Iterable[int]) -> frozenset[str]:
    """Return the selectors that some item of a call of these versions of an API can have."""
    return frozenset(
        name for version in versions for name in names_in(request_type(api), version, (_MEMBER_ID,))
    )


def _name_of(topic_id: Uuid, call: Call) -> str | None:
    topic = call.cluster.topics.by_id(topic_id)
    return None if topic is None else topic.name


def _with_member(item: Item, request: Message) -> Item:
    """Add the group member to an item: that of the request, or of an element around the item."""
    struct: object = request
    found: object = getattr(request, _MEMBER_ID, None)
    for name, index in item.path:
        struct = getattr(struct, name)[index]
        found = getattr(struct, _MEMBER_ID, found)
    if isinstance(request, LeaveGroupRequest) and request.members:
        found = request.members[0].member_id if len(request.members) == 1 else None
    return item if found is None else item._replace(named={**item.named, _MEMBER_ID: found})


def _with_share_session(request: ShareFetchRequest, call: Call) -> ShareFetchRequest:
    """Add the partitions of its session to a ShareFetch, except those that it forgets."""
    manager = call.service.share_managers.get(call.broker_id)
    if manager is None or request.share_session_epoch <= 0:
        return request
    member = MemberKey(request.group_id or "", request.member_id or "")
    named = {(t.topic_id, p.partition_index) for t in request.topics for p in t.partitions}
    named |= {(t.topic_id, index) for t in request.forgotten_topics_data for index in t.partitions}
    copy = ShareFetchRequest()
    for name in ShareFetchRequest.FIELDS:
        setattr(copy, name, getattr(request, name))
    copy.topics = [
        *request.topics,
        *(
            ShareFetchTopic(
                topic_id=topic_id, partitions=[ShareFetchPartition(partition_index=index)]
            )
            for topic_id, index in manager.sessions.partitions_of(member)
            if (topic_id, index) not in named
        ),
    ]
    return copy


def _with_session(request: FetchRequest, call: Call) -> FetchRequest:
    """Add the partitions of its session to a fetch that names only what has changed (KIP-227)."""
    manager = call.service.fetch_managers.get(call.broker_id)
    if manager is None or request.session_epoch <= 0:
        return request
    session = manager.cache.get(request.session_id)
    if session is None:
        return request
    named = {(t.topic_id, t.topic, p.partition) for t in request.topics for p in t.partitions}
    copy = FetchRequest()
    for name in FetchRequest.FIELDS:
        setattr(copy, name, getattr(request, name))
    copy.topics = list(request.topics)
    for known in session.partitions.values():
        topic = "" if session.uses_topic_ids else known.topic or ""
        if (known.topic_id, topic, known.partition) not in named:
            partition = FetchPartition(partition=known.partition, fetch_offset=known.fetch_offset)
            copy.topics.append(
                FetchTopic(topic=topic, topic_id=known.topic_id, partitions=[partition])
            )
    return copy

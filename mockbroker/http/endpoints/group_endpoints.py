"""Groups over HTTP."""

from typing import Final, TypeVar

from mockbroker.control.handles.group_handle import GroupHandle
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.documents.group_view import GroupsView, GroupView, groups_view
from mockbroker.http.documents.share_view import SharePartitionsView, share_partitions_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.endpoints.broker_endpoints import CoordinatorView
from mockbroker.http.endpoints.transaction_endpoints import StepView
from mockbroker.http.missing import missing

GROUPS: Final = Endpoints()
_ID: Final = "/groups/{group_id}"
DocumentT = TypeVar("DocumentT", bound=Document)


class MemberDocument(Document, kw_only=True):
    """A member of the group."""

    member_id: str


class LocksDocument(Document):
    """The acquisition locks of a topic, a partition, a member; default: of the whole group."""

    topic: str | None = None
    partition: int | None = None
    member_id: str | None = None


class ExpiredLocksView(View):
    """Number of records whose locks have expired."""

    records: int


class HeldDeadLettersView(View):
    """The dead letters that wait, in the order in which they are written."""

    waiting: list[str]


class ShareCoordinatorDocument(Document, kw_only=True):
    """A share partition, and the broker to move its coordinator to; default: the next replica."""

    topic: str
    partition: int
    to: int | None = None


@GROUPS.add("GET", "/groups", reads=Nothing, answers=GroupsView)
def list_groups(request: ApiRequest[Nothing]) -> GroupsView:
    """List the groups that coordinators know."""
    return request.cluster.look(lambda cluster, _now_ms: groups_view(cluster))


@GROUPS.add("GET", _ID, reads=Nothing, answers=GroupView)
def get_group(request: ApiRequest[Nothing]) -> GroupView:
    """Show a group, its members and its committed offsets."""
    return _shown(request)


@GROUPS.add(
    "POST", _ID + "/fence", reads=MemberDocument, answers=GroupView, problems=("kafka-error",)
)
def fence_member(request: ApiRequest[MemberDocument]) -> GroupView:
    """Remove a member, as its coordinator does when the member's session ends."""
    _handle(request).fence(request.document.member_id)
    return _shown(request)


@GROUPS.add("POST", _ID + "/rebalance", reads=Nothing, answers=GroupView, problems=("kafka-error",))
def rebalance_group(request: ApiRequest[Nothing]) -> GroupView:
    """Begin a rebalance, as after a member has joined and left again."""
    _handle(request).rebalance()
    return _shown(request)


@GROUPS.add("POST", _ID + "/hold-reconciliation", reads=Nothing)
def hold_reconciliation(request: ApiRequest[Nothing]) -> None:
    """Keep the members from new assignments; the group need not exist yet."""
    _named(request).hold_reconciliation()


@GROUPS.add("POST", _ID + "/step", reads=MemberDocument)
def step_member(request: ApiRequest[MemberDocument]) -> None:
    """Let one member of a held group take its next step, in its next heartbeat."""
    _handle(request).step(request.document.member_id)


@GROUPS.add("POST", _ID + "/release", reads=Nothing)
def release_reconciliation(request: ApiRequest[Nothing]) -> None:
    """Hold the members no more: they get their assignments in their next heartbeats."""
    _named(request).release()


@GROUPS.add("GET", _ID + "/dead-letters", reads=Nothing, answers=HeldDeadLettersView)
def list_dead_letters(request: ApiRequest[Nothing]) -> HeldDeadLettersView:
    """Show the dead letters of a share group that are held."""
    return HeldDeadLettersView(waiting=list(_named(request).held_dead_letters))


@GROUPS.add("POST", _ID + "/hold-dead-letters", reads=Nothing)
def hold_dead_letters(request: ApiRequest[Nothing]) -> None:
    """Hold the dead letters of a share group: their records are ARCHIVING then."""
    _named(request).hold_dead_letters()


@GROUPS.add("POST", _ID + "/step-dead-letters", reads=Nothing, answers=StepView)
def step_dead_letters(request: ApiRequest[Nothing]) -> StepView:
    """Write the dead letters that have waited longest."""
    return StepView(done=_named(request).step_dead_letters())


@GROUPS.add("POST", _ID + "/release-dead-letters", reads=Nothing)
def release_dead_letters(request: ApiRequest[Nothing]) -> None:
    """Write all dead letters that wait, and hold no more."""
    _named(request).release_dead_letters()


@GROUPS.add("GET", _ID + "/share-partitions", reads=Nothing, answers=SharePartitionsView)
def list_share_partitions(request: ApiRequest[Nothing]) -> SharePartitionsView:
    """Show the partitions of a share group, with their records in flight."""
    return share_partitions_view(_handle(request).share_partitions.values())


@GROUPS.add("POST", _ID + "/expire-locks", reads=LocksDocument, answers=ExpiredLocksView)
def expire_locks(request: ApiRequest[LocksDocument]) -> ExpiredLocksView:
    """Let acquisition locks of a share group expire now, as at their time."""
    document = request.document
    records = _handle(request).expire_locks(
        document.topic, document.partition, member_id=document.member_id
    )
    return ExpiredLocksView(records=records)


@GROUPS.add(
    "POST",
    _ID + "/move-share-coordinator",
    reads=ShareCoordinatorDocument,
    answers=CoordinatorView,
)
def move_share_coordinator(request: ApiRequest[ShareCoordinatorDocument]) -> CoordinatorView:
    """Move the coordinator that stores the state of a share partition to another broker."""
    document = request.document
    broker = _handle(request).move_share_coordinator(
        document.topic, document.partition, document.to
    )
    return CoordinatorView(broker=broker)


def _shown(request: ApiRequest[DocumentT]) -> GroupView:
    """Show a group.

    Raises:
        Problem: no coordinator knows it.

    """
    name = request.names["group_id"]
    listed = request.cluster.look(lambda cluster, _now_ms: groups_view(cluster).groups)
    known = {each.group_id: each for each in listed}
    if name not in known:
        raise missing("group", name, known)
    return known[name]


def _named(request: ApiRequest[DocumentT]) -> GroupHandle:
    """Return the handle of a group that need not exist yet."""
    return request.cluster.group(request.names["group_id"])


def _handle(request: ApiRequest[DocumentT]) -> GroupHandle:
    """Return the handle of a known group."""
    return request.cluster.group(_shown(request).group_id)

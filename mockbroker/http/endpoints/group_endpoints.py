"""Groups over HTTP."""

from typing import Final

from mockbroker.control.handles.group_handle import GroupHandle
from mockbroker.faults.documents.strict import Document
from mockbroker.http.documents.group_view import GroupsView, GroupView, groups_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.missing import missing

GROUPS: Final = Endpoints()
_ID: Final = "/groups/{group_id}"


class MemberDocument(Document, kw_only=True):
    """A member of the group."""

    member_id: str


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


@GROUPS.add("POST", _ID + "/hold-reconciliation", reads=Nothing)
def hold_reconciliation(request: ApiRequest[Nothing]) -> None:
    """Keep the members from new assignments; the group need not exist yet."""
    request.cluster.group(request.names["group_id"]).hold_reconciliation()


@GROUPS.add("POST", _ID + "/step", reads=MemberDocument)
def step_member(request: ApiRequest[MemberDocument]) -> None:
    """Let one member of a held group take its next step, in its next heartbeat."""
    _handle(request).step(request.document.member_id)


@GROUPS.add("POST", _ID + "/release", reads=Nothing)
def release_reconciliation(request: ApiRequest[Nothing]) -> None:
    """Hold the members no more: they get their assignments in their next heartbeats."""
    request.cluster.group(request.names["group_id"]).release()


def _shown(request: ApiRequest[Nothing] | ApiRequest[MemberDocument]) -> GroupView:
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


def _handle(request: ApiRequest[MemberDocument]) -> GroupHandle:
    """Return the handle of a known group."""
    return request.cluster.group(_shown(request).group_id)

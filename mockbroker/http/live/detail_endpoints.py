"""Details of a partition and of a share group for the live page: bounded, whatever there is."""

from typing import Final

from mockbroker.broker.stored_records import partitions_of
from mockbroker.http.documents.replica_rows import ReplicaRowsView, replica_rows
from mockbroker.http.documents.share_detail_view import ShareDetailView, share_detail_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.endpoints.partition_endpoints import partition_of

DETAILS: Final = Endpoints()


@DETAILS.add(
    "GET",
    "/views/topics/{topic}/partitions/{partition}/replicas",
    reads=Nothing,
    answers=ReplicaRowsView,
)
def view_replicas(request: ApiRequest[Nothing]) -> ReplicaRowsView:
    """Show the replicas of a partition with a part of what their logs have."""
    partition = partition_of(request)
    topic, index = partition.topic, partition.index
    return request.cluster.look(
        lambda state, _now_ms: replica_rows(partitions_of(state, topic, index)[0])
    )


@DETAILS.add("GET", "/views/groups/{group_id}/share", reads=Nothing, answers=ShareDetailView)
def view_share_group(request: ApiRequest[Nothing]) -> ShareDetailView:
    """Show the share partitions of a group with a part of their records in flight."""
    service, group_id = request.host.service, request.names["group_id"]
    return request.cluster.look(lambda _state, _now_ms: share_detail_view(service, group_id))

"""Replicas over HTTP: what each has, and actions that make one differ from the others."""

from collections.abc import Callable
from typing import Any, Final

from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.faults.documents.strict import Document
from mockbroker.http.documents.replica_view import ReplicasView, ReplicaView, replica_view
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.endpoints.partition_endpoints import (
    ForgottenView,
    LogStartDocument,
    ProducerDocument,
    partition_of,
)
from mockbroker.state.producer.producer_recovery import KeptSnapshot

REPLICAS: Final = Endpoints()
_PATH: Final = "/topics/{topic}/partitions/{partition}/replicas"
_ONE: Final = f"{_PATH}/{{broker}}"


class SnapshotDocument(Document):
    """The producer snapshot that the replica loads."""

    snapshot: KeptSnapshot = "full"


@REPLICAS.add("GET", _PATH, reads=Nothing, answers=ReplicasView)
def list_replicas(request: ApiRequest[Nothing]) -> ReplicasView:
    """List the replicas of a partition with the offsets and producers of their logs."""
    partition: PartitionHandle = partition_of(request)
    return ReplicasView(
        replicas=[replica_view(partition.replica(each)) for each in partition.replicas]
    )


@REPLICAS.add("POST", f"{_ONE}/hold-offsets", reads=Nothing, answers=ReplicaView)
def hold_offsets(request: ApiRequest[Nothing]) -> ReplicaView:
    """Keep a follower's log start offset and high watermark, while it goes on to copy records."""
    return _happened(request, ReplicaHandle.hold_offsets)


@REPLICAS.add("POST", f"{_ONE}/release-offsets", reads=Nothing, answers=ReplicaView)
def release_offsets(request: ApiRequest[Nothing]) -> ReplicaView:
    """Let the leader's log start offset and high watermark arrive again."""
    return _happened(request, ReplicaHandle.release_offsets)


@REPLICAS.add("POST", f"{_ONE}/move-log-start", reads=LogStartDocument, answers=ReplicaView)
def move_replica_log_start(request: ApiRequest[LogStartDocument]) -> ReplicaView:
    """Move the log start offset of one replica alone."""
    return _happened(request, lambda replica: replica.move_log_start(request.document.to))


@REPLICAS.add("POST", f"{_ONE}/reload-producers", reads=SnapshotDocument, answers=ReplicaView)
def reload_producers(request: ApiRequest[SnapshotDocument]) -> ReplicaView:
    """Reload the producers of one replica, as its broker does when it restarts."""
    return _happened(request, lambda replica: replica.reload_producers(request.document.snapshot))


@REPLICAS.add("POST", f"{_ONE}/forget-producer", reads=ProducerDocument, answers=ForgottenView)
def forget_producer_of_replica(request: ApiRequest[ProducerDocument]) -> ForgottenView:
    """Forget a producer in one replica alone."""
    return ForgottenView(was_known=_replica(request).forget_producer(request.document.producer_id))


def _happened(request: ApiRequest[Any], event: Callable[[ReplicaHandle], object]) -> ReplicaView:
    """Apply an action to the replica in the path, and show it."""
    replica = _replica(request)
    event(replica)
    return replica_view(replica)


def _replica(request: ApiRequest[Any]) -> ReplicaHandle:
    return partition_of(request).replica(request.number("broker"))

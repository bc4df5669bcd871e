"""DescribeCluster: the brokers, the cluster id and the controller (KIP-700, KIP-919)."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.authorized_operations import (
    operations_on_cluster,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

BROKERS: Final = 1
CONTROLLERS: Final = 2


def describe_cluster(request: DescribeClusterRequest, call: Call) -> DescribeClusterResponse:
    """Describe the cluster; refuse clients that expect a controller endpoint."""
    try:
        _check_endpoint_type(request.endpoint_type)
    except ApiError as refusal:
        call.service.refusals.note("describe_cluster_refused", refusal)
        return DescribeClusterResponse(error_code=refusal.code, error_message=refusal.why)
    cluster = call.cluster
    return DescribeClusterResponse(
        endpoint_type=BROKERS,
        cluster_id=cluster.cluster_id,
        controller_id=cluster.controller_id,
        brokers=[
            DescribeClusterBroker(
                broker_id=broker.node_id,
                host=broker.host,
                port=broker.port,
                rack=broker.rack,
                is_fenced=broker.node_id in cluster.fenced,
            )
            for broker in (each.seen_from(call.listener) for each in cluster.brokers.values())
            if request.include_fenced_brokers or broker.node_id not in cluster.fenced
        ],
        cluster_authorized_operations=operations_on_cluster(
            call, requested=request.include_cluster_authorized_operations
        ),
    )


def _check_endpoint_type(endpoint_type: int) -> None:
    if endpoint_type == CONTROLLERS:
        raise ApiError(
            ErrorCode.MISMATCHED_ENDPOINT_TYPE,
            "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of"
            " type CONTROLLER",
        )
    if endpoint_type != BROKERS:
        raise ApiError(
            ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, f"Unsupported endpoint type {endpoint_type}"
        )

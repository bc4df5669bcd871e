"""DescribeCluster, for clients of brokers."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_cluster import (
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from tests.support.in_process import Brokers


def ask(
    brokers: Brokers, version: int = 2, *, with_operations: bool = False, endpoint_type: int = 1
) -> DescribeClusterResponse:
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=with_operations, endpoint_type=endpoint_type
    )
    return brokers.ask(request, version, DescribeClusterResponse)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_the_cluster_and_its_brokers_are_named(version: int) -> None:
    brokers = Brokers(brokers=2)
    answer = ask(brokers, version)
    assert (answer.error_code, answer.error_message) == (ErrorCode.NONE, None)
    assert (answer.cluster_id, answer.controller_id) == (brokers.state.cluster_id, 1)
    assert [(each.broker_id, each.port, each.is_fenced) for each in answer.brokers] == [
        (1, 9092, False),
        (2, 9093, False),
    ]
    assert answer.cluster_authorized_operations == -(1 << 31)


def test_operations_are_listed_on_request() -> None:
    answer = ask(Brokers(), with_operations=True)
    assert answer.cluster_authorized_operations == 8096


@pytest.mark.parametrize(
    ("endpoint_type", "code", "why"),
    [
        (
            2,
            ErrorCode.MISMATCHED_ENDPOINT_TYPE,
            (
                "The request was sent to an endpoint of type BROKER, but we wanted an endpoint of"
                " type"
                " CONTROLLER"
            ),
        ),
        (9, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE, "Unsupported endpoint type 9"),
    ],
)
def test_a_client_of_controllers_is_refused(endpoint_type: int, code: ErrorCode, why: str) -> None:
    answer = ask(Brokers(), endpoint_type=endpoint_type)
    assert (answer.error_code, answer.error_message) == (code, why)
    assert answer.brokers == []

"""ACL APIs without an authorizer."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.create_acls import (
    AclCreation,
    CreateAclsRequest,
    CreateAclsResponse,
)
from mockbroker.protocol.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from mockbroker.protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from mockbroker.protocol.schema.message import Message
from tests.broker.handlers.guarded import guarded
from tests.support.in_process import Brokers


def creation(*, operation: int = 3, pattern_type: int = 3) -> AclCreation:
    return AclCreation(
        resource_type=2,
        resource_name="t",
        resource_pattern_type=pattern_type,
        principal="User:alice",
        host="*",
        operation=operation,
        permission_type=3,
    )


def acl_filter(operation: int = 1) -> DeleteAclsFilter:
    return DeleteAclsFilter(
        resource_type_filter=1,
        resource_name_filter=None,
        principal_filter=None,
        host_filter=None,
        operation=operation,
        permission_type=1,
    )


def description(operation: int = 1) -> DescribeAclsRequest:
    return DescribeAclsRequest(
        resource_type_filter=1,
        resource_name_filter=None,
        principal_filter=None,
        host_filter=None,
        operation=operation,
        permission_type=1,
    )


def test_describing_acls_is_refused_without_an_authorizer() -> None:
    answer = Brokers().ask(description(), 3, DescribeAclsResponse)
    assert answer.error_code == ErrorCode.SECURITY_DISABLED
    assert answer.error_message == "No Authorizer is configured on the broker"


@pytest.mark.parametrize(
    ("release", "version", "why"),
    [
        ("4.4", 3, "No Authorizer is configured."),
        ("2.8", 2, "No Authorizer is configured on the broker."),
    ],
)
def test_each_creation_and_deletion_is_refused(release: str, version: int, why: str) -> None:
    brokers = Brokers(release=release)
    made = brokers.ask(
        CreateAclsRequest(creations=[creation(), creation()]), version, CreateAclsResponse
    )
    deleted = brokers.ask(
        DeleteAclsRequest(filters=[acl_filter(), acl_filter()]), version, DeleteAclsResponse
    )
    expected = [(ErrorCode.SECURITY_DISABLED, why)] * 2
    assert [(each.error_code, each.error_message) for each in made.results] == expected
    assert [(each.error_code, each.error_message) for each in deleted.filter_results] == expected


@pytest.mark.parametrize(
    ("release", "wrong", "why"),
    [
        (
            "0.11",
            {"resource_type": 1},
            (
                "ANY not a valid resourceType name. The valid names are"
                " Topic,Group,Cluster,TransactionalId"
            ),
        ),
        (
            "2.3",
            {"permission_type": 9},
            "UNKNOWN not a valid permissionType name. The valid names are Allow,Deny",
        ),
        ("2.3", {"resource_pattern_type": 9}, "patternType must not be UNKNOWN"),
        ("2.4", {"permission_type": 9}, "Failed to create ACL"),
        ("4.4", {"permission_type": 9}, "Invalid permissionType UNKNOWN"),
    ],
)
def test_a_new_acl_with_an_unknown_value_is_refused(
    release: str, wrong: dict[str, int], why: str
) -> None:
    brokers = Brokers(release=release, configs=guarded(release))
    new = creation()
    for name, value in wrong.items():
        setattr(new, name, value)
    version = 0 if release == "0.11" else 1
    answer = brokers.ask(CreateAclsRequest(creations=[new]), version, CreateAclsResponse)
    (result,) = answer.results
    assert (result.error_code, result.error_message) == (ErrorCode.INVALID_REQUEST, why)


@pytest.mark.parametrize(
    ("release", "version", "request_", "hangs_up"),
    [
        ("4.4", 1, CreateAclsRequest(creations=[creation(operation=0)]), True),
        ("2.4", 1, CreateAclsRequest(creations=[creation(operation=0)]), False),
        ("4.4", 1, CreateAclsRequest(creations=[creation(operation=1)]), False),
        ("2.4", 1, CreateAclsRequest(creations=[creation(operation=1)]), True),
        ("4.4", 1, CreateAclsRequest(creations=[creation(pattern_type=2)]), False),
        ("2.4", 1, CreateAclsRequest(creations=[creation(pattern_type=2)]), True),
        ("2.5", 1, CreateAclsRequest(creations=[creation(operation=0)]), True),
        ("2.5", 1, CreateAclsRequest(creations=[creation(operation=1)]), False),
        ("4.4", 1, DeleteAclsRequest(filters=[acl_filter(0)]), True),
        ("2.5", 1, DeleteAclsRequest(filters=[acl_filter(0)]), False),
        ("2.4", 1, DeleteAclsRequest(filters=[acl_filter(0)]), False),
        ("4.4", 1, description(0), True),
        ("2.5", 1, description(0), False),
        ("2.4", 1, description(0), False),
    ],
)
def test_undefined_codes_close_the_connection(
    release: str, version: int, request_: Message, hangs_up: bool
) -> None:
    peer = Brokers(release=release).connect()
    peer.send(request_, version)
    assert peer.is_hung_up is hangs_up
    assert bool(peer.new_frames()) is not hangs_up

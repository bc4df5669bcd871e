"""DescribeAcls, CreateAcls and DeleteAcls of a cluster without an authorizer (KIP-140, KIP-290).

All are refused. Invalid requests close the connection, as in Kafka.
"""

from typing import Final, NoReturn

from mockbroker.broker.call import Call
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.create_acls import CreateAclsRequest
from mockbroker.protocol.messages.delete_acls import DeleteAclsRequest
from mockbroker.protocol.messages.describe_acls import DescribeAclsRequest
from mockbroker.protocol.schema.message import Struct

UNKNOWN: Final = 0
ANY: Final = 1
MATCH: Final = 2
"""Pattern type that stands for any matching pattern; in other fields an ordinary value."""

_PATTERN: Final = "resource_pattern_type"
_CREATION_FIELDS: Final = ("resource_type", _PATTERN, "operation", "permission_type")
_FILTER_FIELDS: Final = (
    "resource_type_filter",
    "pattern_type_filter",
    "operation",
    "permission_type",
)


def describe_acls(request: DescribeAclsRequest, call: Call) -> NoReturn:
    """Refuse to describe ACLs: there is no authorizer."""
    _check_known(call, request, _FILTER_FIELDS)
    raise ApiError(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured on the broker")


def create_acls(request: CreateAclsRequest, call: Call) -> NoReturn:
    """Refuse each ACL: there is no authorizer."""
    for creation in call.paced(request.creations):
        _check_known(call, creation, _CREATION_FIELDS)
        for name in sorted(call.cluster.options.security.acl_fields_without_any):
            code: int = getattr(creation, name)
            if code == ANY or (name == _PATTERN and code == MATCH):
                raise _undecodable(call, name, code)
    raise ApiError(ErrorCode.SECURITY_DISABLED, call.cluster.options.security.acl_change_refusal)


def delete_acls(request: DeleteAclsRequest, call: Call) -> NoReturn:
    """Refuse each filter: there is no authorizer."""
    for wanted in call.paced(request.filters):
        _check_known(call, wanted, _FILTER_FIELDS)
    raise ApiError(ErrorCode.SECURITY_DISABLED, call.cluster.options.security.acl_change_refusal)


def _check_known(call: Call, acl: Struct, fields: tuple[str, ...]) -> None:
    if call.cluster.options.security.acls_may_be_unknown:
        return
    for name in fields:
        if getattr(acl, name) == UNKNOWN:
            raise _undecodable(call, name, UNKNOWN)


def _undecodable(call: Call, field: str, code: int) -> CloseConnection:
    why = f"an ACL cannot have the value {code} there"
    return CloseConnection("undecodable_request", api=call.api_key.name, field=field, why=why)

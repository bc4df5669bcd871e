"""DescribeAcls, CreateAcls and DeleteAcls (KIP-140, KIP-290).

Without an authorizer all are refused. Invalid requests close the connection, as in Kafka.
"""

from typing import Final, TypeAlias, TypeVar

from mockbroker.broker.call import Call
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.create_acls import (
    AclCreation,
    AclCreationResult,
    CreateAclsRequest,
    CreateAclsResponse,
)
from mockbroker.protocol.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from mockbroker.protocol.messages.describe_acls import (
    AclDescription,
    DescribeAclsRequest,
    DescribeAclsResource,
    DescribeAclsResponse,
)
from mockbroker.protocol.schema.message import Struct
from mockbroker.state.security.acl import (
    CLUSTER_NAME,
    Acl,
    AclFilter,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)

AclCode: TypeAlias = AclResource | PatternType | AclOperation | Permission
CodeT = TypeVar("CodeT", AclResource, PatternType, AclOperation, Permission)

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


def describe_acls(request: DescribeAclsRequest, call: Call) -> DescribeAclsResponse:
    """Return the ACLs that match a filter, by resource."""
    _check_known_filter(call, request)
    authorizer = call.service.cluster.authorizer
    if authorizer is None:
        raise ApiError(ErrorCode.SECURITY_DISABLED, "No Authorizer is configured on the broker")
    resources: dict[tuple[int, str, int], DescribeAclsResource] = {}
    for acl in call.paced(authorizer.acls.matching(_filter_of(request))):
        found = resources.setdefault(
            acl[:3],
            DescribeAclsResource(
                resource_type=acl.resource_type,
                resource_name=acl.resource_name,
                pattern_type=acl.pattern_type,
            ),
        )
        found.acls.append(
            AclDescription(
                principal=acl.principal,
                host=acl.host,
                operation=acl.operation,
                permission_type=acl.permission,
            )
        )
    message = call.cluster.options.security.acl_message
    return DescribeAclsResponse(error_message=message, resources=list(resources.values()))


def create_acls(request: CreateAclsRequest, call: Call) -> CreateAclsResponse:
    """Add each valid ACL, and return an error for each other one."""
    for creation in call.paced(request.creations):
        _check_decodable(call, creation)
    authorizer = call.service.cluster.authorizer
    if authorizer is None:
        why = call.cluster.options.security.acl_change_refusal
        raise ApiError(ErrorCode.SECURITY_DISABLED, why)
    lists_names = bool(call.cluster.options.security.acl_value_names)
    if not lists_names:
        for creation in call.paced(request.creations):
            _refuse_any(creation, call)
    results: list[AclCreationResult] = []
    for creation in call.paced(request.creations):
        try:
            authorizer.acls.add(_checked(creation, call))
        except ApiError as refusal:
            call.service.refusals.note("create_acls_refused", refusal)
            results.append(AclCreationResult(error_code=refusal.code, error_message=refusal.why))
        else:
            message = call.cluster.options.security.acl_message
            results.append(AclCreationResult(error_message=message))
    return CreateAclsResponse(results=results)


def delete_acls(request: DeleteAclsRequest, call: Call) -> DeleteAclsResponse:
    """Remove the ACLs that match each filter, and return them."""
    for wanted in call.paced(request.filters):
        _check_known_filter(call, wanted)
    authorizer = call.service.cluster.authorizer
    if authorizer is None:
        why = call.cluster.options.security.acl_change_refusal
        raise ApiError(ErrorCode.SECURITY_DISABLED, why)
    matching = [
        authorizer.acls.matching(_filter_of(wanted)) for wanted in call.paced(request.filters)
    ]
    for wanted in call.paced(request.filters):
        authorizer.acls.remove(_filter_of(wanted))
    return DeleteAclsResponse(
        filter_results=[
            DeleteAclsFilterResult(
                error_message=None,
                matching_acls=[_deleted(acl) for acl in each],
            )
            for each in matching
        ]
    )


def _deleted(acl: Acl) -> DeleteAclsMatchingAcl:
    return DeleteAclsMatchingAcl(
        error_message=None,
        resource_type=acl.resource_type,
        resource_name=acl.resource_name,
        pattern_type=acl.pattern_type,
        principal=acl.principal,
        host=acl.host,
        operation=acl.operation,
        permission_type=acl.permission,
    )


def _filter_of(wanted: DescribeAclsRequest | DeleteAclsFilter) -> AclFilter:
    return AclFilter(
        _known(AclResource, wanted.resource_type_filter),
        wanted.resource_name_filter,
        _known(PatternType, wanted.pattern_type_filter),
        wanted.principal_filter,
        wanted.host_filter,
        _known(AclOperation, wanted.operation),
        _known(Permission, wanted.permission_type),
    )


def _refuse_any(creation: AclCreation, call: Call) -> None:
    """Refuse the whole request if a new ACL has a value that only filters may have.

    Raises:
        ApiError: UNKNOWN_SERVER_ERROR.

    """
    for name, value in (
        ("resourceType", creation.resource_type),
        ("patternType", creation.resource_pattern_type),
        ("operation", creation.operation),
        ("permissionType", creation.permission_type),
    ):
        if value == ANY or (name == "patternType" and value == MATCH):
            has_why = call.cluster.options.security.refused_any_has_message
            why = f"{name} must not be {'ANY' if value == ANY else 'MATCH'}"
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, why if has_why else "")


def _checked(creation: AclCreation, call: Call) -> Acl:
    """Return the ACL that is to be created.

    Raises:
        ApiError: INVALID_REQUEST, it is not valid.

    """
    acl = Acl(
        _known(AclResource, creation.resource_type),
        creation.resource_name,
        _known(PatternType, creation.resource_pattern_type),
        creation.principal,
        creation.host,
        _known(AclOperation, creation.operation),
        _known(Permission, creation.permission_type),
    )
    if acl.resource_type is AclResource.CLUSTER and acl.resource_name != CLUSTER_NAME:
        raise _invalid(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    if not acl.resource_name:
        raise _invalid("Invalid empty resource name")
    for name, value in (
        ("resourceType", acl.resource_type),
        ("patternType", acl.pattern_type),
        ("operation", acl.operation),
        ("permissionType", acl.permission),
    ):
        _check_value(name, value, call)
    return acl


def _check_value(name: str, value: AclCode, call: Call) -> None:
    options = call.cluster.options.security
    names = options.acl_value_names.get(name)
    if value == UNKNOWN and name == "patternType" and options.acl_value_names:
        raise _invalid("patternType must not be UNKNOWN")
    if value == UNKNOWN or (names is not None and value == ANY):
        if names is not None:
            raise _invalid(f"{value.name} not a valid {name} name. The valid names are {names}")
        raise _invalid(options.unknown_acl_refusal or f"Invalid {name} UNKNOWN")


def _invalid(why: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_REQUEST, why)


def _known(kind: type[CodeT], code: int) -> CodeT:
    """Return a code's meaning; that of a code without one is UNKNOWN."""
    return kind(code) if code in set(kind) else kind(UNKNOWN)


def _check_decodable(call: Call, creation: AclCreation) -> None:
    security = call.cluster.options.security
    if not security.acls_may_be_unknown:
        _check_known(call, creation, _CREATION_FIELDS)
    for name in sorted(security.acl_fields_without_any):
        code: int = getattr(creation, name)
        if code == ANY or (name == _PATTERN and code == MATCH):
            raise _undecodable(call, name, code)


def _check_known_filter(call: Call, wanted: Struct) -> None:
    if not call.cluster.options.security.acl_filters_may_be_unknown:
        _check_known(call, wanted, _FILTER_FIELDS)


def _check_known(call: Call, acl: Struct, fields: tuple[str, ...]) -> None:
    for name in fields:
        if getattr(acl, name) == UNKNOWN:
            raise _undecodable(call, name, UNKNOWN)


def _undecodable(call: Call, field: str, code: int) -> CloseConnection:
    why = f"an ACL cannot have the value {code} there"
    return CloseConnection("undecodable_request", api=call.api_key.name, field=field, why=why)

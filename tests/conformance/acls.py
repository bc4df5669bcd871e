"""ACLs of the anonymous client, which scripts deny rights with."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mockbroker.broker.call import ANONYMOUS
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.create_acls import (
    AclCreation,
    CreateAclsRequest,
    CreateAclsResponse,
)
from mockbroker.protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from mockbroker.protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from mockbroker.protocol.schema.message import Message
from mockbroker.state.security.acl import (
    CLUSTER_NAME,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)
from tests.conformance.releases import GENERATIONS
from tests.conformance.talk import Talk

AUTHORIZED: Final = GENERATIONS
"""Releases whose authorizer is served: all of them."""
FIRST_WITH_PREFIXES: Final = 1
"""The version of CreateAcls with types of patterns (KIP-290)."""
OPEN, CLOSED, SEEN, MISSING = "open", "closed", "seen", "closed-missing"
TOPICS: Final = (OPEN, CLOSED, SEEN, MISSING)
Kind, Op = AclResource, AclOperation
OPEN_TO_ALL: Final = {"allow.everyone.if.no.acl.found": "true"}
EVERYTHING: Final[dict[str, Any]] = {
    "resource_type_filter": AclResource.ANY,
    "resource_name_filter": None,
    "pattern_type_filter": PatternType.ANY,
    "principal_filter": None,
    "host_filter": None,
    "operation": AclOperation.ANY,
    "permission_type": Permission.ANY,
}


def acl(
    resource_type: AclResource,
    name: str = CLUSTER_NAME,
    operation: AclOperation = AclOperation.ALL,
    permission: Permission = Permission.DENY,
    pattern_type: PatternType = PatternType.LITERAL,
) -> AclCreation:
    """Describe an ACL of the anonymous client."""
    return AclCreation(
        resource_type=resource_type,
        resource_name=name,
        resource_pattern_type=pattern_type,
        principal=ANONYMOUS,
        host="*",
        operation=operation,
        permission_type=permission,
    )


def add_acls(talk: Talk, *acls: AclCreation) -> None:
    """Add ACLs, and wait until they have an effect."""
    before = _count(talk)
    answer = talk.expect(
        CreateAclsResponse,
        talk.quietly(CreateAclsRequest(creations=list(acls)), talk.latest(ApiKey.CREATE_ACLS)),
    )
    assert not any(each.error_code for each in answer.results), answer
    _await(talk, before + len(acls))


def remove_acls(talk: Talk) -> None:
    """Remove all ACLs, and wait until they have no effect."""
    everything = DeleteAclsRequest(filters=[DeleteAclsFilter(**EVERYTHING)])
    talk.quietly(everything, talk.latest(ApiKey.DELETE_ACLS))
    _await(talk, 0)


def _all() -> DescribeAclsRequest:
    return DescribeAclsRequest(**EVERYTHING)


def _count(talk: Talk) -> int:
    return _listed(talk.quietly(_all(), talk.latest(ApiKey.DESCRIBE_ACLS)))


def _listed(answer: object) -> int:
    assert isinstance(answer, DescribeAclsResponse), answer
    return sum(len(resource.acls) for resource in answer.resources)


def _await(talk: Talk, count: int) -> None:
    def are_known(answer: Message) -> bool:
        return _listed(answer) == count

    talk.until_quietly(_all(), talk.latest(ApiKey.DESCRIBE_ACLS), are_known)


def deny_topics(talk: Talk) -> None:
    """Deny all rights to one topic, and all but describing to another."""
    has_prefixes = talk.latest(ApiKey.CREATE_ACLS) >= FIRST_WITH_PREFIXES
    add_acls(
        talk,
        acl(Kind.TOPIC, CLOSED),
        acl(Kind.TOPIC, MISSING[:8], pattern_type=PatternType.PREFIXED)
        if has_prefixes
        else acl(Kind.TOPIC, MISSING),
        acl(Kind.TOPIC, SEEN, Op.DESCRIBE, Permission.ALLOW),
    )


def each_and_all(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield titles with lists of names: each name alone, and all together."""
    for name in names:
        yield name, [name]
    yield "all", list(names)


def ask_versions(talk: Talk, title: str, request: Message, at_most: int = 99) -> None:
    """Ask the first and the newest version of an API, up to a limit."""
    assert request.API is not None
    versions = [each for each in talk.versions(request.API) if each <= at_most]
    for version in dict.fromkeys(versions[:1] + versions[-1:]):
        talk.ask(f"{title}, v{version}", request, version)


def kept_rights() -> list[AclCreation]:
    """Describe the rights to the cluster that brokers and the script need themselves."""
    return [
        acl(Kind.CLUSTER, operation=each, permission=Permission.ALLOW)
        for each in (Op.ALTER, Op.DESCRIBE, Op.CLUSTER_ACTION)
    ]

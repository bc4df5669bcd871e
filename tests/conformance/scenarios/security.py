"""ACLs, delegation tokens and SASL, on brokers with neither an authorizer nor SASL."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.create_acls import AclCreation, CreateAclsRequest
from mockbroker.protocol.messages.create_delegation_token import (
    CreatableRenewers,
    CreateDelegationTokenRequest,
)
from mockbroker.protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from mockbroker.protocol.messages.describe_acls import DescribeAclsRequest
from mockbroker.protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from mockbroker.protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from mockbroker.protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from mockbroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from mockbroker.protocol.messages.sasl_handshake import SaslHandshakeRequest
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

ANY, TOPIC, CLUSTER = 1, 2, 4
LITERAL, PREFIXED = 3, 4
READ, ALLOW = 3, 3
UNKNOWN = 0
NONSENSE = 99


def creation(
    name: str = "t",
    *,
    resource_type: int = TOPIC,
    pattern_type: int = LITERAL,
    operation: int = READ,
    permission_type: int = ALLOW,
    principal: str = "User:alice",
) -> AclCreation:
    """Describe an ACL to be created."""
    return AclCreation(
        resource_type=resource_type,
        resource_name=name,
        resource_pattern_type=pattern_type,
        principal=principal,
        host="*",
        operation=operation,
        permission_type=permission_type,
    )


def acl_filter(
    name: str | None = None,
    *,
    resource_type: int = ANY,
    pattern_type: int = LITERAL,
    operation: int = ANY,
    permission_type: int = ANY,
) -> DeleteAclsFilter:
    """Describe ACLs to be deleted."""
    return DeleteAclsFilter(
        resource_type_filter=resource_type,
        resource_name_filter=name,
        pattern_type_filter=pattern_type,
        principal_filter=None,
        host_filter=None,
        operation=operation,
        permission_type=permission_type,
    )


def described(wanted: DeleteAclsFilter) -> DescribeAclsRequest:
    """Request ACLs with the filter of a deletion."""
    return DescribeAclsRequest(**{name: getattr(wanted, name) for name in DeleteAclsFilter.FIELDS})


ODD_FILTERS = {
    "of an unknown type": acl_filter(resource_type=UNKNOWN),
    "of a type that is none": acl_filter(resource_type=NONSENSE),
    "of an unknown operation": acl_filter(operation=UNKNOWN),
    "of an operation that is none": acl_filter(operation=NONSENSE),
    "of a permission that is none": acl_filter(permission_type=NONSENSE),
}
ODD_PATTERNS = {
    "with a prefix": acl_filter("t", pattern_type=PREFIXED),
    "of an unknown pattern": acl_filter("t", pattern_type=UNKNOWN),
    "of a pattern that is none": acl_filter("t", pattern_type=NONSENSE),
}


@scenario()
def describe_acls(talk: Talk) -> None:
    for version in talk.versions(ApiKey.DESCRIBE_ACLS):
        talk.ask(f"all, v{version}", described(acl_filter()), version)
        named = acl_filter("t", resource_type=TOPIC, operation=READ, permission_type=ALLOW)
        talk.ask(f"some, v{version}", described(named), version)
        for title, wanted in {**ODD_FILTERS, **(ODD_PATTERNS if version else {})}.items():
            talk.ask(f"{title}, v{version}", described(wanted), version)


@scenario()
def create_acls(talk: Talk) -> None:
    for version in talk.versions(ApiKey.CREATE_ACLS):
        for title, creations in {
            "none": [],
            "one": [creation()],
            "two": [creation(), creation("u")],
            "one twice": [creation(), creation()],
            "without a name": [creation("")],
            "of a cluster that is not this one": [creation("other", resource_type=CLUSTER)],
            "for no principal": [creation(principal="alice")],
            "of any type": [creation(resource_type=ANY)],
            "of an unknown type": [creation(resource_type=UNKNOWN)],
            "of a type that is none": [creation(resource_type=NONSENSE)],
            "of any operation": [creation(operation=ANY)],
            "of an unknown operation": [creation(), creation(operation=UNKNOWN)],
            "of an operation that is none": [creation(operation=NONSENSE)],
            "of any permission": [creation(permission_type=ANY)],
            "of a permission that is none": [creation(permission_type=NONSENSE)],
        }.items():
            talk.ask(f"{title}, v{version}", CreateAclsRequest(creations=creations), version)
        if version:
            for pattern_type in (PREFIXED, ANY, UNKNOWN, NONSENSE):
                request = CreateAclsRequest(creations=[creation(pattern_type=pattern_type)])
                talk.ask(f"of pattern type {pattern_type}, v{version}", request, version)


@scenario()
def delete_acls(talk: Talk) -> None:
    for version in talk.versions(ApiKey.DELETE_ACLS):
        for title, filters in {
            "none": [],
            "all": [acl_filter()],
            "two": [acl_filter("t"), acl_filter("u")],
            "one twice": [acl_filter("t"), acl_filter("t")],
            "one of them odd": [acl_filter("t"), acl_filter(operation=NONSENSE)],
        }.items():
            talk.ask(f"{title}, v{version}", DeleteAclsRequest(filters=filters), version)
        for title, wanted in {**ODD_FILTERS, **(ODD_PATTERNS if version else {})}.items():
            talk.ask(f"{title}, v{version}", DeleteAclsRequest(filters=[wanted]), version)


@scenario(presets=defaults_since("1.1"))
def delegation_tokens(talk: Talk) -> None:
    alice, group = ("User", "alice"), ("Group", "admins")
    for version in talk.versions(ApiKey.CREATE_DELEGATION_TOKEN):
        for title, owner, renewers, lifetime_ms in [
            ("for me", (None, None), [], -1),
            ("that others renew", (None, None), [alice], 60_000),
            ("that a group renews", (None, None), [group], 60_000),
            ("for another", alice, [], -1),
            ("for a group", group, [], -1),
            ("for a name without a type", (None, "alice"), [], -1),
            ("for a type without a name", ("User", ""), [], -1),
            ("that never lived", (None, None), [], 0),
        ]:
            request = CreateDelegationTokenRequest(
                owner_principal_type=owner[0],
                owner_principal_name=owner[1],
                renewers=[
                    CreatableRenewers(principal_type=kind, principal_name=name)
                    for kind, name in renewers
                ],
                max_lifetime_ms=lifetime_ms,
            )
            talk.ask(f"create one {title}, v{version}", request, version)
    for hmac in (b"", b"unknown"):
        for version in talk.versions(ApiKey.RENEW_DELEGATION_TOKEN):
            renewal = RenewDelegationTokenRequest(hmac=hmac, renew_period_ms=1000)
            talk.ask(f"renew {hmac!r}, v{version}", renewal, version)
        for version in talk.versions(ApiKey.EXPIRE_DELEGATION_TOKEN):
            expiry = ExpireDelegationTokenRequest(hmac=hmac, expiry_time_period_ms=-1)
            talk.ask(f"expire {hmac!r}, v{version}", expiry, version)
    for version in talk.versions(ApiKey.DESCRIBE_DELEGATION_TOKEN):
        for title, owners in [("all", None), ("none", []), ("one's", [alice])]:
            description = DescribeDelegationTokenRequest(
                owners=None
                if owners is None
                else [
                    DescribeDelegationTokenOwner(principal_type=kind, principal_name=name)
                    for kind, name in owners
                ]
            )
            talk.ask(f"describe {title}, v{version}", description, version)


@scenario()
def sasl_without_sasl(talk: Talk) -> None:
    for version in talk.versions(ApiKey.SASL_HANDSHAKE):
        for mechanism in ("PLAIN", "SCRAM-SHA-256", "GSSAPI", "nonsense", ""):
            request = SaslHandshakeRequest(mechanism=mechanism)
            talk.ask(f"shake hands with {mechanism!r}, v{version}", request, version)
    for version in talk.versions(ApiKey.SASL_AUTHENTICATE):
        for auth_bytes in (b"\0alice\0secret", b""):
            proof = SaslAuthenticateRequest(auth_bytes=auth_bytes)
            talk.ask(f"authenticate with {auth_bytes!r}, v{version}", proof, version)

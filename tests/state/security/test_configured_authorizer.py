"""The authorizer is as the broker configs say."""

import pytest

from mockbroker.state.security.acl import AclOperation, AclResource
from tests.support.in_process import Brokers

CLASS = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}
TOPIC = (AclResource.TOPIC, "orders")


def test_a_cluster_has_no_authorizer_by_default() -> None:
    assert Brokers().state.authorizer is None


@pytest.mark.parametrize(
    ("configs", "allows_alice", "allows_others"),
    [
        ({}, False, False),
        ({"allow.everyone.if.no.acl.found": "true"}, True, True),
        ({"super.users": "User:bob; User:alice"}, True, False),
    ],
)
def test_super_users_and_the_rights_without_acls_are_configured(
    configs: dict[str, str], allows_alice: bool, allows_others: bool
) -> None:
    authorizer = Brokers(configs={**CLASS, **configs}).state.authorizer
    assert authorizer is not None
    allowed = [
        authorizer.allows(principal, "127.0.0.1", AclOperation.READ, TOPIC)
        for principal in ("User:alice", "User:carol")
    ]
    assert allowed == [allows_alice, allows_others]

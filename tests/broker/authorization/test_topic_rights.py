"""Topics that a client has no right to, in each release."""

import pytest

from mockbroker.broker.authorization.topic_rights import is_hidden, may_create, topic_refusal
from mockbroker.broker.call import Call
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.security.acl import AclOperation, AclResource, Permission
from tests.broker.handlers.guarded import deny, guarded
from tests.support.in_process import Brokers


def brokers_of(release: str) -> Brokers:
    return Brokers(release=release, topics={"orders": 1}, configs=guarded(release))


def call_of(brokers: Brokers) -> Call:
    return Call(
        brokers.service,
        broker_id=1,
        connection_id=1,
        api_key=ApiKey.METADATA,
        api_version=0,
        correlation_id=1,
        client_id=None,
    )


@pytest.mark.parametrize(
    ("release", "code"),
    [
        ("0.11", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("1.1", ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ("4.4", ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    ],
)
def test_the_oldest_release_hides_topics_that_may_not_be_described(
    release: str, code: ErrorCode
) -> None:
    brokers = brokers_of(release)
    deny(brokers, AclResource.TOPIC, "orders")
    call = call_of(brokers)
    assert topic_refusal(call, "orders") is code
    assert is_hidden(call, "orders") is (release == "0.11")
    assert topic_refusal(call, "bills") is ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert not is_hidden(call, "bills")


@pytest.mark.parametrize(("release", "by_name"), [("1.1", False), ("2.3", True)])
def test_older_releases_create_topics_by_the_right_to_the_cluster_only(
    release: str, by_name: bool
) -> None:
    brokers = brokers_of(release)
    call = call_of(brokers)
    assert may_create(call, "orders")
    deny(brokers, AclResource.CLUSTER, operation=AclOperation.CREATE)
    create, allow = AclOperation.CREATE, Permission.ALLOW
    deny(brokers, AclResource.TOPIC, "orders", create, permission=allow)
    assert may_create(call, "orders") is by_name

"""Rights that a test gives and takes while clients work."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.security.acl import AclOperation, AclResource, PatternType, Permission
from mockbroker.wire import WireProducer

STANDARD = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer"}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}, config=STANDARD) as running:
        yield running


def test_acls_are_listed_as_they_were_given(cluster: Cluster) -> None:
    given = [
        cluster.acls.allow("read", topic="ord", prefixed=True, principal="User:alice"),
        cluster.acls.deny("describe_configs", group="g", host="10.0.0.1"),
        cluster.acls.allow("Write", transactional_id="*"),
        cluster.acls.allow("idempotent_write", on_cluster=True),
    ]
    assert [acl[:3] for acl in given] == [
        (AclResource.TOPIC, "ord", PatternType.PREFIXED),
        (AclResource.GROUP, "g", PatternType.LITERAL),
        (AclResource.TRANSACTIONAL_ID, "*", PatternType.LITERAL),
        (AclResource.CLUSTER, "kafka-cluster", PatternType.LITERAL),
    ]
    assert [acl[3:] for acl in given] == [
        ("User:alice", "*", AclOperation.READ, Permission.ALLOW),
        ("User:*", "10.0.0.1", AclOperation.DESCRIBE_CONFIGS, Permission.DENY),
        ("User:*", "*", AclOperation.WRITE, Permission.ALLOW),
        ("User:*", "*", AclOperation.IDEMPOTENT_WRITE, Permission.ALLOW),
    ]
    assert cluster.acls.all() == sorted(given)
    assert cluster.acls.revoke_all() == sorted(given)
    assert cluster.acls.all() == []


def test_a_revoked_right_is_gone_within_a_transaction(cluster: Cluster) -> None:
    cluster.acls.allow("all", transactional_id="mine")
    cluster.acls.allow("describe", topic="orders")
    write = cluster.acls.allow("write", topic="orders")
    with WireProducer(cluster.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
        assert producer.add_partition("orders") is ErrorCode.NONE
        cluster.acls.revoke(write)
        assert producer.add_partition("orders") is ErrorCode.TOPIC_AUTHORIZATION_FAILED
        cluster.acls.allow("write", topic="orders")
        assert producer.add_partition("orders") is ErrorCode.NONE


def test_an_acl_that_is_not_there_cannot_be_revoked(cluster: Cluster) -> None:
    kept, other = cluster.acls.allow("read", topic="a"), cluster.acls.allow("read", topic="b")
    cluster.acls.revoke(other)
    with pytest.raises(LookupError, match="does not have"):
        cluster.acls.revoke(other)
    assert cluster.acls.all() == [kept]


def test_a_misspelt_right_is_refused(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="no operation is named 'reed'; there are all, read,"):
        cluster.acls.allow("reed", topic="orders")
    with pytest.raises(ValueError, match="no operation is named 'any'"):
        cluster.acls.deny("any", topic="orders")
    for names in ({}, {"topic": "orders", "group": "g"}, {"topic": ""}):
        with pytest.raises(ValueError, match="name one topic, group or transactional_id"):
            cluster.acls.allow("read", **names)  # type: ignore[arg-type]
    assert cluster.acls.all() == []


def test_a_release_without_acls_for_prefixes_has_none() -> None:
    authorizer = {"authorizer.class.name": "kafka.security.auth.SimpleAclAuthorizer"}
    with Cluster(kafka="1.1", config=authorizer) as older:
        with pytest.raises(ValueError, match=r"Kafka 1\.1 has no ACLs for prefixes"):
            older.acls.deny("read", topic="ord", prefixed=True)
        assert older.acls.all() == []
        older.acls.deny("read", topic="orders")


def test_a_cluster_without_an_authorizer_has_no_acls() -> None:
    with (
        Cluster() as open_to_all,
        pytest.raises(RuntimeError, match=r"no authorizer: set `authorizer\.class\.name`"),
    ):
        open_to_all.acls.deny("all", topic="*")

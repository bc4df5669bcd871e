"""Admin clients request ACLs, which are refused, and set quotas and credentials."""

from typing import Any

import confluent_kafka.admin
import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.clients.support.deadline import TIMEOUT_S
from tests.clients.support.java import programs, run_java

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CONFLUENT: Any = confluent_kafka.admin
"""What is public there, and not declared as exported."""


@pytest.mark.java
def test_java_is_answered_as_without_an_authorizer(bootstrap_servers: str, topic: str) -> None:
    user = f"user-of-{topic}"
    printed = run_java(
        programs("clients-4.4.0"), "RightsAndQuotas", bootstrap_servers, user
    ).splitlines()
    no_authorizer = "SecurityDisabledException: No Authorizer is configured"
    not_allowed = (
        "UnsupportedByAuthenticationException: Delegation Token requests are not allowed on"
        " PLAINTEXT/1-way SSL channels and on delegation token authenticated channels."
    )
    entity = f"ClientQuotaEntity(entries={{user={user}}})"
    assert printed == [
        f"describe ACLs: {no_authorizer} on the broker",
        f"create an ACL: {no_authorizer}.",
        f"delete ACLs: {no_authorizer}.",
        f"create a token: {not_allowed}",
        f"describe tokens: {not_allowed}",
        "set a quota of 1.0E9: null",
        f"describe quotas: {{{entity}={{producer_byte_rate=1.0E9}}}}",
        (
            "set a quota of -1.0: InvalidRequestException: Quota producer_byte_rate must be"
            " greater than 0"
        ),
        f"describe quotas: {{{entity}={{producer_byte_rate=1.0E9}}}}",
        "set a quota of null: null",
        "describe quotas: {}",
        "give a credential of 8192: null",
        "give a credential of 1: UnacceptableCredentialException: Too few iterations",
        (
            f"describe credentials: UserScramCredentialsDescription{{name='{user}',"
            " credentialInfos=[ScramCredentialInfo{mechanism=SCRAM_SHA_256, iterations=8192}]}"
        ),
        "take a credential: null",
        (
            "describe no credentials: ResourceNotFoundException: Attempt to describe a user"
            f" credential that does not exist: {user}"
        ),
    ]


def test_librdkafka_finds_no_authorizer(bootstrap_servers: str) -> None:
    admin = CONFLUENT.AdminClient({"bootstrap.servers": bootstrap_servers})
    where = (
        CONFLUENT.ResourceType.TOPIC,
        "t",
        CONFLUENT.ResourcePatternType.LITERAL,
        "User:alice",
        "*",
    )
    acl = CONFLUENT.AclBinding(
        *where, CONFLUENT.AclOperation.READ, CONFLUENT.AclPermissionType.ALLOW
    )
    wanted = CONFLUENT.AclBindingFilter(
        *where, CONFLUENT.AclOperation.ANY, CONFLUENT.AclPermissionType.ANY
    )
    assert admin.describe_acls(wanted).result(TIMEOUT_S) == []  # it does not look at the error
    for future in (admin.create_acls([acl])[acl], admin.delete_acls([wanted])[wanted]):
        with pytest.raises(KafkaException) as refused:
            future.result(TIMEOUT_S)
        assert refused.value.args[0].code() == KafkaError.SECURITY_DISABLED


def test_librdkafka_sets_and_deletes_credentials(bootstrap_servers: str, topic: str) -> None:
    admin = CONFLUENT.AdminClient({"bootstrap.servers": bootstrap_servers})
    user = f"user-of-{topic}"
    info = CONFLUENT.ScramCredentialInfo(CONFLUENT.ScramMechanism.SCRAM_SHA_512, 5000)
    given = CONFLUENT.UserScramCredentialUpsertion(user, info, b"secret", b"salt")
    admin.alter_user_scram_credentials([given])[user].result(TIMEOUT_S)
    described = admin.describe_user_scram_credentials([user])[user].result(TIMEOUT_S)
    assert [(each.mechanism, each.iterations) for each in described.scram_credential_infos] == [
        (CONFLUENT.ScramMechanism.SCRAM_SHA_512, 5000)
    ]
    taken = CONFLUENT.UserScramCredentialDeletion(user, CONFLUENT.ScramMechanism.SCRAM_SHA_512)
    admin.alter_user_scram_credentials([taken])[user].result(TIMEOUT_S)
    with pytest.raises(KafkaException) as refused:
        admin.describe_user_scram_credentials([user])[user].result(TIMEOUT_S)
    assert refused.value.args[0].code() == KafkaError.RESOURCE_NOT_FOUND

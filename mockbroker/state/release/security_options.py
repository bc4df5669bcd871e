"""Differences between releases in ACLs, SASL and credentials: a part of `Options`."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class ScramNonceCheck(Enum):
    """Comparison of the nonce that a client returns with the server's (CVE-2024-56128)."""

    NONE = auto()
    END = auto()
    """The client's nonce must end with the server's."""
    WHOLE = auto()

    def accepts(self, returned: str, sent: str) -> bool:
        """Return whether a client may return this nonce."""
        if self is ScramNonceCheck.WHOLE:
            return returned == sent
        return self is ScramNonceCheck.NONE or returned.endswith(sent)


class SecurityOptions(NamedTuple):
    """Authorizers, and responses of a cluster without an authorizer and without SASL."""

    acl_change_refusal: str
    """The error message for changes of ACLs."""
    acls_may_be_unknown: bool
    """True if code 0 is accepted as a type in new ACLs; otherwise it closes the connection."""
    acl_filters_may_be_unknown: bool
    """True if code 0 is accepted as a type in filters of ACLs; else it closes the connection."""
    acl_fields_without_any: frozenset[str]
    """The fields of a new ACL in which ANY, valid only in filters, closes the connection."""
    handshake_names_mechanisms: bool
    """True if the error for a late SaslHandshake still lists the mechanisms."""
    user_may_have_several_changes: bool
    """True if a request may change each credential of a user; otherwise only one of them."""
    credentials_need_name: bool
    """True if an empty user name has its own error; otherwise that of an unknown user."""
    credential_message: str | None
    """The message for a changed credential."""
    authorizers: tuple[str, ...]
    """The classes of `authorizer.class.name` that are served."""
    refused_any_has_message: bool
    """True if a new ACL with ANY, valid only in filters, fails with the name of its field (2.5)."""
    acls_have_prefixes: bool
    """True if an ACL may be for all resources whose names begin with a prefix (KIP-290)."""
    unknown_acl_refusal: str
    """The error message for a new ACL with an unknown type; empty if it names the type."""
    acl_value_names: Mapping[str, str]
    """The valid names that the refusal of a new ACL lists, by field; empty if it lists none."""
    acl_message: str | None
    """The error message of ACLs that are described or created without an error."""
    topic_rights_include_idempotence: bool
    """True if a right to write to some topic includes idempotent writes (KIP-679)."""
    hides_topics: bool
    """True if a topic that a client may not describe is answered like one that does not exist."""
    cluster_right_creates_topics: bool
    """True if only the right to create in the cluster creates topics (KIP-277)."""
    cluster_right_lists_groups: bool
    """True if only the right to describe the cluster lists groups (KIP-231)."""
    cluster_right_reads_epochs: bool
    """True if OffsetForLeaderEpoch needs the right to actions of the cluster (KIP-320)."""
    refused_producer_epoch: int
    """The epoch in InitProducerId for a client without the right to it."""
    group_lookup_refusal: str
    """The error message of FindCoordinator for a group that may not be described."""
    first_idempotent_produce: int
    """The first version of Produce whose idempotent batches need a right to the cluster."""
    refused_descriptions_have_message: bool
    """True if DescribeConfigs has an error message for a resource that was refused."""
    refused_topics_hide_configs: bool
    """True if CreateTopics tells of a topic that was refused that its configs are hidden."""
    refused_partitions_message: str
    """The error message of CreatePartitions for a topic that may not be altered."""
    messages_of_refused_items: frozenset[ErrorCode]
    """The errors that have a message in DescribeProducers and changes of configs."""
    markers_need_cluster_action: bool
    """True if the right to alter the cluster does not include WriteTxnMarkers (KIP-664)."""
    log_dirs_are_refused_silently: bool
    """True if DescribeLogDirs without the right to it is an empty list without an error."""
    cluster_rights_delete_topics: bool
    """True if the right to delete the cluster includes that to delete each topic."""
    credential_failure: str
    """The error message for a credential without a password."""
    scram_nonce_check: ScramNonceCheck
    """The check of the nonce in the final message of SCRAM."""
    sasl_listeners_ask_for_certificates: bool
    """True if a listener with SASL may ask for certificates as well (KIP-684)."""
    signed_token_validators: tuple[str, ...]
    """The classes of `sasl.server.callback.handler.class` for signed tokens (KIP-768)."""
    token_parties_must_be_set: bool
    """True if a signed token's audience and issuer are ignored only if that is allowed."""
    key_files_are_read_again: bool
    """True if a file with keys for tokens is read again when it has changed."""


_OAUTHBEARER: Final = "org.apache.kafka.common.security.oauthbearer"
DEFAULT_FAILURE: Final = "The server experienced an unexpected error when processing the request."

SECURITY_OF_0_11: Final = SecurityOptions(
    acl_change_refusal="No Authorizer is configured on the broker.",
    acls_may_be_unknown=True,
    acl_filters_may_be_unknown=True,
    acl_fields_without_any=frozenset({"operation", "permission_type"}),
    handshake_names_mechanisms=True,
    user_may_have_several_changes=True,
    credentials_need_name=True,
    credential_message="",
    authorizers=("kafka.security.auth.SimpleAclAuthorizer",),
    refused_any_has_message=False,
    acls_have_prefixes=False,
    unknown_acl_refusal="",
    acl_value_names={
        "resourceType": "Topic,Group,Cluster,TransactionalId",
        "operation": (
            "Read,Write,Create,Delete,Alter,Describe,ClusterAction,AlterConfigs,DescribeConfigs,"
            "IdempotentWrite,All"
        ),
        "permissionType": "Allow,Deny",
    },
    hides_topics=True,
    cluster_right_creates_topics=True,
    cluster_right_lists_groups=True,
    cluster_right_reads_epochs=True,
    refused_producer_epoch=0,
    first_idempotent_produce=3,
    group_lookup_refusal="",
    acl_message=None,
    topic_rights_include_idempotence=False,
    refused_descriptions_have_message=False,
    refused_topics_hide_configs=True,
    refused_partitions_message="The topic authorization is failed.",
    messages_of_refused_items=frozenset(),
    markers_need_cluster_action=True,
    cluster_rights_delete_topics=False,
    log_dirs_are_refused_silently=True,
    credential_failure=DEFAULT_FAILURE,
    scram_nonce_check=ScramNonceCheck.NONE,
    sasl_listeners_ask_for_certificates=False,
    signed_token_validators=(),
    token_parties_must_be_set=False,
    key_files_are_read_again=False,
)

SECURITY_IN_KRAFT: Final = SecurityOptions(
    acl_change_refusal="No Authorizer is configured.",
    acls_may_be_unknown=False,
    acl_filters_may_be_unknown=False,
    acl_fields_without_any=frozenset(),
    handshake_names_mechanisms=False,
    user_may_have_several_changes=False,
    credentials_need_name=False,
    credential_message=None,
    authorizers=("org.apache.kafka.metadata.authorizer.StandardAuthorizer",),
    refused_any_has_message=False,
    acls_have_prefixes=True,
    unknown_acl_refusal="",
    acl_value_names={},
    acl_message="",
    hides_topics=False,
    cluster_right_creates_topics=False,
    cluster_right_lists_groups=False,
    cluster_right_reads_epochs=False,
    refused_producer_epoch=-1,
    first_idempotent_produce=0,
    group_lookup_refusal="Group authorization failed.",
    topic_rights_include_idempotence=True,
    refused_descriptions_have_message=True,
    refused_topics_hide_configs=False,
    refused_partitions_message="",
    messages_of_refused_items=frozenset(
        {
            ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            ErrorCode.GROUP_AUTHORIZATION_FAILED,
            ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
        }
    ),
    markers_need_cluster_action=False,
    cluster_rights_delete_topics=True,
    log_dirs_are_refused_silently=False,
    credential_failure="",
    scram_nonce_check=ScramNonceCheck.NONE,
    sasl_listeners_ask_for_certificates=True,
    signed_token_validators=(
        f"{_OAUTHBEARER}.OAuthBearerValidatorCallbackHandler",
        f"{_OAUTHBEARER}.secured.OAuthBearerValidatorCallbackHandler",
    ),
    token_parties_must_be_set=False,
    key_files_are_read_again=False,
)

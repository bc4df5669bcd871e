"""Changes of the releases with ZooKeeper, each over the release before it."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import Compression
from mockbroker.state.release.admin_refusals import (
    ZOOKEEPER_REFUSALS,
    ZOOKEEPER_REFUSALS_OF_1_0,
    ZOOKEEPER_REFUSALS_OF_1_1,
    ZOOKEEPER_REFUSALS_OF_2_3,
    ZOOKEEPER_REFUSALS_OF_2_8,
)
from mockbroker.state.release.cluster_admin_options import (
    CLUSTER_ADMIN_OF_2_3,
    CLUSTER_ADMIN_OF_2_8,
    CLUSTER_ADMIN_REFUSALS_OF_2_4,
    CLUSTER_ADMIN_REFUSALS_OF_2_5,
    CLUSTER_ADMIN_REFUSALS_OF_2_8,
)
from mockbroker.state.release.group_options import GroupOptions
from mockbroker.state.release.security_options import (
    SecurityOptions,
)

if TYPE_CHECKING:
    from mockbroker.state.release.options import Options

_NOT_ASKED: Final = -(1 << 31)


def kafka_1_0(before: "Options") -> "Options":
    """Return the options of Kafka 1.0, from those of the release before it."""
    return before._replace(
        security=before.security._replace(hides_topics=False),
        producer_state=before.producer_state._replace(
            unknown_producer_error=ErrorCode.UNKNOWN_PRODUCER_ID,
            batches_retained=5,
            marker_is_last_batch=False,
            marker_counts_as_activity=False,
            remembers_refused_batches=True,
        ),
        duplicate_without_metadata=True,
        transactions=before.transactions._replace(
            internal_topic_refusal=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            adds_missing_partitions=True,
        ),
        no_leader_epoch_is_an_epoch=True,
        admin_refusals=ZOOKEEPER_REFUSALS_OF_1_0,
    )


def kafka_1_1(before: "Options") -> "Options":
    """Return the options of Kafka 1.1, from those of the release before it."""
    return before._replace(
        security=before.security._replace(
            handshake_names_mechanisms=False,
            acl_value_names={
                **before.security.acl_value_names,
                "resourceType": "Topic,Group,Cluster,TransactionalId,DelegationToken",
            },
        ),
        groups=before.groups._replace(
            completing_rebalance_title="CompletingRebalance",
        ),
        producer_state=before.producer_state._replace(remembers_refused_batches=False),
        duplicate_without_metadata=False,
        no_leader_epoch_is_an_epoch=False,
        admin_refusals=ZOOKEEPER_REFUSALS_OF_1_1,
        delete_records_asks_policy_first=True,
        produce=before.produce._replace(
            checks_last_offset_delta=True,
        ),
        fetch=before.fetch._replace(
            conversion_refuses_headers=False,
        ),
        configs=before.configs._replace(
            has_cluster_default=True,
            alters_brokers=True,
            default_is_of_topic=False,
        ),
    )


def kafka_2_3(before: "Options") -> "Options":
    """Return the options of Kafka 2.3, from those of the release before it."""
    return before._replace(
        list_offsets_awaits_high_watermark=True,
        quotas=before.quotas._replace(delays_responses=False),
        security=_security_of_2_3(before.security),
        groups=_groups_of_2_3(before.groups),
        transactions=before.transactions._replace(
            adds_missing_partitions=False, offsets_need_group=True, offsets_need_partition=True
        ),
        offsets=before.offsets._replace(
            offset_value_version=3, group_value_version=3, expire_each_by_itself=False
        ),
        producer_state=before.producer_state._replace(
            unknown_sequence_error=ErrorCode.UNKNOWN_PRODUCER_ID, counts_offsets_by_sequence=False
        ),
        admin_refusals=ZOOKEEPER_REFUSALS_OF_2_3,
        cluster_admin=CLUSTER_ADMIN_OF_2_3,
        coordinator_type_refusal=ErrorCode.UNKNOWN_SERVER_ERROR,
        coordinator_has_message=True,
        not_hosted_code=ErrorCode.NOT_LEADER_OR_FOLLOWER,
        leader_epoch_begins_with_records=False,
        produce=before.produce._replace(
            foreign_batches_close_connection=False,
            accepts_empty_message_set=False,
            newest_codec=Compression.ZSTD,
            looks_for_partition_first=True,
            transactional_needs_id=True,
        ),
        fetch=before.fetch._replace(
            always_tells_last_stable_offset=True,
            unknown_partitions_come_last=True,
            pads_converted=True,
        ),
        topics=before.topics._replace(
            repeated_topics_come_last=False,
            deleted_topics_may_repeat=False,
            created_config_code=ErrorCode.INVALID_CONFIG,
        ),
        configs=before.configs._replace(
            null_closes_connection=True,
            describes_unknown_topics=False,
        ),
    )


def _groups_of_2_3(before: GroupOptions) -> GroupOptions:
    return before._replace(
        refused_join_generation_id=-1,
        all_need_group_id=True,
        sync_while_loading=ErrorCode.REBALANCE_IN_PROGRESS,
        new_members_time_out=True,
        heartbeat_checks_generation_while_completing=True,
        describes_assignment_as_metadata=True,
    )


def _security_of_2_3(before: SecurityOptions) -> SecurityOptions:
    return before._replace(
        acl_fields_without_any=before.acl_fields_without_any
        | {"resource_type", "resource_pattern_type"},
        acls_have_prefixes=True,
        cluster_right_creates_topics=False,
        cluster_right_lists_groups=False,
        cluster_right_reads_epochs=False,
        refused_producer_epoch=-1,
        first_idempotent_produce=0,
        group_lookup_refusal="Not authorized to access group: Group authorization failed.",
    )


def kafka_2_4(before: "Options") -> "Options":
    """Return the options of Kafka 2.4, from those of the release before it."""
    return before._replace(
        offsets=before.offsets._replace(expire_beside_subscriptions=True),
        groups=before.groups._replace(
            commit_checks_state_first=False, describes_assignment_as_metadata=False
        ),
        producer_state=before.producer_state._replace(
            outlives_records=True,
            marker_counts_as_activity=True,
            fences_coordinators_batches=True,
        ),
        admin_refusals=ZOOKEEPER_REFUSALS,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_2_4,
        security=before.security._replace(
            authorizers=("kafka.security.authorizer.AclAuthorizer",),
            unknown_acl_refusal="Failed to create ACL",
            acl_value_names={},
            group_lookup_refusal="Group authorization failed.",
        ),
        api_versions_refusal_names_itself=True,
        produce=before.produce._replace(
            mixes_record_formats=False,
            invalid_record_code=ErrorCode.INVALID_RECORD,
            refusals_without_log_start_offset=frozenset(),
        ),
        fetch=before.fetch._replace(
            from_followers=True,
            lists_aborted_beyond_stable=False,
        ),
        topics=before.topics._replace(
            new_topic_counts_have_defaults=True,
        ),
        configs=before.configs._replace(
            has_loggers=True,
        ),
    )


def kafka_2_5(before: "Options") -> "Options":
    """Return the options of Kafka 2.5, from those of the release before it."""
    return before._replace(
        security=before.security._replace(
            acls_may_be_unknown=False,
            acl_fields_without_any=frozenset(),
            refused_any_has_message=True,
            acl_message="",
        ),
        groups=before.groups._replace(unassigned_rejoin_rebalances=True),
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_2_5,
        transactions=before.transactions._replace(fencing_keeps_last_epoch=True),
        producer_state=before.producer_state._replace(
            accepts_unknown_producer=True,
            unknown_sequence_error=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        ),
        authorized_operations_not_asked=_NOT_ASKED,
        produce=before.produce._replace(collects_record_errors=True),
        fetch=before.fetch._replace(lists_aborted_where_unstable=False),
    )


def kafka_2_8(before: "Options") -> "Options":
    """Return the options of Kafka 2.8, from those of the release before it."""
    return before._replace(
        security=_security_of_2_8(before.security),
        offsets=before.offsets._replace(expire_while_rebalancing=False),
        groups=before.groups._replace(
            max_size_counts_waiting=True,
            static_rejoin_is_logged=True,
            heartbeat_while_completing=ErrorCode.NONE,
            unsynced_members_time_out=True,
        ),
        producer_state=before.producer_state._replace(
            completes_empty_transactions=False,
        ),
        transactions=before.transactions._replace(
            ending_accepts_epoch_ahead=False, fencing_keeps_last_epoch=False
        ),
        admin_refusals=ZOOKEEPER_REFUSALS_OF_2_8,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_2_8,
        cluster_admin=CLUSTER_ADMIN_OF_2_8,
        list_offsets_answers_repeated_once=False,
        metadata_checks_topic_names=True,
        finalized_features_epoch=0,
        coordinator_type_refusal=ErrorCode.INVALID_REQUEST,
        produce=before.produce._replace(
            skips_compressed_bodies=True,
            malformed_records_close_connection=False,
            accepts_empty_message_set=True,
        ),
        fetch=before.fetch._replace(
            without_replica=ErrorCode.NOT_LEADER_OR_FOLLOWER,
            bad_isolation_closes_connection=False,
            leader_epoch_may_be_negative=False,
        ),
        configs=before.configs._replace(
            null_closes_connection=False,
            lists_need_own_value=False,
            nulls_come_first=True,
            unknown_type_is_echoed=True,
            v0_knows_defaults=False,
            empty_names_mean_all=True,
            described_message="",
        ),
    )


def _security_of_2_8(before: SecurityOptions) -> SecurityOptions:
    return before._replace(
        acl_filters_may_be_unknown=False,
        refused_any_has_message=False,
        topic_rights_include_idempotence=True,
        refused_descriptions_have_message=True,
        sasl_listeners_ask_for_certificates=True,
    )

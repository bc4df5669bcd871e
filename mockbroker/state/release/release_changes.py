"""Changes of each supported release of Kafka over the one before it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import Compression
from mockbroker.state.release.admin_refusals import (
    KRAFT_REFUSALS,
    KRAFT_REFUSALS_OF_3_9,
    ZOOKEEPER_REFUSALS,
    ZOOKEEPER_REFUSALS_OF_1_1,
    ZOOKEEPER_REFUSALS_OF_2_3,
    ZOOKEEPER_REFUSALS_OF_2_8,
)
from mockbroker.state.release.cluster_admin_options import (
    CLUSTER_ADMIN_OF_2_3,
    CLUSTER_ADMIN_OF_2_8,
    CLUSTER_ADMIN_OF_3_9,
    CLUSTER_ADMIN_OF_4_4,
    CLUSTER_ADMIN_REFUSALS_OF_2_4,
    CLUSTER_ADMIN_REFUSALS_OF_2_8,
    CLUSTER_ADMIN_REFUSALS_OF_4_4,
    CLUSTER_ADMIN_REFUSALS_OF_KRAFT,
)
from mockbroker.state.release.group_options import ConsumerGroupOptions, GroupOptions
from mockbroker.state.release.quota_options import QUOTAS_IN_KRAFT
from mockbroker.state.release.security_options import (
    SECURITY_IN_KRAFT,
    ScramNonceCheck,
    SecurityOptions,
)
from mockbroker.state.release.topic_options import TopicOptions

if TYPE_CHECKING:
    from mockbroker.state.release.options import Options

_NOT_ASKED: Final = -(1 << 31)
_EPOCH_OF_FIRST_FEATURES: Final = 1


def _kafka_1_1(before: "Options") -> "Options":
    return before._replace(
        security=before.security._replace(
            handshake_names_mechanisms=False,
            hides_topics=False,
            acl_value_names={
                **before.security.acl_value_names,
                "resourceType": "Topic,Group,Cluster,TransactionalId,DelegationToken",
            },
        ),
        groups=before.groups._replace(
            completing_rebalance_title="CompletingRebalance",
        ),
        producer_state=before.producer_state._replace(
            unknown_producer_error=ErrorCode.UNKNOWN_PRODUCER_ID,
            batches_retained=5,
            marker_is_last_batch=False,
            marker_counts_as_activity=False,
        ),
        transactions=before.transactions._replace(
            internal_topic_refusal=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            adds_missing_partitions=True,
        ),
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


def _kafka_2_3(before: "Options") -> "Options":
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


def _kafka_2_4(before: "Options") -> "Options":
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


def _kafka_2_8(before: "Options") -> "Options":
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
            accepts_unknown_producer=True,
            unknown_sequence_error=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
            completes_empty_transactions=False,
        ),
        transactions=before.transactions._replace(ending_accepts_epoch_ahead=False),
        admin_refusals=ZOOKEEPER_REFUSALS_OF_2_8,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_2_8,
        cluster_admin=CLUSTER_ADMIN_OF_2_8,
        list_offsets_answers_repeated_once=False,
        metadata_checks_topic_names=True,
        finalized_features_epoch=0,
        authorized_operations_not_asked=_NOT_ASKED,
        coordinator_type_refusal=ErrorCode.INVALID_REQUEST,
        produce=before.produce._replace(
            collects_record_errors=True,
            skips_compressed_bodies=True,
            malformed_records_close_connection=False,
            accepts_empty_message_set=True,
        ),
        fetch=before.fetch._replace(
            without_replica=ErrorCode.NOT_LEADER_OR_FOLLOWER,
            lists_aborted_where_unstable=False,
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
        acls_may_be_unknown=False,
        acl_fields_without_any=frozenset(),
        acl_message="",
        topic_rights_include_idempotence=True,
        refused_descriptions_have_message=True,
        sasl_listeners_ask_for_certificates=True,
    )


def _kafka_3_9(before: "Options") -> "Options":
    return before._replace(
        quotas=QUOTAS_IN_KRAFT,
        security=SECURITY_IN_KRAFT,
        offsets=before.offsets._replace(
            state_filters_ignore_case=True, first_version_is_refused=True
        ),
        groups=before.groups._replace(
            rejoin_updates_timeouts=True,
            instance_must_be_known=True,
        ),
        transactions=before.transactions._replace(
            adds_repeated_partitions_once=False,
            describes_producers_of_any_topic=False,
            offsets_need_member_and_generation=False,
        ),
        producer_state=before.producer_state._replace(verifies_transactions=True),
        admin_refusals=KRAFT_REFUSALS_OF_3_9,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_KRAFT,
        cluster_admin=CLUSTER_ADMIN_OF_3_9,
        producer_expiration_config="producer.id.expiration.ms",
        list_offsets_checks_timestamps=True,
        finalized_features_epoch=_EPOCH_OF_FIRST_FEATURES,
        min_insync_replicas_within_replicas=True,
        high_watermark_needs_min_insync_replicas=True,
        keeps_old_message_formats=False,
        produce=before.produce._replace(
            null_records_close_connection=False,
            record_errors_are_summed_up=True,
            record_errors_end_with_period=False,
            accepts_log_append_time=True,
            believes_fields=True,
        ),
        fetch=before.fetch._replace(
            refusals_have_aborted_list=True,
            gives_partial_batches=False,
            failed_conversion_has_records=False,
            session_rotates_all_news=False,
        ),
        topics=_topics_of_3_9(before.topics),
        configs=before.configs._replace(
            has_client_metrics=True,
            errors_name_resource=False,
            lists_may_repeat=False,
            are_the_controllers=True,
            resources_may_repeat=False,
            keys_may_repeat=False,
        ),
    )


def _topics_of_3_9(before: TopicOptions) -> TopicOptions:
    return before._replace(
        deleted_topics_have_messages=True,
        validated_topics_have_ids=True,
        topics_deleted_by_name_have_ids=True,
        partitions_are_checked_first=False,
        auto_create_answer=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        auto_create_tells_refusals=False,
        admin_only_at_controller=False,
        admin_timeout_applies_work=False,
        max_partitions_per_request=10_000,
        requests_are_batches=True,
        added_partitions_are_summed_first=False,
        reserved_topics=frozenset({"__cluster_metadata"}),
        assignment_numbers_may_repeat=False,
        repeated_topics_come_last=True,
        created_configs_are_as_given=True,
    )


def with_java_coordinator(before: "Options") -> "Options":
    """Return options with the group coordinator written in Java: that of 4.0 and later."""
    return before._replace(
        groups=before.groups._replace(
            lost_coordinator_forgets_member=True,
            join_checks_timeout_before_coordinator=True,
            sync_while_loading=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
            new_groups_are_logged=True,
            refused_for_size_completes_join=False,
            sync_prolongs_session=False,
            leaves_one_by_one=False,
            delay_grows_with_generation_only=False,
            expiry_ends_delay=True,
            has_consumer_groups=True,
        ),
        offsets=before.offsets._replace(
            empty_groups_go_at_once=False,
            unused_groups_have_tombstones=True,
            rebalancing_shows_assignments=True,
            commit_may_lack_group=True,
            repeated_commits_are_kept=True,
            expired_groups_share_batches=True,
            batches_are_numbered=True,
        ),
    )


def _kafka_4_4(before: "Options") -> "Options":
    before = with_java_coordinator(before)
    return before._replace(
        security=before.security._replace(
            messages_of_refused_items=before.security.messages_of_refused_items
            - {ErrorCode.CLUSTER_AUTHORIZATION_FAILED},
            scram_nonce_check=ScramNonceCheck.WHOLE,
            signed_token_validators=before.security.signed_token_validators[:1],
            token_parties_must_be_set=True,
            key_files_are_read_again=True,
        ),
        configs=before.configs._replace(client_metrics_are_typed=True, has_group_configs=True),
        consumer_groups=ConsumerGroupOptions(),
        transactions=before.transactions._replace(
            adding_bumps_epochs=True,
            adding_awaits_pending_first=True,
            previous_producer_id_stays=False,
            start_outlives_initialisation=False,
            offsets_without_topic=ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ),
        offsets=before.offsets._replace(
            offset_value_version=4,
            groups_have_configs=True,
            state_filters_are_trimmed=True,
            first_version_is_refused=False,
        ),
        producer_state=before.producer_state._replace(
            verifies_producer_epoch=True, stable_within_batches=False
        ),
        list_offsets_answers_repeated_once=True,
        has_share_coordinator=True,
        topics=before.topics._replace(added_partitions_are_summed_first=True),
        admin_refusals=KRAFT_REFUSALS,
        cluster_admin=CLUSTER_ADMIN_OF_4_4,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_4_4,
        elr_pins_min_insync_replicas=True,
        produce=before.produce._replace(
            legacy_versions_close_connection=True,
        ),
    )


CHANGES: Final[Mapping[str, Callable[["Options"], "Options"]]] = {
    "1.1": _kafka_1_1,
    "2.3": _kafka_2_3,
    "2.4": _kafka_2_4,
    "2.8": _kafka_2_8,
    "3.9": _kafka_3_9,
    "4.4": _kafka_4_4,
}
"""By release: a function from the options of the release before to those of this release."""

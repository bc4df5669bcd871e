"""Changes of the releases with KRaft, each over the release before it."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.release.admin_refusals import (
    KRAFT_REFUSALS,
    KRAFT_REFUSALS_OF_3_6,
    KRAFT_REFUSALS_OF_3_9,
)
from mockbroker.state.release.cluster_admin_options import (
    CLUSTER_ADMIN_OF_3_6,
    CLUSTER_ADMIN_OF_3_9,
    CLUSTER_ADMIN_OF_4_4,
    CLUSTER_ADMIN_REFUSALS_OF_3_6,
    CLUSTER_ADMIN_REFUSALS_OF_3_9,
    CLUSTER_ADMIN_REFUSALS_OF_4_4,
)
from mockbroker.state.release.group_options import ConsumerGroupOptions
from mockbroker.state.release.produce_options import ProduceOptions
from mockbroker.state.release.quota_options import QUOTAS_IN_KRAFT
from mockbroker.state.release.security_options import (
    SECURITY_IN_KRAFT,
    ScramNonceCheck,
)
from mockbroker.state.release.topic_options import TopicOptions

if TYPE_CHECKING:
    from mockbroker.state.release.options import Options

_EPOCH_OF_FIRST_FEATURES: Final = 1
_EARLIEST_LOCAL: Final = -4


def kafka_3_6(before: "Options") -> "Options":
    """Return the options of Kafka 3.6, from those of the release before it."""
    return before._replace(
        quotas=QUOTAS_IN_KRAFT,
        security=SECURITY_IN_KRAFT,
        offsets=before.offsets._replace(first_version_is_refused=True),
        groups=before.groups._replace(
            rejoin_updates_timeouts=True,
            instance_must_be_known=True,
        ),
        transactions=before.transactions._replace(
            adds_repeated_partitions_once=False,
            describes_producers_of_any_topic=False,
            offsets_need_member_and_generation=False,
            unverified_code=ErrorCode.INVALID_TXN_STATE,
        ),
        producer_state=before.producer_state._replace(
            verifies_transactions=True, verifies_offsets=False
        ),
        admin_refusals=KRAFT_REFUSALS_OF_3_6,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_3_6,
        cluster_admin=CLUSTER_ADMIN_OF_3_6,
        producer_expiration_config="producer.id.expiration.ms",
        list_offsets_lowest_special=_EARLIEST_LOCAL,
        list_offsets_latest_ends_batch=True,
        finalized_features_epoch=_EPOCH_OF_FIRST_FEATURES,
        keeps_old_message_formats=False,
        produce=_produce_of_3_6(before.produce),
        fetch=before.fetch._replace(
            refusals_have_aborted_list=True,
            gives_partial_batches=False,
            failed_conversion_has_records=False,
            session_rotates_all_news=False,
        ),
        topics=_topics_of_3_6(before.topics),
        configs=before.configs._replace(
            errors_name_resource=False,
            lists_may_repeat=False,
            are_the_controllers=True,
            resources_may_repeat=False,
            keys_may_repeat=False,
        ),
    )


def _produce_of_3_6(before: ProduceOptions) -> ProduceOptions:
    return before._replace(
        null_records_close_connection=False,
        null_records_code=ErrorCode.UNKNOWN_SERVER_ERROR,
        record_errors_are_summed_up=True,
        record_errors_end_with_period=False,
        accepts_log_append_time=True,
        believes_fields=True,
        unverified_has_message=True,
        lost_verification_is_retriable=False,
    )


def _topics_of_3_6(before: TopicOptions) -> TopicOptions:
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
        topics_are_summed_first=False,
        added_partitions_are_summed_first=False,
        reserved_topics=frozenset({"__cluster_metadata"}),
        assignment_numbers_may_repeat=False,
        repeated_topics_come_last=True,
        created_configs_are_as_given=True,
    )


def kafka_3_9(before: "Options") -> "Options":
    """Return the options of Kafka 3.9, from those of the release before it."""
    return before._replace(
        security=before.security._replace(scram_nonce_check=ScramNonceCheck.END),
        offsets=before.offsets._replace(state_filters_ignore_case=True),
        transactions=before.transactions._replace(unverified_code=ErrorCode.TRANSACTION_ABORTABLE),
        producer_state=before.producer_state._replace(verifies_offsets=True),
        admin_refusals=KRAFT_REFUSALS_OF_3_9,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_3_9,
        cluster_admin=CLUSTER_ADMIN_OF_3_9,
        list_offsets_checks_timestamps=True,
        list_offsets_latest_ends_batch=False,
        min_insync_replicas_within_replicas=True,
        high_watermark_needs_min_insync_replicas=True,
        produce=before.produce._replace(
            null_records_code=ErrorCode.INVALID_RECORD,
            unverified_has_message=False,
            lost_verification_is_retriable=True,
        ),
        topics=before.topics._replace(topics_are_summed_first=True),
        configs=before.configs._replace(has_client_metrics=True),
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


def kafka_4_4(before: "Options") -> "Options":
    """Return the options of Kafka 4.4, from those of the release before it."""
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

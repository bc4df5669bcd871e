"""What a release of Kafka does differently: a generation is a preset of options.

Handlers and state never compare releases. They read an option; each is read in one place.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.admin_refusals import KRAFT_REFUSALS, ZOOKEEPER_REFUSALS, AdminRefusals
from mockbroker.state.release_versions import Feature, advertised_versions, features

DEFAULT_RELEASE: Final = "4.4"

_NOT_ASKED: Final = -(1 << 31)


class Options(NamedTuple):
    """How a cluster behaves: everything in which the supported releases differ."""

    release: str
    """Major and minor version, such as `4.4`: selects the table of configs."""
    api_versions: Mapping[ApiKey, range]
    """The versions of each API that ApiVersions may name, where a handler is there for them."""
    features: tuple[Feature, ...]
    """What ApiVersions says of features; empty before KIP-584."""
    admin_refusals: AdminRefusals
    """Codes and texts of refused admin requests."""

    accepts_unknown_producer: bool
    """Whether a producer without state may start at any sequence (KIP-360, since 2.5)."""
    producer_expiration_config: str
    """The config after which an idle producer's state is dropped."""
    legacy_produce_closes_connection: bool
    """Whether Produce v0-2, although advertised, ends the connection (KIP-896, since 4.0)."""

    collects_record_errors: bool
    """Whether a refused batch is answered with every refused record, or the first (KIP-467)."""
    accepts_log_append_time: bool
    """Whether a batch that a producer marked LogAppendTime is accepted, its mark removed."""
    skips_compressed_bodies: bool
    """Whether keys and values of compressed records are skipped unverified (KIP-57's checks)."""
    malformed_records_close_connection: bool
    """Whether bytes that hold no batch end the connection, or fail the whole request."""

    fetch_refusals_have_aborted_list: bool
    """Whether Fetch answers for an unknown partition with an empty list of aborted transactions."""
    fetch_without_replica: ErrorCode
    """What Fetch v11+ answers where the broker has no replica (KIP-392)."""
    list_offsets_checks_timestamps: bool
    """Whether ListOffsets refuses negative timestamps that mean nothing, or looks for them."""
    fetch_session_rotates_all_news: bool
    """Whether all answered partitions, not just those with records, move to a session's end."""
    auto_create_answer: ErrorCode
    """What Metadata answers for a topic that it is only about to create."""
    auto_create_tells_refusals: bool
    """Whether that answer already says that the topic cannot be created."""
    metadata_checks_topic_names: bool
    """Whether Metadata refuses impossible names even when it is not to create topics."""
    authorized_operations_not_asked: int
    """The bit field of authorized operations for a client that did not ask for it."""
    admin_only_at_controller: bool
    """Whether brokers other than the controller refuse to create and delete topics."""
    admin_timeout_applies_work: bool
    """Whether CreateTopics and the like still do the work when their timeout is not positive."""
    max_partitions_per_request: int
    """How many partitions one request may create, or changes it may make.

    Kafka 2.4 has no such limit and works until its memory ends; here one small request must not
    stop the process.
    """
    reserved_topics: frozenset[str]
    """Topics that clients may not create."""
    assignment_numbers_may_repeat: bool
    """Whether a new topic's assignment may name a partition twice; the last one counts."""
    repeated_topics_come_last: bool
    """Whether topics that a request names twice are answered once, after all others."""
    config_errors_name_resource: bool
    """Whether a wrong value is INVALID_REQUEST with the resource's name before Kafka's text."""
    config_lists_need_own_value: bool
    """Whether APPEND and SUBTRACT fail on a list that is not set for the resource itself."""
    config_lists_may_repeat: bool
    """Whether APPEND adds to a list what is there already."""
    config_null_closes_connection: bool
    """Whether AlterConfigs with a value of null ends the connection."""
    created_configs_are_as_given: bool
    """Whether CreateTopics answers with a topic's configs as they were sent, or as understood."""
    config_resources_may_repeat: bool
    """Whether a request may name the same resource twice; the last one counts."""
    config_keys_may_repeat: bool
    """Whether AlterConfigs may name the same config twice; the last one counts."""
    config_unknown_type_is_echoed: bool
    """Whether the answer for an unknown type of resource repeats that type, or says 0."""
    config_empty_names_mean_all: bool
    """Whether DescribeConfigs with an empty list of names describes all configs, or none."""
    config_described_message: str | None
    """The error message of DescribeConfigs where there is no error."""
    coordinator_type_refusal: ErrorCode
    """What FindCoordinator answers for a key type it does not know."""
    min_insync_replicas_within_replicas: bool
    """Whether min.insync.replicas counts as no more than a partition has replicas (KIP-966)."""
    elr_pins_min_insync_replicas: bool
    """Whether the cluster itself sets min.insync.replicas for all brokers (KIP-966)."""

    @staticmethod
    def for_release(release: str = DEFAULT_RELEASE) -> "Options":
        """Return the options of a release, written as `4.4`, `4.4.0` or `v4.4`.

        Raises:
            ValueError: for a release that is not supported, naming those that are.

        """
        match = re.fullmatch(r"v?(\d+\.\d+)(\.\d+)*", release.strip())
        short = match.group(1) if match else release
        if short not in SUPPORTED_RELEASES:
            supported = " and ".join(SUPPORTED_RELEASES)
            raise ValueError(f"Kafka release {release!r} is not supported; there are {supported}")
        return _preset(short)

    @property
    def finalized_features_epoch(self) -> int:
        """Counts changes of the finalized features; -1 where a release has none."""
        return FINALIZED_FEATURES_EPOCH if self.features else -1


FINALIZED_FEATURES_EPOCH: Final = 1

SUPPORTED_RELEASES: Final = ("2.4", "4.4")
"""The releases for which the differences are known and built."""


@cache
def _preset(release: str) -> Options:
    return {"2.4": _kafka_2_4, "4.4": _kafka_4_4}[release]()


def _kafka_2_4() -> Options:
    return Options(
        release="2.4",
        api_versions=advertised_versions("2.4"),
        features=features("2.4"),
        admin_refusals=ZOOKEEPER_REFUSALS,
        accepts_unknown_producer=False,
        producer_expiration_config="transactional.id.expiration.ms",
        legacy_produce_closes_connection=False,
        collects_record_errors=False,
        accepts_log_append_time=False,
        skips_compressed_bodies=False,
        malformed_records_close_connection=True,
        fetch_refusals_have_aborted_list=False,
        fetch_without_replica=ErrorCode.REPLICA_NOT_AVAILABLE,
        list_offsets_checks_timestamps=False,
        fetch_session_rotates_all_news=True,
        auto_create_answer=ErrorCode.LEADER_NOT_AVAILABLE,
        auto_create_tells_refusals=True,
        metadata_checks_topic_names=False,
        authorized_operations_not_asked=0,
        admin_only_at_controller=True,
        admin_timeout_applies_work=True,
        max_partitions_per_request=100_000,
        reserved_topics=frozenset(),
        assignment_numbers_may_repeat=True,
        repeated_topics_come_last=False,
        config_errors_name_resource=True,
        config_lists_need_own_value=True,
        config_lists_may_repeat=True,
        config_null_closes_connection=True,
        created_configs_are_as_given=False,
        config_resources_may_repeat=True,
        config_keys_may_repeat=True,
        config_unknown_type_is_echoed=False,
        config_empty_names_mean_all=False,
        config_described_message=None,
        coordinator_type_refusal=ErrorCode.UNKNOWN_SERVER_ERROR,
        min_insync_replicas_within_replicas=False,
        elr_pins_min_insync_replicas=False,
    )


def _kafka_4_4() -> Options:
    return Options(
        release="4.4",
        api_versions=advertised_versions("4.4"),
        features=features("4.4"),
        admin_refusals=KRAFT_REFUSALS,
        accepts_unknown_producer=True,
        producer_expiration_config="producer.id.expiration.ms",
        legacy_produce_closes_connection=True,
        collects_record_errors=True,
        accepts_log_append_time=True,
        skips_compressed_bodies=True,
        malformed_records_close_connection=False,
        fetch_refusals_have_aborted_list=True,
        fetch_without_replica=ErrorCode.NOT_LEADER_OR_FOLLOWER,
        list_offsets_checks_timestamps=True,
        fetch_session_rotates_all_news=False,
        auto_create_answer=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        auto_create_tells_refusals=False,
        metadata_checks_topic_names=True,
        authorized_operations_not_asked=_NOT_ASKED,
        admin_only_at_controller=False,
        admin_timeout_applies_work=False,
        max_partitions_per_request=10_000,
        reserved_topics=frozenset({"__cluster_metadata"}),
        assignment_numbers_may_repeat=False,
        repeated_topics_come_last=True,
        config_errors_name_resource=False,
        config_lists_need_own_value=False,
        config_lists_may_repeat=False,
        config_null_closes_connection=False,
        created_configs_are_as_given=True,
        config_resources_may_repeat=False,
        config_keys_may_repeat=False,
        config_unknown_type_is_echoed=True,
        config_empty_names_mean_all=True,
        config_described_message="",
        coordinator_type_refusal=ErrorCode.INVALID_REQUEST,
        min_insync_replicas_within_replicas=True,
        elr_pins_min_insync_replicas=True,
    )

"""Differences between the supported releases of Kafka, as presets of options.

Handlers and state never compare releases. They read an option, each in one place.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from mockbroker.state.release.admin_refusals import ZOOKEEPER_REFUSALS_OF_0_11, AdminRefusals
from mockbroker.state.release.changes.kraft_changes import (
    kafka_3_6,
    kafka_3_9,
    kafka_4_4,
    with_java_coordinator,
)
from mockbroker.state.release.changes.zookeeper_changes import (
    kafka_1_0,
    kafka_1_1,
    kafka_2_3,
    kafka_2_4,
    kafka_2_5,
    kafka_2_8,
)
from mockbroker.state.release.cluster_admin_options import (
    CLUSTER_ADMIN_OF_0_11,
    CLUSTER_ADMIN_REFUSALS_OF_2_3,
    ClusterAdminOptions,
    ClusterAdminRefusals,
)
from mockbroker.state.release.config_options import CONFIGS_OF_0_11, ConfigOptions
from mockbroker.state.release.fetch_options import FETCH_OF_0_11, FetchOptions
from mockbroker.state.release.group_options import (
    CONSUMER_GROUPS_OF_3_9,
    GROUPS_OF_0_11,
    ConsumerGroupOptions,
    GroupOptions,
)
from mockbroker.state.release.offset_options import OFFSETS_OF_0_11, OffsetOptions
from mockbroker.state.release.produce_options import PRODUCE_OF_0_11, ProduceOptions
from mockbroker.state.release.quota_options import QUOTAS_IN_ZOOKEEPER, QuotaOptions
from mockbroker.state.release.release_versions import (
    Feature,
    advertised_versions,
    features,
    unstable_versions,
)
from mockbroker.state.release.security_options import SECURITY_OF_0_11, SecurityOptions
from mockbroker.state.release.topic_options import TOPICS_OF_0_11, TopicOptions
from mockbroker.state.release.transaction_options import TRANSACTIONS_OF_0_11, TransactionOptions

DEFAULT_RELEASE: Final = "4.4"


class Options(NamedTuple):
    """Behaviour of a cluster: everything that differs between the supported releases."""

    release: str
    """Major and minor version, such as `4.4`; selects the table of configs."""
    api_versions: Mapping[ApiKey, range]
    """The versions of each API for ApiVersions, limited to those with a handler."""
    unstable_api_versions: Mapping[ApiKey, range]
    """The versions of the APIs that `unstable.api.versions.enable` extends."""
    features: tuple[Feature, ...]
    """The features in ApiVersions; empty before KIP-584."""
    admin_refusals: AdminRefusals
    """Codes and texts of rejected admin requests."""
    cluster_admin_refusals: ClusterAdminRefusals
    """Codes and texts of rejected requests about leaders, reassignments and features."""

    produce: ProduceOptions
    """Validation of records in Produce."""
    fetch: FetchOptions
    """Responses to Fetch."""
    topics: TopicOptions
    """Creation and deletion of topics."""
    configs: ConfigOptions
    """Description and alteration of configs."""
    security: SecurityOptions
    """Responses about ACLs, SASL and credentials."""
    quotas: QuotaOptions
    """Validation of client quotas."""
    cluster_admin: ClusterAdminOptions
    """Reassignment of partitions, and leader election."""
    producer_state: ProducerStateOptions
    """Producer state of a log."""
    producer_expiration_config: str
    """The config for the expiration of an idle producer's state."""

    not_hosted_code: ErrorCode
    """The error for a partition of which the broker has no replica."""
    leader_epoch_begins_with_records: bool
    """True if OffsetForLeaderEpoch knows only leader epochs that wrote records."""
    no_leader_epoch_is_an_epoch: bool
    """True if OffsetForLeaderEpoch finds the end of a log without leader epochs for -1 (1.0)."""
    list_offsets_checks_timestamps: bool
    """True if ListOffsets rejects invalid negative timestamps; otherwise it searches for them."""
    list_offsets_lowest_special: int
    """The lowest timestamp with a meaning of its own in ListOffsets, if none are rejected."""
    list_offsets_latest_ends_batch: bool
    """True if ListOffsets returns the end of a compressed batch with the latest timestamp (3.6).

    The leader epoch is then the latest one of the log (KAFKA-16342).
    """
    list_offsets_awaits_high_watermark: bool
    """True if a new leader withholds the end offset until its followers have fetched (KIP-207)."""
    list_offsets_answers_repeated_once: bool
    """True if a partition that ListOffsets names twice is returned once; otherwise each time."""
    delete_records_asks_policy_first: bool
    """True if DeleteRecords checks the topic's policy before it moves the log start offset."""
    metadata_checks_topic_names: bool
    """True if Metadata rejects invalid names even without automatic creation of topics."""
    finalized_features_epoch: int
    """Counts changes of the finalized features; -1 before KIP-584."""
    api_versions_refusal_names_itself: bool
    """True if the error for an unknown ApiVersions version lists the supported ones (KIP-511)."""
    authorized_operations_not_asked: int
    """The bit field of authorized operations for a client that did not request it."""
    coordinator_type_refusal: ErrorCode | None
    """The error of FindCoordinator for an unknown key type; None closes the connection."""
    coordinator_has_message: bool
    """True if FindCoordinator v1-3 returns a message with its error code."""
    has_share_coordinator: bool
    """True if there are coordinators for share groups (KIP-932)."""
    groups: GroupOptions
    """Behaviour of groups of the classic protocol."""
    consumer_groups: ConsumerGroupOptions
    """Behaviour of groups of the consumer protocol."""
    transactions: TransactionOptions
    """Behaviour of transactions outside of the log."""
    offsets: OffsetOptions
    """Storage of offsets and the group log."""
    min_insync_replicas_within_replicas: bool
    """True if min.insync.replicas is limited to a partition's replication factor (KIP-966)."""
    high_watermark_needs_min_insync_replicas: bool
    """True if nothing is committed while fewer than min.insync.replicas are in sync (KIP-966)."""
    elr_pins_min_insync_replicas: bool
    """True if the cluster itself sets min.insync.replicas for all brokers (KIP-966)."""

    # Proposals that Kafka never shipped; enabled only on request (`proposals.py`).
    describe_transaction_state: bool = False
    """True if DescribeTransactionState is served (KIP-360's draft)."""
    transaction_log_holds_last_epoch: bool = False
    """True if a transactional id's record stores its last epoch (KIP-360's draft).

    It is a tagged field, so that such records always have version 1.
    """
    fences_first_write: bool = False
    """True if an unknown producer's first write needs its coordinator's check (KIP-360 draft)."""
    metadata_has_topic_limits: bool = False
    """True if Metadata has a topic's message format and maximum message size (KIP-192)."""
    keeps_old_message_formats: bool = False
    """True if `message.format.version` has an effect (KIP-192): before 3.0 (KIP-724)."""
    duplicate_without_metadata: bool = False
    """True if a retry of a batch that is no longer cached differs from a gap (KIP-192, 1.0)."""

    @staticmethod
    def for_release(
        release: str = DEFAULT_RELEASE, *, features: Mapping[str, int] | None = None
    ) -> "Options":
        """Return the options of a release, given as `4.4`, `4.4.0` or `v4.4`.

        `features` are levels that differ from the release's, such as {"transaction.version": 1}.

        Raises:
            ValueError: For an unsupported release, with the supported ones; for a feature, as
                `with_feature`.

        """
        match = re.fullmatch(r"v?(\d+\.\d+)(\.\d+)*", release.strip())
        short = match.group(1) if match else release
        if short not in SUPPORTED_RELEASES:
            supported = ", ".join(SUPPORTED_RELEASES[:-1]) + f" and {SUPPORTED_RELEASES[-1]}"
            raise ValueError(f"Kafka release {release!r} is not supported; there are {supported}")
        options = _preset(short)
        for name, level in (features or {}).items():
            options = options.with_feature(name, level)
        return options

    def with_feature(self, name: str, level: int) -> "Options":
        """Return these options with a feature at another level (KIP-584).

        Raises:
            ValueError: The release has no such feature or level; the message lists those it has.

        """
        feature = next((each for each in self.features if each.name == name), None)
        if feature is None:
            names = ", ".join(each.name for each in self.features) or "none"
            raise ValueError(f"Kafka {self.release} has no such feature; there are {names}")
        if not feature.min_version <= level <= feature.max_version:
            raise ValueError(f"allowed are {feature.min_version} to {feature.max_version}")
        if level > feature.highest_served:
            raise ValueError(
                f"Kafka {self.release} has it, but mockbroker does not implement it: the"
                f" highest level is {feature.highest_served}"
            )
        changed = feature._replace(finalized_level=level)
        options = self._replace(
            features=tuple(changed if each is feature else each for each in self.features),
        )
        if name == ELIGIBLE_LEADER_REPLICAS_VERSION:
            options = options._replace(elr_pins_min_insync_replicas=level > 0)
        return options

    def with_configs(self, configs: Mapping[str, str]) -> "Options":
        """Return these options with the group coordinator that broker configs select (3.9)."""
        protocols = re.split(r"\s*,\s*", configs.get(REBALANCE_PROTOCOLS, "").strip())
        if self.release == RELEASE_WITH_BOTH_COORDINATORS and "consumer" in protocols:
            return with_java_coordinator(self)
        return self

    def level_of(self, name: str) -> int | None:
        """Return the finalized level of a feature; None if the release has no such feature."""
        for feature in self.features:  # a loop, because it runs for every record of a transaction
            if feature.name == name:
                return feature.finalized_level
        return None

    @property
    def transaction_version(self) -> int:
        """The level of transaction.version: 2 is KIP-890's second part; 0 if there is none."""
        return self.level_of(TRANSACTION_VERSION) or 0

    @property
    def serves_consumer_groups(self) -> bool:
        """True if the coordinator has consumer groups, and group.version is not 0 (KIP-848)."""
        return self.groups.has_consumer_groups and self.level_of(GROUP_VERSION) != 0

    @property
    def serves_share_groups(self) -> bool:
        """True if share.version is at least 1 (KIP-932)."""
        return bool(self.level_of(SHARE_VERSION))

    @property
    def has_dead_letter_queues(self) -> bool:
        """True if share.version is at least 2 (KIP-1191)."""
        return (self.level_of(SHARE_VERSION) or 0) >= FIRST_WITH_DEAD_LETTERS

    @property
    def transaction_log_value_version(self) -> int:
        """The version of values in `__transaction_state`: 1 has tagged fields (KIP-890)."""
        return 1 if self.transaction_version or self.transaction_log_holds_last_epoch else 0


TRANSACTION_VERSION: Final = "transaction.version"
GROUP_VERSION: Final = "group.version"
REBALANCE_PROTOCOLS: Final = "group.coordinator.rebalance.protocols"
RELEASE_WITH_BOTH_COORDINATORS: Final = "3.9"
SHARE_VERSION: Final = "share.version"
FIRST_WITH_DEAD_LETTERS: Final = 2
"""The first level of share.version with dead-letter queues."""
ELIGIBLE_LEADER_REPLICAS_VERSION: Final = "eligible.leader.replicas.version"

CHANGES: Final[Mapping[str, Callable[[Options], Options]]] = {
    "1.0": kafka_1_0,
    "1.1": kafka_1_1,
    "2.3": kafka_2_3,
    "2.4": kafka_2_4,
    "2.5": kafka_2_5,
    "2.8": kafka_2_8,
    "3.6": kafka_3_6,
    "3.9": kafka_3_9,
    "4.4": kafka_4_4,
}
"""By release: a function from the options of the release before to those of this release."""
SUPPORTED_RELEASES: Final = ("0.11", *CHANGES)
"""The releases with implemented presets, oldest first."""


@cache
def _preset(release: str) -> Options:
    """Return a release's options, built from those of the release before it."""
    if release == SUPPORTED_RELEASES[0]:
        return _kafka_0_11()
    before = _preset(SUPPORTED_RELEASES[SUPPORTED_RELEASES.index(release) - 1])
    renamed = before._replace(
        release=release,
        api_versions=advertised_versions(release),
        unstable_api_versions=unstable_versions(release),
        features=tuple(each.as_served for each in features(release)),
    )
    return CHANGES[release](renamed)


_PRODUCER_STATE_OF_0_11: Final = ProducerStateOptions(
    accepts_unknown_producer=False,
    unknown_producer_error=ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
    batches_retained=1,
    outlives_records=False,
    marker_is_last_batch=True,
    fences_coordinators_batches=False,
    completes_empty_transactions=True,
    counts_offsets_by_sequence=True,
    stable_within_batches=True,
    verifies_producer_epoch=False,
)


def _kafka_0_11() -> Options:
    return Options(
        release="0.11",
        api_versions=advertised_versions("0.11"),
        unstable_api_versions=unstable_versions("0.11"),
        features=features("0.11"),
        admin_refusals=ZOOKEEPER_REFUSALS_OF_0_11,
        cluster_admin_refusals=CLUSTER_ADMIN_REFUSALS_OF_2_3,
        produce=PRODUCE_OF_0_11,
        fetch=FETCH_OF_0_11,
        topics=TOPICS_OF_0_11,
        configs=CONFIGS_OF_0_11,
        security=SECURITY_OF_0_11,
        quotas=QUOTAS_IN_ZOOKEEPER,
        cluster_admin=CLUSTER_ADMIN_OF_0_11,
        producer_state=_PRODUCER_STATE_OF_0_11,
        producer_expiration_config="transactional.id.expiration.ms",
        not_hosted_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        leader_epoch_begins_with_records=True,
        no_leader_epoch_is_an_epoch=False,
        list_offsets_checks_timestamps=False,
        list_offsets_lowest_special=-2,
        list_offsets_latest_ends_batch=False,
        list_offsets_awaits_high_watermark=False,
        list_offsets_answers_repeated_once=True,
        delete_records_asks_policy_first=False,
        metadata_checks_topic_names=False,
        finalized_features_epoch=-1,
        api_versions_refusal_names_itself=False,
        authorized_operations_not_asked=0,
        coordinator_type_refusal=None,
        coordinator_has_message=False,
        has_share_coordinator=False,
        groups=GROUPS_OF_0_11,
        consumer_groups=CONSUMER_GROUPS_OF_3_9,
        transactions=TRANSACTIONS_OF_0_11,
        offsets=OFFSETS_OF_0_11,
        min_insync_replicas_within_replicas=False,
        high_watermark_needs_min_insync_replicas=False,
        elr_pins_min_insync_replicas=False,
        keeps_old_message_formats=True,
    )

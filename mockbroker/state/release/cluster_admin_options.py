"""Release options for reassignments, leader elections, log directories and feature updates."""

from enum import Enum, auto
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.release.admin_refusals import Refusal

_E = ErrorCode


class FeatureUpdates(Enum):
    """The validation of UpdateFeatures, and the scope of one refused update."""

    ZOOKEEPER = auto()
    EACH = auto()
    TOGETHER = auto()


class ClusterAdminOptions(NamedTuple):
    """Options for ElectLeaders, AlterPartitionReassignments and related APIs."""

    controller_works_in_steps: bool
    """Start a leader epoch with each step of a move, as with ZooKeeper, not one for the move."""
    partitions_are_answered_once: bool
    """Answer repeated partitions of a request once, and group the answers by topic."""
    unknown_replica_code: ErrorCode
    """The answer of AlterReplicaLogDirs for a partition that does not exist."""
    log_dirs_list_unwanted_topics: bool
    """List in DescribeLogDirs also topics without a requested partition."""
    in_sync_replicas_are_sorted: bool
    """Sort the in-sync replicas by id when a replica joins them."""
    moves_await_added_replicas: bool
    """End a move only when all replicas it ever added are in sync, even those to be removed."""
    feature_updates: FeatureUpdates
    """The validation of UpdateFeatures."""
    brokers_must_know_features: bool
    """Refuse every level of a feature that the brokers lack, even 0, in the name of a broker."""
    oldest_metadata_version: int
    """The lowest level to which metadata.version can be set."""
    last_change_of_metadata: int
    """The last level of metadata.version that added something to the metadata."""


class ClusterAdminRefusals(NamedTuple):
    """The refusals of these APIs whose code or wording changed between releases."""

    election_not_needed: Refusal
    election_type: Refusal
    election_unknown_topic: Refusal
    election_unknown_partition: Refusal
    preferred_leader_not_available: Refusal
    reassignment_unknown_topic: Refusal
    reassignment_unknown_partition: Refusal
    reassignment_not_in_progress: Refusal
    reassignment_empty: Refusal
    reassignment_repeats_broker: Refusal
    reassignment_negative_broker: Refusal
    reassignment_unknown_broker: Refusal
    metadata_version_too_old: Refusal
    metadata_version_downgrade: Refusal
    metadata_version_unsafe_downgrade: Refusal
    broker_not_registered: Refusal


_NO_PARTITION: Final = Refusal(_E.UNKNOWN_TOPIC_OR_PARTITION, "The partition does not exist.")

_INVALID: Final = Refusal(_E.INVALID_REPLICA_ASSIGNMENT, "Replica assignment is invalid.")

CLUSTER_ADMIN_REFUSALS_OF_2_4: Final = ClusterAdminRefusals(
    election_not_needed=Refusal(
        _E.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition"
    ),
    election_type=Refusal(_E.UNKNOWN_SERVER_ERROR, "Value {0} must be one of [PREFERRED, UNCLEAN]"),
    election_unknown_topic=_NO_PARTITION,
    election_unknown_partition=_NO_PARTITION,
    preferred_leader_not_available=Refusal(
        _E.PREFERRED_LEADER_NOT_AVAILABLE,
        "Failed to elect leader for partition {0}-{1} under strategy"
        " PreferredReplicaPartitionLeaderElectionStrategy",
    ),
    reassignment_unknown_topic=_NO_PARTITION,
    reassignment_unknown_partition=_NO_PARTITION,
    reassignment_not_in_progress=Refusal(
        _E.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress."
    ),
    reassignment_empty=_INVALID,
    reassignment_repeats_broker=_INVALID,
    reassignment_negative_broker=_INVALID,
    reassignment_unknown_broker=_INVALID,
    metadata_version_too_old=Refusal(
        _E.INVALID_UPDATE_VERSION,
        "Invalid metadata.version {0}. Unable to set a metadata.version less than 3.3-IV0",
    ),
    metadata_version_downgrade=Refusal(
        _E.INVALID_UPDATE_VERSION,
        "Invalid metadata.version {1}. Refusing to perform the requested downgrade because it might"
        " delete metadata information.",
    ),
    metadata_version_unsafe_downgrade=Refusal(
        _E.INVALID_UPDATE_VERSION,
        "Invalid metadata.version {1}. Unsafe metadata downgrade is not supported in this version.",
    ),
    broker_not_registered=Refusal(_E.BROKER_ID_NOT_REGISTERED, ""),
)

CLUSTER_ADMIN_REFUSALS_OF_2_3: Final = CLUSTER_ADMIN_REFUSALS_OF_2_4._replace(
    election_not_needed=Refusal(_E.NONE, None)
)

CLUSTER_ADMIN_REFUSALS_OF_2_5: Final = CLUSTER_ADMIN_REFUSALS_OF_2_4._replace(
    reassignment_empty=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT, "Empty replica list specified in partition reassignment."
    ),
    reassignment_repeats_broker=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "Duplicate replica ids in partition reassignment replica list: ArrayBuffer({0})",
    ),
    reassignment_negative_broker=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT, "Invalid broker id in replica list: ArrayBuffer({0})"
    ),
    reassignment_unknown_broker=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "Replica assignment has brokers that are not alive. Replica list: ArrayBuffer({0}), live"
        " broker list: Set({1})",
    ),
)

CLUSTER_ADMIN_REFUSALS_OF_2_8: Final = CLUSTER_ADMIN_REFUSALS_OF_2_5._replace(
    election_not_needed=Refusal(
        _E.ELECTION_NOT_NEEDED, "Leader election not needed for topic partition."
    ),
    election_type=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
)

CLUSTER_ADMIN_REFUSALS_OF_3_6: Final = CLUSTER_ADMIN_REFUSALS_OF_2_8._replace(
    election_type=Refusal(_E.INVALID_REQUEST, "Unknown election type {0}"),
    election_unknown_topic=Refusal(_E.UNKNOWN_TOPIC_OR_PARTITION, "No such topic as {0}"),
    election_unknown_partition=Refusal(
        _E.UNKNOWN_TOPIC_OR_PARTITION, "No such partition as {0}-{1}"
    ),
    preferred_leader_not_available=Refusal(
        _E.PREFERRED_LEADER_NOT_AVAILABLE, "The preferred leader was not available."
    ),
    reassignment_unknown_topic=Refusal(
        _E.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find a topic named {0}."
    ),
    reassignment_unknown_partition=Refusal(
        _E.UNKNOWN_TOPIC_OR_PARTITION, "Unable to find partition {0}:{1}."
    ),
    reassignment_not_in_progress=Refusal(_E.NO_REASSIGNMENT_IN_PROGRESS, None),
    metadata_version_downgrade=Refusal(
        _E.INVALID_UPDATE_VERSION,
        "Invalid metadata.version {1}. Refusing to perform the requested downgrade because it might"
        " delete metadata information. Retry using UNSAFE_DOWNGRADE if you want to force the"
        " downgrade to proceed.",
    ),
)

CLUSTER_ADMIN_REFUSALS_OF_3_9: Final = CLUSTER_ADMIN_REFUSALS_OF_3_6._replace(
    metadata_version_downgrade=CLUSTER_ADMIN_REFUSALS_OF_2_8.metadata_version_downgrade,
)

CLUSTER_ADMIN_REFUSALS_OF_4_4: Final = CLUSTER_ADMIN_REFUSALS_OF_3_9._replace(
    metadata_version_downgrade=Refusal(
        _E.INVALID_UPDATE_VERSION,
        "Unsupported metadata.version downgrade from {0} to {1}. Refusing to perform the requested"
        " downgrade because it might delete metadata information.",
    ),
    metadata_version_unsafe_downgrade=Refusal(
        _E.INVALID_UPDATE_VERSION,
        "Unsupported metadata.version downgrade from {0} to {1}. Unsafe metadata downgrade is not"
        " supported in this version.",
    ),
    broker_not_registered=Refusal(
        _E.BROKER_ID_NOT_REGISTERED, "Broker ID {0} is not currently registered"
    ),
)

CLUSTER_ADMIN_OF_0_11: Final = ClusterAdminOptions(
    controller_works_in_steps=True,
    partitions_are_answered_once=True,
    unknown_replica_code=_E.REPLICA_NOT_AVAILABLE,
    log_dirs_list_unwanted_topics=False,
    in_sync_replicas_are_sorted=False,
    moves_await_added_replicas=False,
    feature_updates=FeatureUpdates.ZOOKEEPER,
    brokers_must_know_features=False,
    oldest_metadata_version=0,
    last_change_of_metadata=0,
)
"""The options of the oldest release."""
CLUSTER_ADMIN_OF_2_3: Final = CLUSTER_ADMIN_OF_0_11._replace(
    unknown_replica_code=_E.UNKNOWN_TOPIC_OR_PARTITION
)
CLUSTER_ADMIN_OF_2_8: Final = CLUSTER_ADMIN_OF_2_3._replace(log_dirs_list_unwanted_topics=True)
CLUSTER_ADMIN_OF_3_6: Final = CLUSTER_ADMIN_OF_2_8._replace(
    controller_works_in_steps=False,
    partitions_are_answered_once=False,
    moves_await_added_replicas=True,
    feature_updates=FeatureUpdates.EACH,
    brokers_must_know_features=True,
    oldest_metadata_version=4,
    last_change_of_metadata=14,
)
CLUSTER_ADMIN_OF_3_9: Final = CLUSTER_ADMIN_OF_3_6._replace(
    log_dirs_list_unwanted_topics=False,
    moves_await_added_replicas=False,
    brokers_must_know_features=False,
    last_change_of_metadata=17,
)
CLUSTER_ADMIN_OF_4_4: Final = CLUSTER_ADMIN_OF_3_9._replace(
    in_sync_replicas_are_sorted=True,
    moves_await_added_replicas=True,
    feature_updates=FeatureUpdates.TOGETHER,
    last_change_of_metadata=33,
)

"""Error codes and texts of refused admin requests, by release.

Clients and their tests match on these texts. `Refusal.error` fills a text's placeholders.
"""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode

_E = ErrorCode


class Refusal(NamedTuple):
    """An error code and a text with numbered placeholders; None means no text."""

    code: ErrorCode
    text: str | None

    def error(self, *values: object) -> ApiError:
        """Return the error to raise, with its placeholders filled."""
        return ApiError(self.code, "" if self.text is None else self.text.format(*values))


class AdminRefusals(NamedTuple):
    """The refusals of the admin APIs whose code or wording changed between releases."""

    topic_name_empty: Refusal
    topic_name_dots: Refusal
    topic_name_too_long: Refusal
    topic_name_characters: Refusal
    topic_collides: Refusal
    topic_reserved: Refusal
    topic_repeated: Refusal
    partitions_not_positive: Refusal
    replication_factor_not_positive: Refusal
    replication_factor_too_large: Refusal
    assignment_and_replication_factor: Refusal
    assignment_and_partitions: Refusal
    assignment_empty: Refusal
    assignment_repeats_broker: Refusal
    assignment_unknown_broker: Refusal
    assignment_uneven: Refusal
    new_partitions_unnamed_topic: Refusal
    new_partitions_unknown_topic: Refusal
    new_partitions_same_count: Refusal
    new_partitions_fewer: Refusal
    new_partitions_assignments: Refusal
    new_partitions_repeated: Refusal
    config_null: Refusal
    config_null_incremental: Refusal
    config_null_on_create: Refusal
    config_unknown_topic: Refusal
    config_repeated: Refusal
    config_not_a_list: Refusal
    config_broker_not_a_list: Refusal
    config_list_unknown: Refusal
    config_broker_list_unknown: Refusal
    config_resource_type: Refusal
    config_describe_resource_type: Refusal
    config_operation: Refusal
    config_not_dynamic: Refusal
    config_only_per_broker: Refusal
    config_needs_listener: Refusal
    config_topic_unnamed: Refusal
    config_replaced_topic_unnamed: Refusal
    config_broker_not_a_number: Refusal
    config_other_broker: Refusal
    config_describe_other_broker: Refusal
    config_value: Refusal


_OTHER_BROKER: Final = Refusal(
    _E.INVALID_REQUEST, "Unexpected broker id, expected {0}, but received {1}"
)
_DESCRIBE_OTHER_BROKER: Final = Refusal(
    _E.INVALID_REQUEST, "Unexpected broker id, expected {0} or empty string, but received {1}"
)
_NOT_A_LIST: Final = Refusal(
    _E.INVALID_CONFIG, "Can't {1} to key {0} because its type is not LIST."
)
_NOT_A_LIST_IN_ZOOKEEPER: Final = Refusal(
    _E.INVALID_REQUEST, "Config value {2} is not allowed for config key: {0}"
)
_BOTH_SET: Final = Refusal(
    _E.INVALID_REQUEST,
    "Both numPartitions or replicationFactor and replicasAssignments were set."
    " Both cannot be used at the same time.",
)
_LIST_NOT_FOUND: Final = Refusal(_E.UNKNOWN_SERVER_ERROR, "key not found: {0}")

_ONLY_PER_BROKER: Final = Refusal(
    _E.INVALID_REQUEST,
    "Cannot update these configs at default cluster level, broker id must be specified: Set({0})",
)
_NEEDS_LISTENER: Final = Refusal(
    _E.INVALID_REQUEST,
    "These security configs can be dynamically updated only per-listener using the listener"
    " prefix: HashSet({0})",
)

KRAFT_REFUSALS: Final = AdminRefusals(
    topic_name_empty=Refusal(
        _E.INVALID_TOPIC_EXCEPTION, "Topic name is invalid: the empty string is not allowed"
    ),
    topic_name_dots=Refusal(
        _E.INVALID_TOPIC_EXCEPTION, "Topic name is invalid: '{0}' is not allowed"
    ),
    topic_name_too_long=Refusal(
        _E.INVALID_TOPIC_EXCEPTION,
        "Topic name is invalid: the length of '{0}' is longer than the max allowed length {1}",
    ),
    topic_name_characters=Refusal(
        _E.INVALID_TOPIC_EXCEPTION,
        "Topic name is invalid: '{0}' contains one or more characters other than ASCII"
        " alphanumerics, '.', '_' and '-'",
    ),
    topic_collides=Refusal(
        _E.INVALID_TOPIC_EXCEPTION, "Topic '{0}' collides with existing topic: {1}"
    ),
    topic_reserved=Refusal(_E.INVALID_REQUEST, "Creation of internal topic {0} is prohibited."),
    topic_repeated=Refusal(_E.INVALID_REQUEST, "Duplicate topic name."),
    partitions_not_positive=Refusal(
        _E.INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value."
    ),
    replication_factor_not_positive=Refusal(
        _E.INVALID_REPLICATION_FACTOR,
        "Replication factor must be larger than 0, or -1 to use the default value.",
    ),
    replication_factor_too_large=Refusal(
        _E.INVALID_REPLICATION_FACTOR,
        "Unable to replicate the partition {0} time(s): The target replication factor of {0}"
        " cannot be reached because only {1} broker(s) are registered or some brokers have all"
        " their log directories cordoned.",
    ),
    assignment_and_replication_factor=Refusal(
        _E.INVALID_REQUEST,
        "A manual partition assignment was specified, but replication factor was not set to -1.",
    ),
    assignment_and_partitions=Refusal(
        _E.INVALID_REQUEST,
        "A manual partition assignment was specified, but numPartitions was not set to -1.",
    ),
    assignment_empty=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment includes an empty replica list.",
    ),
    assignment_repeats_broker=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment includes the broker {0} more than once.",
    ),
    assignment_unknown_broker=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment includes broker {0}, but no such broker is registered.",
    ),
    assignment_uneven=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment includes a partition with {0} replica(s), but this is not"
        " consistent with previous partitions, which have {1} replica(s).",
    ),
    new_partitions_unnamed_topic=Refusal(_E.UNKNOWN_TOPIC_OR_PARTITION, None),
    new_partitions_unknown_topic=Refusal(_E.UNKNOWN_TOPIC_OR_PARTITION, None),
    new_partitions_same_count=Refusal(_E.INVALID_PARTITIONS, "Topic already has {0} partition(s)."),
    new_partitions_fewer=Refusal(
        _E.INVALID_PARTITIONS,
        "The topic {2} currently has {0} partition(s); {1} would not be an increase.",
    ),
    new_partitions_assignments=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "Attempted to add {0} additional partition(s), but only {1} assignment(s) were specified.",
    ),
    new_partitions_repeated=Refusal(_E.INVALID_REQUEST, "Duplicate topic name."),
    config_null=Refusal(_E.INVALID_REQUEST, "Null value not supported for : {0}"),
    config_null_incremental=Refusal(_E.INVALID_REQUEST, "Null value not supported for : {0}"),
    config_null_on_create=Refusal(
        _E.INVALID_CONFIG, "Null value not supported for topic configs: {0}"
    ),
    config_unknown_topic=Refusal(_E.UNKNOWN_TOPIC_OR_PARTITION, "The topic '{0}' does not exist."),
    config_repeated=Refusal(_E.INVALID_REQUEST, "Error due to duplicate config keys"),
    config_not_a_list=_NOT_A_LIST,
    config_broker_not_a_list=Refusal(
        _E.INVALID_CONFIG, "Config value {2} is not allowed for config key: {0}"
    ),
    config_list_unknown=_NOT_A_LIST,
    config_broker_list_unknown=Refusal(_E.INVALID_CONFIG, "Unknown config name: {0}"),
    config_resource_type=Refusal(_E.INVALID_REQUEST, "Unknown resource type {0}"),
    config_describe_resource_type=Refusal(
        _E.INVALID_REQUEST,
        "This most likely occurs because of a request being malformed by the client library or the"
        " message was sent to an incompatible broker. See the broker logs for more details.",
    ),
    config_operation=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
    config_not_dynamic=Refusal(
        _E.INVALID_REQUEST, "Cannot update these configs dynamically: [{0}]"
    ),
    config_only_per_broker=Refusal(
        _E.INVALID_REQUEST,
        "Cannot update these configs at default cluster level, broker id must be specified: [{0}]",
    ),
    config_needs_listener=Refusal(
        _E.INVALID_REQUEST,
        "These security configs can be dynamically updated only per-listener using the listener"
        " prefix: [{0}]",
    ),
    config_topic_unnamed=Refusal(_E.INVALID_REQUEST, "Default topic resources are not allowed."),
    config_replaced_topic_unnamed=Refusal(
        _E.INVALID_REQUEST, "Default topic resources are not allowed."
    ),
    config_broker_not_a_number=Refusal(
        _E.INVALID_REQUEST, "Node id must be an integer, but it is: {0}"
    ),
    config_other_broker=_OTHER_BROKER,
    config_describe_other_broker=_DESCRIBE_OTHER_BROKER,
    config_value=Refusal(_E.INVALID_CONFIG, "{2}"),
)
"""The refusals of Kafka 4.x with KRaft."""

KRAFT_REFUSALS_OF_3_9: Final = KRAFT_REFUSALS._replace(
    replication_factor_too_large=Refusal(
        _E.INVALID_REPLICATION_FACTOR,
        "Unable to replicate the partition {0} time(s): The target replication factor of {0}"
        " cannot be reached because only {1} broker(s) are registered.",
    ),
    config_not_dynamic=Refusal(
        _E.INVALID_REQUEST, "Cannot update these configs dynamically: Set({0})"
    ),
    config_only_per_broker=_ONLY_PER_BROKER,
    config_needs_listener=_NEEDS_LISTENER,
    config_broker_list_unknown=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
)
"""The refusals of Kafka 3.9 with KRaft."""

KRAFT_REFUSALS_OF_3_6: Final = KRAFT_REFUSALS_OF_3_9._replace(
    topic_reserved=Refusal(_E.TOPIC_AUTHORIZATION_FAILED, "Authorization failed."),
)
"""The refusals of Kafka 3.6 with KRaft."""

ZOOKEEPER_REFUSALS: Final = AdminRefusals(
    topic_name_empty=Refusal(
        _E.INVALID_TOPIC_EXCEPTION, "Topic name is illegal, it can't be empty"
    ),
    topic_name_dots=Refusal(_E.INVALID_TOPIC_EXCEPTION, 'Topic name cannot be "." or ".."'),
    topic_name_too_long=Refusal(
        _E.INVALID_TOPIC_EXCEPTION,
        "Topic name is illegal, it can't be longer than {1} characters, topic name: {0}",
    ),
    topic_name_characters=Refusal(
        _E.INVALID_TOPIC_EXCEPTION,
        'Topic name "{0}" is illegal, it contains a character other than ASCII alphanumerics,'
        " '.', '_' and '-'",
    ),
    topic_collides=Refusal(
        _E.INVALID_TOPIC_EXCEPTION, "Topic '{0}' collides with existing topics: {1}"
    ),
    topic_reserved=KRAFT_REFUSALS.topic_reserved,
    topic_repeated=Refusal(_E.INVALID_REQUEST, "Found multiple entries for this topic."),
    partitions_not_positive=Refusal(
        _E.INVALID_PARTITIONS, "Number of partitions must be larger than 0."
    ),
    replication_factor_not_positive=Refusal(
        _E.INVALID_REPLICATION_FACTOR, "Replication factor must be larger than 0."
    ),
    replication_factor_too_large=Refusal(
        _E.INVALID_REPLICATION_FACTOR,
        "Replication factor: {0} larger than available brokers: {1}.",
    ),
    assignment_and_replication_factor=_BOTH_SET,
    assignment_and_partitions=_BOTH_SET,
    assignment_empty=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT, "Cannot have replication factor of 0 for partition id {1}."
    ),
    assignment_repeats_broker=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "Duplicate brokers not allowed in replica assignment: {2} for partition id {1}.",
    ),
    assignment_unknown_broker=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT, "Unknown broker(s) in replica assignment: {0}."
    ),
    assignment_uneven=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT, "All partitions should have the same number of replicas"
    ),
    new_partitions_unnamed_topic=Refusal(
        _E.UNKNOWN_SERVER_ERROR, "Path must not end with / character"
    ),
    new_partitions_unknown_topic=Refusal(
        _E.UNKNOWN_TOPIC_OR_PARTITION, "The topic '{0}' does not exist."
    ),
    new_partitions_same_count=Refusal(_E.INVALID_PARTITIONS, "Topic already has {0} partitions."),
    new_partitions_fewer=Refusal(
        _E.INVALID_PARTITIONS,
        "Topic currently has {0} partitions, which is higher than the requested {1}.",
    ),
    new_partitions_assignments=Refusal(
        _E.INVALID_REPLICA_ASSIGNMENT,
        "Increasing the number of partitions by {0} but {1} assignments provided.",
    ),
    new_partitions_repeated=Refusal(_E.INVALID_REQUEST, "Duplicate topic in request."),
    config_null=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
    config_null_incremental=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
    config_null_on_create=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
    config_unknown_topic=Refusal(_E.UNKNOWN_SERVER_ERROR, 'Topic "{0}" does not exist.'),
    config_repeated=Refusal(_E.INVALID_REQUEST, "Error due to duplicate config keys : {0}"),
    config_not_a_list=_NOT_A_LIST_IN_ZOOKEEPER,
    config_broker_not_a_list=_NOT_A_LIST_IN_ZOOKEEPER,
    config_list_unknown=_LIST_NOT_FOUND,
    config_broker_list_unknown=_LIST_NOT_FOUND,
    config_resource_type=Refusal(_E.INVALID_REQUEST, "Unexpected resource type UNKNOWN"),
    config_describe_resource_type=Refusal(
        _E.INVALID_REQUEST, "Unexpected resource type UNKNOWN for resource {1}"
    ),
    config_operation=Refusal(_E.UNKNOWN_SERVER_ERROR, "null"),
    config_not_dynamic=Refusal(
        _E.INVALID_REQUEST, "Cannot update these configs dynamically: Set({0})"
    ),
    config_only_per_broker=_ONLY_PER_BROKER,
    config_needs_listener=_NEEDS_LISTENER,
    config_topic_unnamed=Refusal(
        _E.INVALID_REQUEST,
        "Invalid config value for resource ConfigResource(type=TOPIC, name=''): Path must not end"
        " with / character",
    ),
    config_replaced_topic_unnamed=Refusal(
        _E.INVALID_TOPIC_EXCEPTION, "Topic name is illegal, it can't be empty"
    ),
    config_broker_not_a_number=Refusal(
        _E.INVALID_REQUEST, "Broker id must be an integer, but it is: {0}"
    ),
    config_other_broker=_OTHER_BROKER,
    config_describe_other_broker=_DESCRIBE_OTHER_BROKER,
    config_value=Refusal(
        _E.INVALID_REQUEST,
        "Invalid config value for resource ConfigResource(type={0}, name='{1}'): {2}",
    ),
)
"""The refusals of Kafka 2.4 with ZooKeeper."""

ZOOKEEPER_REFUSALS_OF_2_8: Final = ZOOKEEPER_REFUSALS._replace(
    new_partitions_unnamed_topic=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
    config_null_incremental=Refusal(_E.INVALID_REQUEST, "Null value not supported for : {1}"),
    config_list_unknown=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
    config_broker_list_unknown=Refusal(_E.UNKNOWN_SERVER_ERROR, None),
    config_null_on_create=Refusal(
        _E.INVALID_REQUEST, "Null value not supported for topic configs : {0}"
    ),
    config_unknown_topic=KRAFT_REFUSALS.config_unknown_topic,
    config_replaced_topic_unnamed=KRAFT_REFUSALS.config_unknown_topic,
    config_describe_resource_type=KRAFT_REFUSALS.config_describe_resource_type,
    config_operation=KRAFT_REFUSALS.config_operation,
)
"""The refusals of Kafka 2.8 with ZooKeeper."""

_BROKER_2_3: Final = "ConfigResource(type=BROKER, name='{1}').name"

ZOOKEEPER_REFUSALS_OF_2_3: Final = ZOOKEEPER_REFUSALS._replace(
    config_other_broker=Refusal(
        _E.INVALID_REQUEST, f"Unexpected broker id, expected {{0}}, but received {_BROKER_2_3}"
    ),
    config_describe_other_broker=Refusal(
        _E.INVALID_REQUEST,
        f"Unexpected broker id, expected {{0}} or empty string, but received {_BROKER_2_3}",
    ),
)
"""The refusals of Kafka 2.3 with ZooKeeper."""

ZOOKEEPER_REFUSALS_OF_1_1: Final = ZOOKEEPER_REFUSALS._replace(
    topic_repeated=Refusal(
        _E.INVALID_REQUEST,
        "Create topics request from client `{0}` contains multiple entries for the following"
        " topics: {1}",
    ),
    config_describe_other_broker=Refusal(
        _E.INVALID_REQUEST,
        "Unexpected broker id, expected {0} or empty string, but received"
        " Resource(type=BROKER, name='{1}'}}.name",
    ),
    config_value=Refusal(
        _E.INVALID_REQUEST,
        "Invalid config value for resource Resource(type={0}, name='{1}'}}: {2}",
    ),
)
"""The refusals of Kafka 1.1 with ZooKeeper."""

ZOOKEEPER_REFUSALS_OF_1_0: Final = ZOOKEEPER_REFUSALS_OF_1_1._replace(
    config_describe_other_broker=_OTHER_BROKER
)
"""The refusals of Kafka 1.0 with ZooKeeper."""

ZOOKEEPER_REFUSALS_OF_0_11: Final = ZOOKEEPER_REFUSALS_OF_1_0._replace(
    partitions_not_positive=Refusal(
        _E.INVALID_PARTITIONS, "number of partitions must be larger than 0"
    ),
    replication_factor_not_positive=Refusal(
        _E.INVALID_REPLICATION_FACTOR, "replication factor must be larger than 0"
    ),
    replication_factor_too_large=Refusal(
        _E.INVALID_REPLICATION_FACTOR,
        "replication factor: {0} larger than available brokers: {1}",
    ),
)
"""The refusals of Kafka 0.11 with ZooKeeper."""

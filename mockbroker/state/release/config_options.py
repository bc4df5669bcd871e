"""Release options for describing and altering configs."""

from typing import Final, NamedTuple


class ConfigOptions(NamedTuple):
    """Options for DescribeConfigs, AlterConfigs and IncrementalAlterConfigs."""

    errors_name_resource: bool
    """Answer a wrong value with INVALID_REQUEST and the resource's name before Kafka's text."""
    lists_need_own_value: bool
    """Let APPEND and SUBTRACT fail on a list that is not set for the resource itself."""
    lists_may_repeat: bool
    """Let APPEND add duplicates to a list, and let empty parts of the list stay."""
    are_the_controllers: bool
    """Validate changes on the controller: values before the topic, in Java's hash order."""
    nulls_come_first: bool
    """Refuse null values before any other check of the changes."""
    null_closes_connection: bool
    """Close the connection on AlterConfigs with a null value."""
    resources_may_repeat: bool
    """Accept a request that repeats a resource; the last one applies."""
    keys_may_repeat: bool
    """Accept an AlterConfigs that repeats a config; the last one applies."""
    has_cluster_default: bool
    """Accept the empty broker name as all brokers (KIP-226)."""
    alters_brokers: bool
    """Alter configs of brokers, too (KIP-226)."""
    has_loggers: bool
    """Support a broker's loggers as a resource type (KIP-412)."""
    describes_unknown_topics: bool
    """Answer DescribeConfigs for an unknown topic with the defaults."""
    default_is_of_topic: bool
    """Mark a topic's config as default unless the topic itself sets it."""
    v0_knows_defaults: bool
    """Mark defaults in DescribeConfigs v0."""
    unknown_type_is_echoed: bool
    """Repeat an unknown resource type in the answer, instead of 0."""
    empty_names_mean_all: bool
    """Describe all configs, instead of none, if DescribeConfigs has an empty list of names."""
    has_client_metrics: bool
    """Support client metrics subscriptions as a resource type (KIP-714)."""
    client_metrics_are_typed: bool
    """Describe client metrics configs with types and defaults, instead of only set values."""
    has_group_configs: bool
    """Support groups as a resource type (KIP-848)."""
    described_message: str | None
    """The error message of DescribeConfigs if there is no error."""


CONFIGS_OF_0_11: Final = ConfigOptions(
    errors_name_resource=True,
    lists_need_own_value=True,
    lists_may_repeat=True,
    are_the_controllers=False,
    nulls_come_first=False,
    null_closes_connection=False,
    resources_may_repeat=True,
    keys_may_repeat=True,
    has_cluster_default=False,
    alters_brokers=False,
    has_loggers=False,
    describes_unknown_topics=True,
    default_is_of_topic=True,
    v0_knows_defaults=True,
    unknown_type_is_echoed=False,
    empty_names_mean_all=False,
    has_client_metrics=False,
    client_metrics_are_typed=False,
    has_group_configs=False,
    described_message=None,
)
"""The options of Kafka 0.11; `options.py` has the changes of later releases."""

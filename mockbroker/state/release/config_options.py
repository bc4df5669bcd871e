"""How a release describes and alters configs: what its presets say of it."""

from typing import Final, NamedTuple


class ConfigOptions(NamedTuple):
    """What DescribeConfigs, AlterConfigs and IncrementalAlterConfigs do."""

    errors_name_resource: bool
    """Whether a wrong value is INVALID_REQUEST with the resource's name before Kafka's text."""
    lists_need_own_value: bool
    """Whether APPEND and SUBTRACT fail on a list that is not set for the resource itself."""
    lists_may_repeat: bool
    """Whether APPEND adds to a list what is there already; an empty one has an empty part then."""
    are_the_controllers: bool
    """Whether the controller looks at changes: at values before the topic, in no certain order."""
    nulls_come_first: bool
    """Whether all changes of a config to null are refused before any change is looked at."""
    null_closes_connection: bool
    """Whether AlterConfigs with a value of null ends the connection."""
    resources_may_repeat: bool
    """Whether a request may name the same resource twice; the last one counts."""
    keys_may_repeat: bool
    """Whether AlterConfigs may name the same config twice; the last one counts."""
    has_cluster_default: bool
    """Whether the empty name stands for all brokers (KIP-226)."""
    has_loggers: bool
    """Whether the loggers of a broker are a type of resource (KIP-412)."""
    describes_unknown_topics: bool
    """Whether DescribeConfigs tells the defaults for a topic that is not there."""
    default_is_of_topic: bool
    """Whether a topic's config is a default unless the topic itself sets it."""
    v0_knows_defaults: bool
    """Whether DescribeConfigs v0 tells which configs are defaults."""
    unknown_type_is_echoed: bool
    """Whether the answer for an unknown type of resource repeats that type, or says 0."""
    empty_names_mean_all: bool
    """Whether DescribeConfigs with an empty list of names describes all configs, or none."""
    has_client_metrics: bool
    """Whether subscriptions to client metrics are a type of resource (KIP-714)."""
    client_metrics_are_typed: bool
    """Whether they are described with types and defaults, or by what is set for them."""
    has_group_configs: bool
    """Whether groups are a type of resource (KIP-848)."""
    described_message: str | None
    """The error message of DescribeConfigs where there is no error."""


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
"""As Kafka 0.11 does it; what later releases changed is told in `options.py`."""

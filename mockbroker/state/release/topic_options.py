"""Differences between releases in creating and deleting topics: a part of `Options`."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class TopicOptions(NamedTuple):
    """Behaviour of CreateTopics, DeleteTopics and automatic creation."""

    auto_create_answer: ErrorCode
    """The error of Metadata for a topic whose automatic creation is pending."""
    auto_create_tells_refusals: bool
    """True if that response already reports that the topic cannot be created."""
    admin_only_at_controller: bool
    """True if only the controller creates and deletes topics."""
    admin_timeout_applies_work: bool
    """True if CreateTopics and similar APIs do the work even if the timeout is not positive."""
    max_partitions_per_request: int
    """The maximum number of partitions that all topics of a request may create together.

    Kafka 2.8 has no such limit, and can run out of memory; here one small request must not end the
    process.
    """
    requests_are_batches: bool
    """True if a request is one batch in the metadata log, which that limit applies to.

    CreateTopics then validates all topics before it creates one.
    """
    topics_are_summed_first: bool
    """True if CreateTopics refuses a whole request before it looks at single topics.

    Kafka 3.6 refuses it if the valid topics do not fit into its batch.
    """
    added_partitions_are_summed_first: bool
    """True if CreatePartitions refuses a whole request if it adds too many partitions.

    Kafka 3.9 refuses the topics for which its batch has no room left.
    """
    reserved_topics: frozenset[str]
    """Topics that clients may not create."""
    assignment_numbers_may_repeat: bool
    """True if a new topic's assignment may name a partition twice; the last one applies."""
    repeated_topics_come_last: bool
    """True if topics that a request names twice are returned once, after all others."""
    deleted_topics_may_repeat: bool
    """True if DeleteTopics treats a topic that it names twice as named once."""
    deleted_topics_have_messages: bool
    """True if DeleteTopics returns a message with its error code."""
    validated_topics_have_ids: bool
    """True if CreateTopics returns an id for a topic that is only validated."""
    topics_deleted_by_name_have_ids: bool
    """True if DeleteTopics returns the id of a topic that was given by name."""
    partitions_are_checked_first: bool
    """True if CreateTopics validates the number of partitions before that of replicas."""
    new_topic_counts_have_defaults: bool
    """True if -1 selects the brokers' default number of partitions or replicas (KIP-464)."""
    created_config_code: ErrorCode
    """The error of CreateTopics for a config value that is not allowed."""
    created_configs_are_as_given: bool
    """True if CreateTopics returns a topic's configs as sent; otherwise as parsed."""


TOPICS_OF_0_11: Final = TopicOptions(
    auto_create_answer=ErrorCode.LEADER_NOT_AVAILABLE,
    auto_create_tells_refusals=True,
    admin_only_at_controller=True,
    admin_timeout_applies_work=True,
    max_partitions_per_request=100_000,
    requests_are_batches=False,
    topics_are_summed_first=True,
    added_partitions_are_summed_first=True,
    reserved_topics=frozenset(),
    assignment_numbers_may_repeat=True,
    repeated_topics_come_last=True,
    deleted_topics_may_repeat=True,
    deleted_topics_have_messages=False,
    validated_topics_have_ids=False,
    topics_deleted_by_name_have_ids=False,
    partitions_are_checked_first=True,
    new_topic_counts_have_defaults=False,
    created_config_code=ErrorCode.UNKNOWN_SERVER_ERROR,
    created_configs_are_as_given=False,
)
"""Options of Kafka 0.11; `changes/` has the changes of later releases."""

"""How a release makes and deletes topics: what its presets say of it."""

from typing import Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode


class TopicOptions(NamedTuple):
    """What CreateTopics, DeleteTopics and automatic creation do."""

    auto_create_answer: ErrorCode
    """What Metadata answers for a topic that it is only about to create."""
    auto_create_tells_refusals: bool
    """Whether that answer already says that the topic cannot be created."""
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
    deleted_topics_may_repeat: bool
    """Whether DeleteTopics takes a topic that it names twice for named once."""
    deleted_topics_have_messages: bool
    """Whether DeleteTopics says in words why it refuses."""
    validated_topics_have_ids: bool
    """Whether CreateTopics answers with an id for a topic that is only validated."""
    topics_deleted_by_name_have_ids: bool
    """Whether DeleteTopics answers with the id of a topic that was named by its name."""
    partitions_are_checked_first: bool
    """Whether CreateTopics looks at the number of partitions before that of replicas."""
    new_topic_counts_have_defaults: bool
    """Whether -1 stands for the brokers' default number of partitions or replicas (KIP-464)."""
    created_config_code: ErrorCode
    """What CreateTopics answers for a config's value that is not allowed."""
    created_configs_are_as_given: bool
    """Whether CreateTopics answers with a topic's configs as they were sent, or as understood."""


TOPICS_OF_0_11: Final = TopicOptions(
    auto_create_answer=ErrorCode.LEADER_NOT_AVAILABLE,
    auto_create_tells_refusals=True,
    admin_only_at_controller=True,
    admin_timeout_applies_work=True,
    max_partitions_per_request=100_000,
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
"""As Kafka 0.11 does it; what later releases changed is told in `options.py`."""

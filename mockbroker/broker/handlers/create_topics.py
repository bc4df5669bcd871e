"""CreateTopics: create topics with partitions, replicas and configs (KIP-4, KIP-464, KIP-525)."""

from collections.abc import Mapping, Sequence

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.admin_requests import (
    Deadline,
    check_asked_controller,
    repeated_last,
)
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.replication_control import DEFAULT_COUNT, NewTopic, PlannedTopic


def create_topics(request: CreateTopicsRequest, call: Call) -> CreateTopicsResponse:
    """Create each valid topic, and return an error for each other one."""
    by_name = {topic.name: topic for topic in request.topics}
    names, repeated = repeated_last(call, (topic.name for topic in request.topics))
    wanted = [by_name[name] for name in names if name not in repeated]
    deadline = Deadline(call, request.timeout_ms)
    try:
        check_asked_controller(call)
        deadline.check_before_work()
        outcomes = _outcomes(wanted, call, deadline, validate_only=request.validate_only)
    except ApiError as refusal:
        call.service.refusals.note("create_topics_refused", refusal)
        return CreateTopicsResponse(
            topics=[_refused(topic.name, refusal) for topic in request.topics]
        )
    twice = call.cluster.options.admin_refusals.topic_repeated.error(
        call.client_id, ",".join(repeated)
    )
    outcomes.update((name, twice) for name in repeated)
    for name, outcome in outcomes.items():
        if isinstance(outcome, ApiError):
            call.service.refusals.note("create_topics_refused", outcome, topic=name)
    answered = dict.fromkeys(names)
    names += [name for name in repeated if name not in answered]
    return CreateTopicsResponse(
        topics=[
            _result(name, outcomes[name], call, validate_only=request.validate_only)
            for name in call.paced(names)
        ]
    )


def _outcomes(
    topics: Sequence[CreatableTopic], call: Call, deadline: Deadline, *, validate_only: bool
) -> dict[str, PlannedTopic | ApiError]:
    """Create the valid topics; raise an error that refuses the request as a whole."""
    replication = call.cluster.replication
    new_topics = [_new_topic(topic, call) for topic in call.paced(topics)]
    replication.check_total(new_topics)
    plans = replication.plan_topics(call.paced(new_topics))
    if call.cluster.options.topics.requests_are_batches:
        plans = iter(list(plans))
    outcomes: dict[str, PlannedTopic | ApiError] = {}
    for topic, planned in zip(call.paced(topics), plans, strict=True):
        outcomes[topic.name] = planned
        if not (validate_only or isinstance(planned, ApiError)):
            try:
                replication.check_is_new(planned.name)  # another request may have created it
                call.cluster.create_planned_topic(planned)
                deadline.check_after_work()
            except ApiError as refusal:
                outcomes[topic.name] = refusal
    return outcomes


def _result(
    name: str, outcome: PlannedTopic | ApiError, call: Call, *, validate_only: bool
) -> CreatableTopicResult:
    if isinstance(outcome, ApiError):
        return _refused(name, outcome)
    answer = _created(outcome, call)
    if validate_only and not call.cluster.options.topics.validated_topics_have_ids:
        answer.topic_id = ZERO_UUID
    return answer


def _new_topic(topic: CreatableTopic, call: Call) -> NewTopic:
    num_partitions, replication_factor = topic.num_partitions, topic.replication_factor
    if not (topic.assignments or call.cluster.options.topics.new_topic_counts_have_defaults):
        # -1 is as invalid there as 0 is in every release.
        num_partitions += num_partitions == DEFAULT_COUNT
        replication_factor += replication_factor == DEFAULT_COUNT
    return NewTopic(
        name=topic.name,
        num_partitions=num_partitions,
        replication_factor=replication_factor,
        assignments=[(each.partition_index, each.broker_ids) for each in topic.assignments],
        configs=[(config.name, config.value) for config in topic.configs],
    )


def _created(planned: PlannedTopic, call: Call) -> CreatableTopicResult:
    cluster = call.cluster
    if not call.allows(AclOperation.DESCRIBE_CONFIGS, AclResource.TOPIC, planned.name):
        return CreatableTopicResult(
            name=planned.name,
            topic_id=planned.topic_id,
            error_message=None,
            topic_config_error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            num_partitions=-1,
            replication_factor=-1,
            configs=[],
        )
    entries = cluster.configs.describe_new_topic(planned.overrides, call.broker_id)
    as_given: Mapping[str, str] = {}
    if cluster.options.topics.created_configs_are_as_given:
        as_given = planned.overrides
    return CreatableTopicResult(
        name=planned.name,
        topic_id=planned.topic_id,
        error_message=None,
        num_partitions=len(planned.assignments),
        replication_factor=len(planned.assignments[0]),
        configs=[
            CreatableTopicConfigs(
                name=entry.name,
                value=as_given.get(entry.name, entry.value),
                read_only=entry.read_only,
                config_source=entry.source,
                is_sensitive=entry.is_sensitive,
            )
            for entry in entries
        ],
    )


def _refused(name: str, refusal: ApiError) -> CreatableTopicResult:
    return CreatableTopicResult(
        name=name, error_code=refusal.code, error_message=refusal.why or None
    )

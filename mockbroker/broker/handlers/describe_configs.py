"""DescribeConfigs: list the configs of topics and brokers (KIP-133, KIP-226, KIP-569).

Types and synonyms are Kafka's; the documentation is mockbroker's own.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.config_resources import answered_type, distinct
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from mockbroker.state.config.configuration_control import ResourceType
from mockbroker.state.config.definition import ConfigEntry, ConfigSource
from mockbroker.state.release.admin_refusals import Refusal
from mockbroker.state.topic.topic_name import check_topic_name

UNKNOWN_TYPE: Final = 0
_WITHOUT_SOURCES: Final = 0
NO_TEXT: Final = ""
"""Documentation of the configs that a release never documents, requested or not."""


_LOGGERS_OF_ANOTHER: Final = Refusal(
    ErrorCode.INVALID_REQUEST, "Unexpected broker id, expected {0} but received {1}"
)


def describe_configs(request: DescribeConfigsRequest, call: Call) -> DescribeConfigsResponse:
    """Describe each topic, each broker, or the cluster-wide broker configs (empty name)."""
    describe = partial(_describe, call=call, request=request)
    return DescribeConfigsResponse(results=call.each(describe, distinct(call, request.resources)))


def _describe(
    resource: DescribeConfigsResource, call: Call, request: DescribeConfigsRequest
) -> DescribeConfigsResult:
    result = DescribeConfigsResult(
        error_code=ErrorCode.NONE,
        error_message=call.cluster.options.configs.described_message,
        resource_type=answered_type(call, resource.resource_type),
        resource_name=resource.resource_name,
    )
    try:
        entries = _entries(call, resource)
    except ApiError as refusal:
        named = f"{resource.resource_type}:{resource.resource_name}"
        call.service.refusals.note("describe_configs_refused", refusal, resource=named)
        result.error_code = refusal.code
        result.error_message = refusal.why or result.error_message
    else:
        result.configs = [_shown(entry, request) for entry in entries]
        _set_defaults(call, result)
    return result


def _set_defaults(call: Call, result: DescribeConfigsResult) -> None:
    """Set `is_default` in version 0, which has no sources, as the release does."""
    if call.api_version != _WITHOUT_SOURCES:
        return
    options = call.cluster.options
    is_topic = result.resource_type == ResourceType.TOPIC
    for config in result.configs:
        if not options.configs.v0_knows_defaults:
            config.is_default = False
        elif is_topic and options.configs.default_is_of_topic:
            config.is_default = config.config_source != ConfigSource.DYNAMIC_TOPIC_CONFIG


def _entries(call: Call, resource: DescribeConfigsResource) -> Sequence[ConfigEntry]:
    configs = call.cluster.configs
    names = resource.configuration_keys
    if not names and call.cluster.options.configs.empty_names_mean_all:
        names = None
    if resource.resource_type == ResourceType.TOPIC:
        _check_topic(call, resource.resource_name)
        return configs.describe_topic(resource.resource_name, call.broker_id, names)
    if resource.resource_type == ResourceType.BROKER:
        if not resource.resource_name and call.cluster.options.configs.has_cluster_default:
            return configs.describe_cluster_default(names)
        refusals = call.cluster.options.admin_refusals
        _check_broker(call, resource.resource_name, refusals.config_describe_other_broker)
        return configs.describe_broker(call.broker_id, names)
    if answered_type(call, resource.resource_type) == ResourceType.BROKER_LOGGER:
        if not resource.resource_name:
            raise ApiError(ErrorCode.INVALID_REQUEST, "Broker id must not be empty")
        _check_broker(call, resource.resource_name, _LOGGERS_OF_ANOTHER)
        return ()  # mockbroker has no log4j loggers
    return _named_entries(call, resource, names)


def _named_entries(
    call: Call, resource: DescribeConfigsResource, names: Sequence[str] | None
) -> Sequence[ConfigEntry]:
    named = call.cluster.configuration.named.get(resource.resource_type)
    if named is None:
        raise call.cluster.options.admin_refusals.config_describe_resource_type.error(
            resource.resource_type, resource.resource_name
        )
    if not resource.resource_name:
        raise ApiError(ErrorCode.INVALID_REQUEST, named.unnamed_described)
    key = (resource.resource_type, resource.resource_name)
    overrides = call.cluster.configs.named_overrides.get(key, {})
    return named.describe(overrides, call.broker_id, names)


def _check_topic(call: Call, name: str) -> None:
    options = call.cluster.options
    check_topic_name(name, options.admin_refusals)
    if name not in call.cluster.topics and not options.configs.describes_unknown_topics:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def _check_broker(call: Call, name: str, refusal: Refusal) -> None:
    try:
        broker_id = int(name)
    except ValueError:
        why = f"Broker id must be an integer, but it is: {name}"
        raise ApiError(ErrorCode.INVALID_REQUEST, why) from None
    if broker_id != call.broker_id:
        raise refusal.error(call.broker_id, name)


def _shown(entry: ConfigEntry, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    is_documented = request.include_documentation or entry.documentation == NO_TEXT
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        is_default=entry.source == ConfigSource.DEFAULT_CONFIG,
        config_source=entry.source,
        is_sensitive=entry.is_sensitive,
        synonyms=[
            DescribeConfigsSynonym(name=synonym.name, value=synonym.value, source=synonym.source)
            for synonym in (entry.synonyms if request.include_synonyms else ())
        ],
        config_type=UNKNOWN_TYPE if entry.type is None else entry.type,
        documentation=entry.documentation if is_documented else None,
    )

"""AlterConfigs: replace all configs of a resource (KIP-133)."""

from collections.abc import Container

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.config_resources import (
    altered,
    answered_type,
    distinct,
    repeated_resources,
    resource_of,
)
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)
from mockbroker.state.config.configuration_control import ConfigResource


def alter_configs(request: AlterConfigsRequest, call: Call) -> AlterConfigsResponse:
    """Replace the configs of topics and brokers; configs not in the request are unset."""
    _check_null(request, call)
    resources = distinct(call, request.resources)
    repeated = repeated_resources(resources)
    return AlterConfigsResponse(
        responses=[
            _answer(call, named, repeated, validate_only=request.validate_only)
            for named in call.paced(resources)
        ]
    )


def _check_null(request: AlterConfigsRequest, call: Call) -> None:
    if not call.cluster.options.configs.null_closes_connection:
        return
    for named in call.paced(request.resources):
        for config in named.configs:
            if config.value is None:
                raise CloseConnection("null_config", resource=named.resource_name, key=config.name)


def _answer(
    call: Call,
    named: AlterConfigsResource,
    repeated: Container[ConfigResource],
    *,
    validate_only: bool,
) -> AlterConfigsResourceResponse:
    resource = resource_of(named)

    def alter() -> None:
        call.cluster.configuration.replace(
            resource,
            [(config.name, config.value) for config in named.configs],
            asked_broker_id=call.broker_id,
            validate_only=validate_only,
        )

    code, message = altered(call, resource, repeated, alter)
    return AlterConfigsResourceResponse(
        error_code=code,
        error_message=message,
        resource_type=answered_type(call, named.resource_type),
        resource_name=named.resource_name,
    )

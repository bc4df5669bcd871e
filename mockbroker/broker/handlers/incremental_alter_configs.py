"""IncrementalAlterConfigs: change individual configs of a resource (KIP-339)."""

from collections.abc import Container

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.config_resources import (
    altered,
    distinct,
    repeated_resources,
    resource_of,
)
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from mockbroker.state.config.configuration_control import ConfigChange, ConfigResource


def incremental_alter_configs(
    request: IncrementalAlterConfigsRequest, call: Call
) -> IncrementalAlterConfigsResponse:
    """Set, delete, append to or subtract from configs of topics and brokers."""
    resources = distinct(call, request.resources)
    repeated = repeated_resources(resources)
    return IncrementalAlterConfigsResponse(
        responses=[
            _answer(call, named, repeated, validate_only=request.validate_only)
            for named in call.paced(resources)
        ]
    )


def _answer(
    call: Call,
    named: AlterConfigsResource,
    repeated: Container[ConfigResource],
    *,
    validate_only: bool,
) -> AlterConfigsResourceResponse:
    resource = resource_of(named)

    def alter() -> None:
        call.cluster.configuration.incremental_alter(
            resource,
            [
                ConfigChange(name=each.name, operation=each.config_operation, value=each.value)
                for each in named.configs
            ],
            asked_broker_id=call.broker_id,
            validate_only=validate_only,
        )

    code, message = altered(call, resource, repeated, alter)
    return AlterConfigsResourceResponse(
        error_code=code,
        error_message=message,
        resource_type=named.resource_type,
        resource_name=named.resource_name,
    )

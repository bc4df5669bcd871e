"""Shared steps of the config APIs: naming resources, and refusing repeated ones."""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from typing import Protocol, TypeVar

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.configuration_control import ConfigResource, ResourceType


class NamesResource(Protocol):
    """Element of a request that names one resource."""

    resource_type: int
    resource_name: str


ResourceT = TypeVar("ResourceT", bound=NamesResource)


def resource_of(named: NamesResource) -> ConfigResource:
    """Return the resource that an element of a request names."""
    return ConfigResource(type=named.resource_type, name=named.resource_name)


def distinct(call: Call, named: Iterable[ResourceT]) -> list[ResourceT]:
    """Return the elements to process: if repetition is allowed, the last for each resource."""
    listed = list(named)
    if not call.cluster.options.configs.resources_may_repeat:
        return listed
    return list({resource_of(each): each for each in call.paced(listed)}.values())


def repeated_resources(named: Iterable[NamesResource]) -> frozenset[ConfigResource]:
    """Return the resources that a request names more than once."""
    counts = Counter(resource_of(each) for each in named)
    return frozenset(resource for resource, count in counts.items() if count > 1)


def check_named_once(resource: ConfigResource, repeated: Container[ConfigResource]) -> None:
    """Check that a request to alter configs names a resource only once.

    Raises:
        ApiError: INVALID_REQUEST.

    """
    if resource in repeated:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")


def altered(
    call: Call,
    resource: ConfigResource,
    repeated: Container[ConfigResource],
    alter: Callable[[], None],
) -> tuple[ErrorCode, str | None]:
    """Alter the configs of a resource; return the error code and message for the response.

    An error, from `alter` or because the resource is among those `repeated`, is logged.
    """
    try:
        check_named_once(resource, repeated)
        alter()
    except ApiError as refusal:
        event = f"{call.api_key.name.lower()}_refused"
        call.service.refusals.note(event, refusal, resource=f"{resource.type}:{resource.name}")
        return refusal.code, refusal.why or None
    return ErrorCode.NONE, None


def answered_type(call: Call, resource_type: int) -> int:
    """Return the resource type for the response: 0 for an unknown one in some releases."""
    options = call.cluster.options
    is_known = resource_type in _TYPES
    if resource_type == ResourceType.BROKER_LOGGER:
        is_known = options.configs.has_loggers
    return resource_type if is_known or options.configs.unknown_type_is_echoed else 0


_TYPES = frozenset(ResourceType)

"""What the three APIs of configs have in common: naming a resource that a request may repeat."""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from typing import Protocol, TypeVar

from mockbroker.broker.call import Call
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.configuration_control import ConfigResource, ResourceType


class NamesResource(Protocol):
    """A part of a request that is about one resource."""

    resource_type: int
    resource_name: str


ResourceT = TypeVar("ResourceT", bound=NamesResource)


def resource_of(named: NamesResource) -> ConfigResource:
    """Return the resource that a part of a request names."""
    return ConfigResource(type=named.resource_type, name=named.resource_name)


def distinct(call: Call, named: Iterable[ResourceT]) -> list[ResourceT]:
    """Return the parts of a request to answer: where resources may repeat, the last of each."""
    listed = list(named)
    if not call.cluster.options.configs.resources_may_repeat:
        return listed
    return list({resource_of(each): each for each in listed}.values())


def repeated_resources(named: Iterable[NamesResource]) -> frozenset[ConfigResource]:
    """Return the resources that more than one part of a request names."""
    counts = Counter(resource_of(each) for each in named)
    return frozenset(resource for resource, count in counts.items() if count > 1)


def check_named_once(resource: ConfigResource, repeated: Container[ConfigResource]) -> None:
    """Check that a resource is not among those that a request to alter configs names repeatedly.

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
    """Alter the configs of a resource, and return the code and the message to answer with.

    A refusal, be it by `alter` or for being among those `repeated`, is logged.
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
    """Return the type of resource to answer with: an unknown one may come back as 0."""
    options = call.cluster.options
    is_known = resource_type in _TYPES
    if resource_type == ResourceType.BROKER_LOGGER:
        is_known = options.configs.has_loggers
    return resource_type if is_known or options.configs.unknown_type_is_echoed else 0


_TYPES = frozenset(ResourceType)

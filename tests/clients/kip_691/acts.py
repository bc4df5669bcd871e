"""Actions of recipes on brokers over the protocol only, so that they work on real Kafka too."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
)
from mockbroker.protocol.messages.create_acls import (
    AclCreation,
    CreateAclsRequest,
    CreateAclsResponse,
)
from mockbroker.protocol.messages.delete_acls import (
    DeleteAclsFilter,
    DeleteAclsRequest,
    DeleteAclsResponse,
)
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from mockbroker.protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from mockbroker.state.security.acl import (
    WILDCARD,
    WILDCARD_PRINCIPAL,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)
from mockbroker.wire import WireClient, WireProducer
from tests.clients.kip_691.scene import BATCH_SIZE, Scene
from tests.clients.support.deadline import wait_until
from tests.clients.support.stored_batches import stored_batches
from tests.clients.support.topics import create_topic
from tests.clients.support.written_batches import producer_of

_TOPIC = 2
"""AlterConfigs' type for a topic."""


@contextmanager
def in_its_name(scene: Scene) -> Generator[tuple[WireProducer, int]]:
    """Return a producer with the application's id and epoch, and the next sequence number."""
    last = [b for b in stored_batches(scene.bootstrap_servers, scene.topic, 0) if not b.is_control][
        -1
    ]
    same, next_sequence = producer_of(scene.bootstrap_servers, scene.transactional_id, last)
    with same:
        yield same, next_sequence


def alter_topic(scene: Scene, config: str, value: str) -> Callable[[], None]:
    """Set a config until the attempt ends, and return a function that unsets it sooner."""
    _alter(scene, {config: value})

    def restore() -> None:
        _alter(scene, {})

    scene.afterwards(restore)
    return restore


def _alter(scene: Scene, configs: dict[str, str]) -> None:
    alterable = [AlterableConfig(name=name, value=value) for name, value in configs.items()]
    resource = AlterConfigsResource(
        resource_type=_TOPIC, resource_name=scene.topic, configs=alterable
    )
    with WireClient(scene.bootstrap_servers) as client:
        version = client.versions(ApiKey.ALTER_CONFIGS)[-1]
        answer = client.ask(
            AlterConfigsRequest(resources=[resource]), version, AlterConfigsResponse
        )
    assert answer.responses[0].error_code == ErrorCode.NONE, answer


def delete_topic(scene: Scene, topic: str) -> Callable[[], None]:
    """Delete a topic, and return a function that creates it again, without its records."""
    with WireClient(scene.bootstrap_servers) as client:
        answer = client.ask(
            DeleteTopicsRequest(topic_names=[topic], timeout_ms=_TIMEOUT_MS),
            _DELETE_TOPICS_VERSION,
            DeleteTopicsResponse,
        )
    assert answer.responses[0].error_code == ErrorCode.NONE, answer
    if topic == scene.topic:
        scene.expect_only_from(BATCH_SIZE)
    return lambda: create_topic(scene.bootstrap_servers, topic)


_DELETE_TOPICS_VERSION: Final = 1
_TIMEOUT_MS: Final = 10_000
_ACL_VERSION: Final = 1


def deny(scene: Scene, operation: AclOperation, resource: AclResource, name: str) -> None:
    """Take one right to a resource from everybody until the attempt ends."""
    acls = [(Permission.DENY, operation), (Permission.ALLOW, AclOperation.ALL)]
    creations = [
        AclCreation(
            resource_type=resource,
            resource_name=name,
            resource_pattern_type=PatternType.LITERAL,
            principal=WILDCARD_PRINCIPAL,
            host=WILDCARD,
            operation=each,
            permission_type=permission,
        )
        for permission, each in acls
    ]
    with WireClient(scene.bootstrap_servers) as client:
        request = CreateAclsRequest(creations=creations)
        answer = client.ask(request, _ACL_VERSION, CreateAclsResponse)
    assert {each.error_code for each in answer.results} == {ErrorCode.NONE}, answer
    scene.afterwards(lambda: _allow_again(scene, resource, name))
    # real brokers learn of them a moment later
    wait_until(lambda: _count_acls(scene, resource, name) == len(acls))


def _allow_again(scene: Scene, resource: AclResource, name: str) -> None:
    one = DeleteAclsFilter(**_selected(resource, name))
    with WireClient(scene.bootstrap_servers) as client:
        client.ask(DeleteAclsRequest(filters=[one]), _ACL_VERSION, DeleteAclsResponse)
    wait_until(lambda: not _count_acls(scene, resource, name))


def _count_acls(scene: Scene, resource: AclResource, name: str) -> int:
    request = DescribeAclsRequest(**_selected(resource, name))
    with WireClient(scene.bootstrap_servers) as client:
        found = client.ask(request, _ACL_VERSION, DescribeAclsResponse).resources
    return sum(len(each.acls) for each in found)


def _selected(resource: AclResource, name: str) -> dict[str, Any]:
    return {
        "resource_type_filter": resource,
        "resource_name_filter": name,
        "pattern_type_filter": PatternType.LITERAL,
        "principal_filter": None,
        "host_filter": None,
        "operation": AclOperation.ANY,
        "permission_type": Permission.ANY,
    }

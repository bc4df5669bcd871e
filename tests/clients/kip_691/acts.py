"""Actions of recipes on brokers over the protocol only, so that they work on real Kafka too."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
)
from mockbroker.wire import WireClient, WireProducer
from tests.clients.kip_691.scene import Scene
from tests.clients.support.stored_batches import stored_batches
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

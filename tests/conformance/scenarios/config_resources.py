"""ListConfigResources, which was ListClientMetricsResources."""

from collections.abc import Sequence

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.list_config_resources import (
    ListConfigResourcesRequest,
)
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.configs import BROKER, TOPIC
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

CLIENT_METRICS, GROUP = 16, 32


def resources(*types: int) -> ListConfigResourcesRequest:
    """List the resources of some types."""
    return ListConfigResourcesRequest(resource_types=list(types))


@scenario(alone=True, presets=defaults_since("3.9"))
def list_config_resources(talk: Talk) -> None:
    for version in talk.versions(ApiKey.LIST_CONFIG_RESOURCES):
        talk.ask(f"nothing yet, v{version}", resources(), version)
    talk.topic("t")
    talk.topic("u", configs={"retention.ms": "1000"})
    kinds: Sequence[Sequence[int]] = (
        (),
        (TOPIC,),
        (BROKER,),
        (8,),
        (CLIENT_METRICS,),
        (GROUP,),
        (TOPIC, BROKER),
        (BROKER, TOPIC, TOPIC),
        (0,),
        (1,),
        (99,),
        (-1,),
        (TOPIC, 99),
    )
    for version in talk.versions(ApiKey.LIST_CONFIG_RESOURCES):
        for types in kinds if version else [()]:
            talk.ask(f"{list(types)}, v{version}", resources(*types), version)


@scenario(brokers=3, presets=defaults_since("3.9"))
def list_config_resources_of_three_brokers(talk: Talk) -> None:
    for version in talk.versions(ApiKey.LIST_CONFIG_RESOURCES):
        talk.ask(f"brokers, v{version}", resources(4, 8), version)

"""Several listeners of a broker: the endpoints that clients of each get, and configs of one."""

from collections.abc import Sequence
from functools import partial

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_cluster import DescribeClusterRequest
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from mockbroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

OUTSIDE = "OUTSIDE"
BROKER = 4
SET, DELETE, APPEND = 0, 1, 2
STORED = 6
OWN = "listener.name.outside."


def change(
    *changes: tuple[str, str | None], broker: str = "1", operation: int = SET
) -> IncrementalAlterConfigsRequest:
    """Change configs of a broker, or of all brokers."""
    resource = AlterConfigsResource(
        resource_type=BROKER,
        resource_name=broker,
        configs=[
            AlterableConfig(
                name=name, config_operation=DELETE if value is None else operation, value=value
            )
            for name, value in changes
        ],
    )
    return IncrementalAlterConfigsRequest(resources=[resource])


def described(names: Sequence[str]) -> DescribeConfigsRequest:
    """Describe configs of a broker."""
    resource = DescribeConfigsResource(
        resource_type=BROKER, resource_name="1", configuration_keys=list(names)
    )
    return DescribeConfigsRequest(resources=[resource], include_synonyms=True)


@scenario(brokers=3, listeners=(OUTSIDE,), presets=defaults_since("2.8"))
def endpoints_of_listeners(talk: Talk) -> None:
    """Clients get the endpoints of the listener that they are connected to."""
    talk.topic("t", assignments=[[2, 3]])
    topic = MetadataRequestTopic(name="t", topic_id=ZERO_UUID)
    for listener in ("main", OUTSIDE):
        for version in (1, talk.latest(ApiKey.METADATA)):
            talk.ask(
                f"{listener}, v{version}",
                MetadataRequest(topics=[topic]),
                version,
                connection=listener,
            )
        if talk.release.since("2.8"):
            talk.ask(f"{listener}", DescribeClusterRequest(), 0, connection=listener)


@scenario(listeners=(OUTSIDE,), presets=defaults_since("2.8"))
def coordinator_of_a_listener(talk: Talk) -> None:
    """Clients get the coordinator's endpoint of the listener that they are connected to."""
    find = FindCoordinatorRequest(key="g", key_type=0, coordinator_keys=["g"])
    version = talk.latest(ApiKey.FIND_COORDINATOR)
    talk.ask_patiently("main", find, version)
    talk.ask("outside", find, version, connection=OUTSIDE)


# Without a secret of the encoder, 2.8 stores no passwords.
@scenario(
    listeners=(OUTSIDE,),
    settings={"password.encoder.secret": "encoder"},
    presets=defaults_since("2.8"),
)
def configs_of_a_listener(talk: Talk) -> None:
    """Configs with the prefix of a listener are validated, stored for one broker, and described."""
    version = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for title, request in {
        "a choice": change((OWN + "ssl.client.auth", "required")),
        "no choice": change((OWN + "ssl.client.auth", "perhaps")),
        "no number": change((OWN + "num.io.threads", "many")),
        "static elsewhere": change((OWN + "ssl.principal.mapping.rules", "DEFAULT")),
        "not security": change((OWN + "num.io.threads", "9")),
        "unknown": change((OWN + "some.thing", "x")),
        "secret": change((OWN + "ssl.keystore.password", "secret")),
        "a listener that is none": change(("listener.name.none.ssl.client.auth", "none")),
        "the same, no choice": change(("listener.name.none.ssl.client.auth", "perhaps")),
        "no listener": change(("listener.name.ssl", "x")),
        "all brokers": change((OWN + "ssl.client.auth", "none"), broker=""),
        "all brokers, unknown": change((OWN + "some.thing", "y"), broker=""),
        "a list": change((OWN + "ssl.enabled.protocols", "TLSv1.2")),
        "appended": change((OWN + "ssl.enabled.protocols", "TLSv1.3"), operation=APPEND),
        "without the prefix": change(("ssl.keystore.location", "x")),
    }.items():
        talk.ask(title, request, version)
    names = [
        OWN + each
        for each in (
            "ssl.client.auth",
            "num.io.threads",
            "some.thing",
            "ssl.keystore.password",
            "ssl.enabled.protocols",
            "ssl.keystore.location",
        )
    ]
    newest = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    of_all = described([*names, "listener.name.none.ssl.client.auth"])
    talk.until("described", of_all, newest, partial(_has_configs, STORED))
    talk.ask("deleted", change(*((name, None) for name in names)), version)
    talk.until("described again", described(names), newest, partial(_has_configs, 0))


def _has_configs(count: int, answer: Message) -> bool:
    return isinstance(answer, DescribeConfigsResponse) and len(answer.results[0].configs) == count

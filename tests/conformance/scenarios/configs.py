"""DescribeConfigs, AlterConfigs and IncrementalAlterConfigs, for topics and brokers."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import count

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import alter_configs, incremental_alter_configs
from mockbroker.protocol.messages.alter_configs import AlterConfigsRequest
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from mockbroker.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from mockbroker.protocol.schema.message import Message
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import SILENCE_S, Talk

UNKNOWN, TOPIC, BROKER, BROKER_LOGGER = 0, 2, 4, 8


class Operation(IntEnum):
    """Operation of IncrementalAlterConfigs on a config."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3
    NONSENSE = 9


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one config."""

    name: str
    value: str | None
    operation: int = Operation.SET


def describe(
    *resources: tuple[int, str, Sequence[str] | None],
    synonyms: bool = True,
    documentation: bool = False,
) -> DescribeConfigsRequest:
    """Request configs: each a (type, name, config names or None for all)."""
    return DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(
                resource_type=kind,
                resource_name=name,
                configuration_keys=None if keys is None else list(keys),
            )
            for kind, name, keys in resources
        ],
        include_synonyms=synonyms,
        include_documentation=documentation,
    )


def alter(
    kind: int, name: str, *changes: Change, validate_only: bool = False
) -> AlterConfigsRequest:
    """Replace all configs of a resource."""
    resource = alter_configs.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            alter_configs.AlterableConfig(name=each.name, value=each.value) for each in changes
        ],
    )
    return AlterConfigsRequest(resources=[resource], validate_only=validate_only)


def increment(
    kind: int, name: str, *changes: Change, validate_only: bool = False
) -> IncrementalAlterConfigsRequest:
    """Change some configs of a resource."""
    resource = incremental_alter_configs.AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            incremental_alter_configs.AlterableConfig(
                name=each.name, value=each.value, config_operation=int(each.operation)
            )
            for each in changes
        ],
    )
    return IncrementalAlterConfigsRequest(resources=[resource], validate_only=validate_only)


def expect_value(
    talk: Talk, title: str, kind: int, resource: str, name: str, value: str | None
) -> None:
    """Request a config until it has a value."""

    def is_so(answer: Message) -> bool:
        assert isinstance(answer, DescribeConfigsResponse)
        return any(config.value == value for config in answer.results[0].configs)

    request = describe((kind, resource, [name]))
    talk.until(title, request, talk.latest(ApiKey.DESCRIBE_CONFIGS), is_so)


@scenario()
def describe_topic_configs(talk: Talk) -> None:
    talk.topic("t", configs={"retention.ms": "1000", "compression.type": "gzip"})
    for version in talk.versions(ApiKey.DESCRIBE_CONFIGS):
        talk.ask(f"all, v{version}", describe((TOPIC, "t", None)), version)
        some = ["retention.ms", "compression.type", "segment.bytes", "no.such.config"]
        talk.ask(f"some, v{version}", describe((TOPIC, "t", some), synonyms=False), version)
        if version >= 3:
            explained = describe((TOPIC, "t", some), documentation=True)
            talk.ask(f"some, explained, v{version}", explained, version)
    newest = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    talk.ask("no names", describe((TOPIC, "t", [])), newest)
    talk.ask("a name twice", describe((TOPIC, "t", ["retention.ms", "retention.ms"])), newest)


@scenario()
def describe_broker_configs(talk: Talk) -> None:
    talk.needs_own_cluster("describes the configs that a broker was started with")
    newest = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    talk.ask("all", describe((BROKER, "1", None)), newest)
    some = ["log.retention.hours", "log.retention.ms", "num.partitions", "broker.id", "node.id"]
    for version in talk.versions(ApiKey.DESCRIBE_CONFIGS):
        talk.ask(f"some, v{version}", describe((BROKER, "1", some)), version)
    talk.ask("the default of all brokers", describe((BROKER, "", None)), newest)


@scenario(
    settings={
        "log.retention.hours": "7",
        "log.segment.bytes": "12345678",
        "num.partitions": "4",
        "log.roll.ms": "86400000",
        "compression.type": "lz4",
    }
)
def describe_configs_of_a_configured_broker(talk: Talk) -> None:
    talk.topic("t", configs={"segment.bytes": "23456789"})
    newest = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    names = ["retention.ms", "segment.bytes", "segment.ms", "compression.type", "retention.bytes"]
    talk.ask("of a topic", describe((TOPIC, "t", names)), newest)
    names = ["log.retention.hours", "log.retention.minutes", "log.retention.ms", "log.roll.ms"]
    names += ["log.roll.hours", "num.partitions", "log.segment.bytes", "compression.type"]
    talk.ask("of the broker", describe((BROKER, "1", names)), newest)


@scenario()
def describe_configs_refusals(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    for kind, name in [
        (TOPIC, "missing"),
        (TOPIC, ""),
        (TOPIC, "bad name"),
        (BROKER, "2"),
        (BROKER, "-1"),
        (BROKER, "one"),
        (BROKER_LOGGER, "one"),
        (BROKER_LOGGER, ""),
        (BROKER_LOGGER, "2"),
        (UNKNOWN, "t"),
        (77, "t"),
    ]:
        talk.ask(f"type {kind}, {name!r}", describe((kind, name, ["retention.ms"])), newest)
    both = describe((TOPIC, "t", ["retention.ms"]), (TOPIC, "missing", ["retention.ms"]))
    talk.ask("a good and a bad one", both, newest)
    talk.ask("nothing", describe(), newest)


@scenario()
def alter_topic_configs(talk: Talk) -> None:
    talk.topic("t", configs={"segment.bytes": "20000000"})
    for version in talk.versions(ApiKey.ALTER_CONFIGS):
        value = str(86_400_000 + version)
        change = Change("retention.ms", value)
        talk.ask(f"replace, v{version}", alter(TOPIC, "t", change), version)
        expect_value(talk, f"replaced, v{version}", TOPIC, "t", "retention.ms", value)
        untouched = alter(TOPIC, "t", Change("retention.ms", "5"), validate_only=True)
        talk.ask(f"only validate, v{version}", untouched, version)
    newest = talk.latest(ApiKey.ALTER_CONFIGS)
    names = ["retention.ms", "segment.bytes"]
    version = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    talk.ask("what was not named is reset", describe((TOPIC, "t", names)), version)
    for changes in [
        [Change("retention.ms", "abc")],
        [Change("retention.ms", None)],
        [Change("no.such.config", "1")],
        [Change("retention.ms", "1"), Change("retention.ms", "2")],
        [Change("cleanup.policy", "nonsense")],
    ]:
        title = ", ".join(f"{change.name}={change.value}" for change in changes)
        talk.ask(title, alter(TOPIC, "t", *changes, validate_only=True), newest)
    for kind, name in [(TOPIC, "missing"), (TOPIC, ""), (UNKNOWN, "t"), (77, "t")]:
        title = f"type {kind}, {name!r}"
        talk.ask(title, alter(kind, name, Change("retention.ms", "1")), newest)
    talk.ask("nothing", AlterConfigsRequest(), newest)
    twice = alter(TOPIC, "t", Change("retention.ms", "1"))
    twice.resources *= 2
    talk.finish(talk.begin("a topic twice", twice, newest), patience_s=SILENCE_S)
    talk.ask("no configs: all are reset", alter(TOPIC, "t"), newest)
    expect_value(talk, "all were reset", TOPIC, "t", "retention.ms", "604800000")


@scenario(presets=defaults_since("2.3"))
def incremental_alter_topic_configs(talk: Talk) -> None:
    talk.topic("t", configs={"segment.bytes": "20000000"})
    listed = "leader.replication.throttled.replicas"
    for version in talk.versions(ApiKey.INCREMENTAL_ALTER_CONFIGS):
        for title, change, value in [
            ("set", Change("retention.ms", str(4000 + version)), str(4000 + version)),
            ("set again", Change("retention.ms", "5000"), "5000"),
            ("delete", Change("retention.ms", None, Operation.DELETE), "604800000"),
            ("append", Change("cleanup.policy", "compact", Operation.APPEND), "delete,compact"),
            ("subtract", Change("cleanup.policy", "delete", Operation.SUBTRACT), "compact"),
            ("reset", Change("cleanup.policy", "x", Operation.DELETE), "delete"),
            ("append two", Change(listed, "0:1,1:1", Operation.APPEND), "0:1,1:1"),
            ("append there", Change(listed, "1:1,2:1", Operation.APPEND), "0:1,1:1,2:1"),
            ("subtract one", Change(listed, "0:1,9:9", Operation.SUBTRACT), "1:1,2:1"),
            ("wildcard", Change(listed, "*", Operation.SET), "*"),
        ]:
            talk.ask(f"{title}, v{version}", increment(TOPIC, "t", change), version)
            expect_value(talk, f"{title}: seen, v{version}", TOPIC, "t", change.name, value)


def see_list(talk: Talk, title: str, number: int, name: str) -> None:
    """Record a topic's list, once a later change of another config is visible."""
    version = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    talk.quietly(increment(TOPIC, "t", Change("retention.ms", str(number))), version)
    newest = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    later = describe((TOPIC, "t", ["retention.ms"]))
    talk.until_quietly(later, newest, lambda answer: f"value='{number}'" in repr(answer))
    talk.ask(title, describe((TOPIC, "t", [name])), newest)


@scenario(slow=True, presets=defaults_since("2.3"))
def incremental_alter_lists_with_empty_parts(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    listed = "leader.replication.throttled.replicas"
    unset = Change(listed, None, Operation.DELETE)
    numbers = count(1_000_000)
    for before in (None, "", "0:1", "0:1,1:1,0:1", "*"):
        for operation in (Operation.APPEND, Operation.SUBTRACT):
            for value in ("0:1,", ",0:1", "0:1,,1:1", ",", ",,,", "", "0:1,0:1", " 0:1", "2:1"):
                first = unset if before is None else Change(listed, before)
                talk.quietly(increment(TOPIC, "t", first), newest)
                title = f"{before!r} {operation.name} {value!r}"
                change = Change(listed, value, operation)
                talk.ask(title, increment(TOPIC, "t", change), newest)
                see_list(talk, f"{title}: seen", next(numbers), listed)
    policy = "cleanup.policy"
    for operation in (Operation.APPEND, Operation.SUBTRACT, Operation.SET):
        for value in ("compact,", ",compact", "compact,,delete", ",", "", "delete", "compact"):
            reset = Change(policy, None, Operation.DELETE)
            talk.quietly(increment(TOPIC, "t", reset), newest)
            title = f"{policy} {operation.name} {value!r}"
            change = Change(policy, value, operation)
            talk.ask(title, increment(TOPIC, "t", change), newest)
            see_list(talk, f"{title}: seen", next(numbers), policy)
    twice = increment(TOPIC, "t", Change(policy, "compact,compact"), validate_only=True)
    talk.ask(f"{policy} SET a part twice", twice, newest)


@scenario(presets=defaults_since("2.3"))
def incremental_alter_configs_refusals(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for changes in [
        [Change("retention.ms", "abc")],
        [Change("retention.ms", None)],
        [Change("retention.ms", None), Change("segment.bytes", None)],
        [Change("no.such.config", "1")],
        [Change("no.such.config", None, Operation.DELETE)],
        [Change("retention.ms", "1"), Change("retention.ms", "2")],
        [Change("retention.ms", "1", Operation.APPEND)],
        [Change("retention.ms", "1", Operation.SUBTRACT)],
        [Change("retention.ms", "1", Operation.NONSENSE)],
        [Change("cleanup.policy", "nonsense", Operation.APPEND)],
        [Change("cleanup.policy", "delete", Operation.SUBTRACT)],
        [Change("retention.ms", "1"), Change("segment.bytes", "x")],
    ]:
        title = ", ".join(f"{each.name}={each.value} ({each.operation})" for each in changes)
        request = increment(TOPIC, "t", *changes, validate_only=True)
        talk.ask(title, request, newest)
    for kind, name in [(TOPIC, "missing"), (TOPIC, ""), (UNKNOWN, "t"), (77, "t"), (BROKER, "2")]:
        request = increment(kind, name, Change("retention.ms", "1"))
        talk.ask(f"type {kind}, {name!r}", request, newest)
    twice = increment(TOPIC, "t", Change("retention.ms", "1"))
    twice.resources *= 2
    talk.ask("a topic twice", twice, newest)
    talk.ask("nothing", IncrementalAlterConfigsRequest(), newest)


@scenario(alone=True, presets=defaults_since("2.3"))
def alter_broker_configs(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for title, broker, change, value in [
        ("set", "1", Change("log.retention.ms", "7000000"), "7000000"),
        ("set for all", "", Change("log.retention.ms", "8000000"), "8000000"),
        ("set bytes for all", "", Change("log.retention.bytes", "1000000"), "1000000"),
    ]:
        talk.ask(title, increment(BROKER, broker, change), newest)
        expect_value(talk, f"{title}: seen", BROKER, broker, change.name, value)
    names = ["log.retention.ms", "log.retention.bytes", "log.retention.hours"]
    version = talk.latest(ApiKey.DESCRIBE_CONFIGS)
    talk.ask("of the broker", describe((BROKER, "1", names)), version)
    talk.ask("of all brokers", describe((BROKER, "", names)), version)
    expect_value(talk, "of a topic", TOPIC, "t", "retention.ms", "7000000")
    expect_value(talk, "bytes of a topic", TOPIC, "t", "retention.bytes", "1000000")
    gone = Change("log.retention.ms", None, Operation.DELETE)
    talk.ask("delete", increment(BROKER, "1", gone), newest)
    expect_value(talk, "that of all counts again", TOPIC, "t", "retention.ms", "8000000")
    for broker, change in [
        ("1", Change("log.retention.ms", "abc")),
        ("1", Change("num.partitions", "3")),
        ("1", Change("broker.id", "3")),
        ("1", Change("no.such.config", "3")),
        ("1", Change("listeners", "PLAINTEXT://127.0.0.1:1")),
        ("2", Change("log.retention.ms", "1")),
        ("one", Change("log.retention.ms", "1")),
        ("", Change("log.retention.ms", "abc")),
        ("", Change("log.retention.ms", "1", Operation.APPEND)),
    ]:
        title = f"{broker!r}: {change.name}={change.value}"
        request = increment(BROKER, broker, change, validate_only=True)
        talk.ask(title, request, newest)
    whole = alter(BROKER, "", Change("log.retention.bytes", "2000000"))
    talk.ask("replace", whole, talk.latest(ApiKey.ALTER_CONFIGS))
    expect_value(talk, "replaced", BROKER, "", "log.retention.bytes", "2000000")
    expect_value(talk, "what was not named is gone", TOPIC, "t", "retention.ms", "604800000")

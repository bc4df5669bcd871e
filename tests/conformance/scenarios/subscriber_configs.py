"""Configs of groups (KIP-848) and of client metrics (KIP-714)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.list_config_resources import ListConfigResourcesRequest
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.configs import Change, Operation, alter, describe, increment
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

CLIENT_METRICS, GROUP = 16, 32
SESSION = "consumer.session.timeout.ms"
HEARTBEAT = "consumer.heartbeat.interval.ms"


def ask_for_all(talk: Talk, kind: int, name: str, when: str) -> None:
    """Describe a resource, and list all of its type, as soon as the last change is visible."""
    talk.wait_a_moment()
    talk.ask(f"{when}", describe((kind, name, None)), talk.latest(ApiKey.DESCRIBE_CONFIGS))
    newest = talk.latest(ApiKey.LIST_CONFIG_RESOURCES)
    if kind == CLIENT_METRICS or newest:
        request = ListConfigResourcesRequest(resource_types=[kind] if newest else [])
        talk.ask(f"{when}, listed", request, newest)


@scenario(alone=True, presets=defaults_since("3.9"))
def configs_of_groups(talk: Talk) -> None:
    incremental, replacing = (
        talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS),
        talk.latest(ApiKey.ALTER_CONFIGS),
    )
    ask_for_all(talk, GROUP, "g", "a group that nobody knows")
    ask_for_all(talk, GROUP, "", "no group")
    for version in talk.versions(ApiKey.DESCRIBE_CONFIGS):
        talk.ask(f"described, v{version}", describe((GROUP, "g", [SESSION])), version)
    for title, changes in {
        "one": [Change(SESSION, "50000")],
        "another": [Change(HEARTBEAT, "6000")],
        "one taken away": [Change(HEARTBEAT, None, Operation.DELETE)],
        "nothing": [],
        "unknown": [Change("nonsense", "1")],
        "no number": [Change(SESSION, "x")],
        "too little": [Change(SESSION, "1")],
        "too much": [Change(SESSION, "100000000")],
        "a heartbeat beyond the session": [Change(HEARTBEAT, "60000")],
        "appended": [Change(SESSION, "1", Operation.APPEND)],
        "null": [Change(SESSION, None)],
        "twice": [Change(SESSION, "50000"), Change(SESSION, "51000")],
    }.items():
        talk.ask(f"set {title}", increment(GROUP, "g", *changes), incremental)
        ask_for_all(talk, GROUP, "g", f"after {title}")
    trial = increment(GROUP, "h", Change(SESSION, "50000"), validate_only=True)
    talk.ask("only to be validated", trial, incremental)
    talk.ask("of no group", increment(GROUP, "", Change(SESSION, "50000")), incremental)
    talk.ask("replaced", alter(GROUP, "g", Change(HEARTBEAT, "7000")), replacing)
    ask_for_all(talk, GROUP, "g", "after a replacement")
    talk.ask("replaced by nothing", alter(GROUP, "g"), replacing)
    ask_for_all(talk, GROUP, "g", "after all was taken away")
    talk.ask("replaced, no number", alter(GROUP, "g", Change(SESSION, "x")), replacing)


METRICS = "org.apache.kafka.producer.,org.apache.kafka.consumer.coordinator.rebalance.latency.max"


@scenario(alone=True, presets=defaults_since("3.9"))
def configs_of_client_metrics(talk: Talk) -> None:
    incremental, replacing = (
        talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS),
        talk.latest(ApiKey.ALTER_CONFIGS),
    )
    ask_for_all(talk, CLIENT_METRICS, "m", "a subscription that nobody knows")
    ask_for_all(talk, CLIENT_METRICS, "", "no subscription")
    for version in talk.versions(ApiKey.DESCRIBE_CONFIGS):
        request = describe((CLIENT_METRICS, "m", ["interval.ms"]))
        talk.ask(f"described, v{version}", request, version)
    for title, changes in {
        "one": [Change("interval.ms", "1000")],
        "another": [Change("metrics", METRICS)],
        "a third": [Change("match", "client_id=a.*,client_software_name=b")],
        "one taken away": [Change("match", None, Operation.DELETE)],
        "nothing": [],
        "unknown": [Change("nonsense", "1")],
        "no number": [Change("interval.ms", "x")],
        "too little": [Change("interval.ms", "99")],
        "too much": [Change("interval.ms", "3600001")],
        "a match of nothing": [Change("match", "client_id")],
        "a match of nobody": [Change("match", "nonsense=a")],
        "a match that is none": [Change("match", "client_id=[")],
        "appended": [Change("metrics", "more", Operation.APPEND)],
        "subtracted": [Change("metrics", "more", Operation.SUBTRACT)],
        "appended to a number": [Change("interval.ms", "1", Operation.APPEND)],
        "all metrics": [Change("metrics", "*")],
        "no metrics": [Change("metrics", "")],
        "null": [Change("metrics", None)],
    }.items():
        talk.ask(f"set {title}", increment(CLIENT_METRICS, "m", *changes), incremental)
        ask_for_all(talk, CLIENT_METRICS, "m", f"after {title}")
    trial = increment(CLIENT_METRICS, "n", Change("interval.ms", "1000"), validate_only=True)
    talk.ask("only to be validated", trial, incremental)
    unnamed = increment(CLIENT_METRICS, "", Change("interval.ms", "1000"))
    talk.ask("of no subscription", unnamed, incremental)
    talk.ask("replaced", alter(CLIENT_METRICS, "m", Change("interval.ms", "2000")), replacing)
    ask_for_all(talk, CLIENT_METRICS, "m", "after a replacement")
    talk.ask("replaced by nothing", alter(CLIENT_METRICS, "m"), replacing)
    ask_for_all(talk, CLIENT_METRICS, "m", "after all was taken away")


GROUP_CONFIGS = (
    *(
        f"{kind}.{name}"
        for kind in ("consumer", "share", "streams")
        for name in ("assignment.interval.ms", "heartbeat.interval.ms", "session.timeout.ms")
    ),
    "errors.deadletterqueue.copy.record.enable",
    "errors.deadletterqueue.topic.name",
    "share.auto.offset.reset",
    "share.delivery.count.limit",
    "share.isolation.level",
    "share.partition.max.record.locks",
    "share.record.lock.duration.ms",
    "share.renew.acknowledge.enable",
    "streams.assignor.name",
    "streams.initial.rebalance.delay.ms",
    "streams.num.standby.replicas",
    "streams.rack.aware.assignment.tags",
)
VALUES = ("-1", "3", "7000", "100000000", "x", "true")


NARROW = {
    f"group.{kind}.{bound}": value
    for kind in ("consumer", "share", "streams")
    for bound, value in (
        ("min.session.timeout.ms", "1000"),
        ("max.heartbeat.interval.ms", "50000"),
    )
}


@scenario(presets=("4.4",), settings=NARROW)
def group_sessions_are_longer_than_heartbeats(talk: Talk) -> None:
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for kind in ("consumer", "share", "streams"):
        session, heartbeat = f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms"
        for title, changes in [
            ("a session as long as the default interval", [Change(session, "5000")]),
            ("a longer one", [Change(session, "5001")]),
            ("an interval as long as the default session", [Change(heartbeat, "45000")]),
            ("both alike", [Change(session, "9000"), Change(heartbeat, "9000")]),
            ("a longer session", [Change(session, "9001"), Change(heartbeat, "9000")]),
        ]:
            trial = increment(GROUP, "g", *changes, validate_only=True)
            talk.ask(f"{kind}: {title}", trial, newest)


@scenario(alone=True, presets=("4.4",))
def values_of_group_configs(talk: Talk) -> None:
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for name in GROUP_CONFIGS:
        for value in VALUES:
            trial = increment(GROUP, "g", Change(name, value), validate_only=True)
            talk.ask(f"{name}={value!r}", trial, newest)
    for name, value in [
        ("share.auto.offset.reset", "by_duration:PT1H"),
        ("share.auto.offset.reset", "by_duration:x"),
        ("share.isolation.level", "read_committed"),
        ("share.isolation.level", "READ_COMMITTED"),
        ("errors.deadletterqueue.topic.name", "bad name"),
        ("errors.deadletterqueue.topic.name", "__secret"),
        ("streams.rack.aware.assignment.tags", "a,b"),
        ("streams.assignor.name", "sticky"),
        ("consumer.session.timeout.ms", "45000,50000"),
    ]:
        trial = increment(GROUP, "g", Change(name, value), validate_only=True)
        talk.ask(f"{name}={value!r}", trial, newest)

"""Contradictory and unusual topic configs, found by random walks."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.releases import defaults_since
from tests.conformance.requests import create_topics, new_topic
from tests.conformance.scenarios.configs import (
    BROKER,
    TOPIC,
    Change,
    Operation,
    alter,
    describe,
    increment,
)
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

THROTTLED = "leader.replication.throttled.replicas"
DIRTY = "min.cleanable.dirty.ratio"
MOMENTS = 4
TOGETHER = {
    "numbers": ("retention.bytes", "-0.1", "flush.ms", "-0.1"),
    "a number and a word": ("cleanup.policy", "nonsense", "segment.ms", "1e3"),
    "words": ("preallocate", "nonsense", "message.timestamp.type", "nonsense"),
    "bounds": ("min.insync.replicas", "0", "max.message.bytes", "-1"),
}


def set_and_see(talk: Talk, name: str, value: str, title: str) -> None:
    """Set a config of the topic `t`, and describe it."""
    asked = alter(TOPIC, "t", Change(name, value))
    talk.ask(f"set {title}", asked, talk.latest(ApiKey.ALTER_CONFIGS))
    talk.wait_a_moment(MOMENTS)
    see = describe((TOPIC, "t", [name]), synonyms=False)
    talk.ask(f"after {title}", see, talk.latest(ApiKey.DESCRIBE_CONFIGS))


@scenario()
def config_values_that_are_wrong_together(talk: Talk) -> None:
    talk.topic("t")
    for title, (one, first, other, second) in TOGETHER.items():
        for order in (1, -1):
            changes = [Change(one, first), Change(other, second)][::order]
            configs = {change.name: change.value for change in changes}
            created = create_topics(new_topic("new", configs=configs), validate_only=True)
            talk.ask(f"create, {title}, {order}", created, talk.latest(ApiKey.CREATE_TOPICS))
            asked = alter(TOPIC, "t", *changes)
            talk.ask(f"alter, {title}, {order}", asked, talk.latest(ApiKey.ALTER_CONFIGS))
    for value in (" 7 ", " ", "TRUE "):
        asked = alter(TOPIC, "t", Change("preallocate", value))
        talk.ask(f"preallocate={value!r}", asked, talk.latest(ApiKey.ALTER_CONFIGS))


@scenario()
def throttled_replicas_with_empty_parts(talk: Talk) -> None:
    talk.topic("t")
    for value in ("0:1,", "0:1,,1:1", ",", "*,0:1"):
        set_and_see(talk, THROTTLED, value, repr(value))


@scenario(presets=defaults_since("2.3"))
def wrong_changes_of_configs(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for name, operation in (("append", Operation.APPEND), ("nonsense", Operation.NONSENSE)):
        nothing = Change("flush.ms", None, operation)
        talk.ask(f"{name} nothing", increment(TOPIC, "t", nothing), newest)
    talk.ask("set nothing", increment(TOPIC, "t", Change("flush.ms", None)), newest)
    # Two names that share a bucket of Java's hash tables, and are looked at as they come.
    names = ("preallocate", "compression.gzip.level")
    for first, second in (names, names[::-1]):
        changes = [Change(first, "1", Operation.APPEND), Change(second, "1", Operation.SUBTRACT)]
        talk.ask(f"{first}, {second}", increment(TOPIC, "t", *changes), newest)


@scenario(presets=defaults_since("2.3"))
def changes_of_lists_that_there_are_not(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for kind, name in ((TOPIC, "t"), (TOPIC, "missing"), (BROKER, "1"), (BROKER, "")):
        for operation in (Operation.APPEND, Operation.SUBTRACT):
            change = Change("nonsense", "1", operation)
            talk.ask(f"{operation.name} {kind} {name}", increment(kind, name, change), newest)


@scenario(presets=defaults_since("2.3"))
def changes_of_a_list_that_is_empty(talk: Talk) -> None:
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    if talk.release.since("2.8"):  # an older one fails on a list that is not set
        talk.topic("unset")
        change = Change(THROTTLED, "zstd", Operation.APPEND)
        talk.ask("append to none", increment(TOPIC, "unset", change), newest)
    talk.topic("t", configs={THROTTLED: ""})
    for operation in (Operation.SUBTRACT, Operation.APPEND):
        change = Change(THROTTLED, "zstd", operation)
        talk.ask(operation.name, increment(TOPIC, "t", change), newest)


@scenario()
def configs_of_a_new_topic_that_are_null(talk: Talk) -> None:
    newest = talk.latest(ApiKey.CREATE_TOPICS)
    wanted = new_topic("t", configs={"flush.ms": None, "segment.ms": "x", "cleanup.policy": None})
    talk.ask("create", create_topics(wanted), newest)


@scenario()
def numbers_with_exponents(talk: Talk) -> None:
    """Java writes numbers with an exponent from ten million on, and below a thousandth."""
    talk.topic("t")
    newest = talk.latest(ApiKey.ALTER_CONFIGS)
    for value in ("9223372036854775807", "12345678.9", "9999999", "0", "1e0"):
        asked = alter(TOPIC, "t", Change(DIRTY, value), validate_only=True)
        talk.ask(f"check {value}", asked, newest)
    for value in ("0.001", "0.00025", "1e-7"):
        set_and_see(talk, DIRTY, value, value)


@scenario(presets=defaults_since("2.3"))
def wrong_changes_of_a_missing_topic(talk: Talk) -> None:
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    changes = {
        "a good value": [Change("flush.ms", "1")],
        "a wrong value": [Change("flush.ms", "nonsense")],
        "no list": [Change("flush.ms", "1", Operation.APPEND)],
        "no lists": [
            Change("delete.retention.ms", "1", Operation.SUBTRACT),
            Change("flush.ms", "1", Operation.APPEND),
        ],
    }
    for title, wanted in changes.items():
        talk.ask(title, increment(TOPIC, "missing", *wanted), newest)
        plain = [Change(change.name, change.value) for change in wanted]
        asked = alter(TOPIC, "missing", *plain)
        talk.ask(f"{title}, altered", asked, talk.latest(ApiKey.ALTER_CONFIGS))

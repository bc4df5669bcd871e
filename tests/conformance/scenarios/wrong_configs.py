"""Values of topic configs that are wrong together, or only look wrong: random walks found them."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.releases import defaults_since
from tests.conformance.requests import create_topics, new_topic
from tests.conformance.scenarios.configs import (
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
MOMENTS = 4
TOGETHER = {
    "numbers": ("retention.bytes", "-0.1", "flush.ms", "-0.1"),
    "a number and a word": ("cleanup.policy", "nonsense", "segment.ms", "1e3"),
    "words": ("preallocate", "nonsense", "message.timestamp.type", "nonsense"),
    "bounds": ("min.insync.replicas", "0", "max.message.bytes", "-1"),
}


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
        asked = alter(TOPIC, "t", Change(THROTTLED, value))
        talk.ask(f"set {value!r}", asked, talk.latest(ApiKey.ALTER_CONFIGS))
        for _ in range(MOMENTS):
            talk.wait_a_moment()
        see = describe((TOPIC, "t", [THROTTLED]), synonyms=False)
        talk.ask(f"after {value!r}", see, talk.latest(ApiKey.DESCRIBE_CONFIGS))


@scenario(presets=defaults_since("2.8"))
def wrong_changes_of_configs(talk: Talk) -> None:
    talk.topic("t")
    newest = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for name, operation in (("append", Operation.APPEND), ("nonsense", Operation.NONSENSE)):
        nothing = Change("flush.ms", None, operation)
        talk.ask(f"{name} nothing", increment(TOPIC, "t", nothing), newest)


@scenario(presets=defaults_since("3.9"))
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

"""Random walk over topic configs: valid and invalid values, in all versions."""

from collections.abc import Callable, Mapping
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.describe_configs import DescribeConfigsResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.requests import create_topics, new_topic
from tests.conformance.scenarios.configs import (
    TOPIC,
    Change,
    Operation,
    alter,
    describe,
    increment,
)
from tests.conformance.talk import Talk
from tests.conformance.walks.walking import Walk

MOMENTS: Final = 5
"""Time until a change is visible on all brokers."""
NUMBERS: Final = (
    "-2", "-1", "0", "1", "14", "1000", " 7 ", "1048588", "2147483647", "2147483648",
    "9223372036854775807", "9223372036854775808", "1e3", "0.5", "1.5", "-0.1",
)  # fmt: skip
WORDS: Final = (
    "", " ", "true", "false", "TRUE", "yes", "delete", "compact", "delete,compact",
    "compact, delete", "delete,delete", "Delete", "nonsense", "gzip", "zstd", "producer",
    "uncompressed", "CreateTime", "LogAppendTime", "*", "0:1", "0:1,1:1", "0:1,", "none", "2.8",
    "0.10.2-IV0",
)  # fmt: skip
UNKNOWN_NAMES: Final = ("", "nonsense", "Retention.ms", "log.retention.ms", "cleanup_policy")
OPERATIONS: Final = {
    Operation.SET: 65,
    Operation.DELETE: 12,
    Operation.APPEND: 11,
    Operation.SUBTRACT: 11,
    Operation.NONSENSE: 1,
}


class ConfigsWalk(Walk):
    """One walk: its topics, and its possible steps."""

    def __init__(self, talk: Talk, name: str, seed: int) -> None:
        """Choose the names of the topics."""
        super().__init__(talk, seed)
        self._topics = [f"{name}-{letter}" for letter in "ab"]
        self._names: list[str] = []
        self._numbers: set[str] = set()
        """Those configs whose values are numbers."""
        self._ways: Mapping[Callable[[], None], float] = {
            self._increment: 45 if talk.versions(ApiKey.INCREMENTAL_ALTER_CONFIGS) else 0,
            self._alter: 20,
            self._create: 20,
            self._describe: 15,
        }

    def run(self) -> None:
        """Run the walk."""
        for topic in self._topics:
            self.talk.topic(topic)
        everything = describe((TOPIC, self._topics[0], None), synonyms=False)
        newest = self.talk.latest(ApiKey.DESCRIBE_CONFIGS)
        answer = self.talk.expect(DescribeConfigsResponse, self.talk.quietly(everything, newest))
        values = {config.name: config.value or "" for config in answer.results[0].configs}
        self._names = sorted(values)
        self._numbers = {name for name, value in values.items() if value.lstrip("-").isdigit()}
        self.go(self._ways)
        for topic in self._topics:
            self.ask(f"all of {topic}", describe((TOPIC, topic, None)), newest)

    # What it may do.

    def _increment(self) -> None:
        topic = self._topic()
        changes = self._changes()
        self._change(
            f"increment {self._said(changes)}, {topic}",
            increment(TOPIC, topic, *changes, validate_only=self.happens(0.15)),
            self._version(ApiKey.INCREMENTAL_ALTER_CONFIGS),
        )

    def _alter(self) -> None:
        topic = self._topic()
        changes = [Change(each.name, each.value) for each in self._changes()]
        self._change(
            f"alter {self._said(changes)}, {topic}",
            alter(TOPIC, topic, *changes, validate_only=self.happens(0.15)),
            self._version(ApiKey.ALTER_CONFIGS),
        )

    def _create(self) -> None:
        """Validate the creation of a topic with such configs, without creating it."""
        changes = self._changes()
        configs = {each.name: each.value for each in changes}
        request = create_topics(new_topic("new", configs=configs), validate_only=True)
        version = max(1, self._version(ApiKey.CREATE_TOPICS))
        self.ask(f"create with {self._said(changes)}", request, version)

    def _change(self, title: str, request: Message, version: int) -> None:
        self.ask(title, request, version)
        self.talk.wait_a_moment(MOMENTS)

    def _describe(self) -> None:
        topic = self._topic()
        names = None if self.happens(0.3) else self.random.sample(self._names, 3)
        title = f"describe {'all' if names is None else ', '.join(names)}, {topic}"
        request = describe((TOPIC, topic, names), synonyms=self.happens(0.5))
        self.ask(title, request, self._version(ApiKey.DESCRIBE_CONFIGS))

    # What that takes.

    def _topic(self) -> str:
        return "missing" if self.happens(0.03) else self.random.choice(self._topics)

    def _changes(self) -> list[Change]:
        return [self._drawn() for _ in range(self.random.choice((1, 1, 1, 2)))]

    def _drawn(self) -> Change:
        name = self.random.choice(UNKNOWN_NAMES if self.happens(0.04) else self._names)
        is_number = (name in self._numbers) is not self.happens(0.15)
        value = self.random.choice(NUMBERS if is_number else WORDS)
        operation = self.drawn(OPERATIONS)
        has_value = operation is not Operation.DELETE and not self.happens(0.03)
        return Change(name, value if has_value else None, operation)

    def _said(self, changes: list[Change]) -> str:
        return " and ".join(
            f"{Operation(each.operation).name.lower()} {each.name}={each.value!r}"
            for each in changes
        )

    def _version(self, api_key: ApiKey) -> int:
        return self.random.choice(self.talk.versions(api_key))


def walk_configs(talk: Talk, seed: int) -> None:
    """Run a walk with a seed."""
    ConfigsWalk(talk, f"configs-{seed}", seed).run()

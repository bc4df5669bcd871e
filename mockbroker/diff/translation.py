"""Translation of what scripts call topics, groups and brokers to what a foreign broker has.

Scripts have fixed names and one broker, which is number 1. On a foreign broker each name gets a
prefix that only this run uses, so that nothing that exists is touched; the broker may have another
number and another address. Requests are translated on their way out, answers on their way back.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar, cast

from mockbroker.diff.topic_names_in_bytes import mapped_assignment, mapped_subscription
from mockbroker.protocol.schema.message import Message, Struct

MessageT = TypeVar("MessageT", bound=Message)
Mapped: TypeAlias = Callable[[str], str]

LONGEST_NAME: Final = 249
"""Kafka's limit for the name of a topic."""
SCRIPTS_BROKER: Final = 1
SCRIPTS_HOST: Final = "127.0.0.1"
UNCHANGED: Final = frozenset({"", ".", ".."})
INTERNAL: Final = "__"
REPETITIONS: Final = "*+?"
"""What is wrong at the start of an expression, but not behind a prefix."""

_NAMES: Final = frozenset(
    {
        "coordinator_keys",
        "group_id",
        "group_ids",
        "groups_names",
        "key",
        "repartition_sink_topics",
        "sink_topic",
        "source_topics",
        "subscribed_topic_names",
        "topic",
        "topic_name",
        "topic_names",
        "transactional_id",
        "transactional_ids",
        "v3_and_below_transactional_id",
    }
)
"""Fields of requests with names of topics, groups and transactions."""
_ALSO_NAMES: Final = frozenset({("DescribeGroupsRequest", "groups")})
_NOT_NAMES: Final = frozenset({("KeyValue", "key"), ("OpData", "key")})
_NAMED_TOPICS: Final = frozenset(
    {
        "AddPartitionsToTxnTopic",
        "AlterReplicaLogDirTopic",
        "CreatableTopic",
        "CreatePartitionsTopic",
        "DeleteRecordsTopic",
        "DeleteTopicState",
        "ListOffsetsTopic",
        "ListPartitionReassignmentsTopics",
        "MetadataRequestTopic",
        "OffsetCommitRequestTopic",
        "OffsetDeleteRequestTopic",
        "OffsetFetchRequestTopic",
        "OffsetFetchRequestTopics",
        "ReassignableTopic",
        "TopicInfo",
        "TopicProduceData",
        "TopicRequest",
        "TxnOffsetCommitRequestTopic",
        "WritableTxnMarkerTopic",
    }
)
"""Structs of requests whose field `name` is that of a topic."""
_EXPRESSIONS: Final = frozenset({"source_topic_regex", "subscribed_topic_regex"})
_BROKERS: Final = frozenset(
    {
        "adding_replicas",
        "broker_id",
        "broker_ids",
        "controller_id",
        "eligible_leader_replicas",
        "isr_nodes",
        "last_known_elr",
        "leader_id",
        "node_id",
        "offline_replicas",
        "preferred_read_replica",
        "removing_replicas",
        "replica_id",
        "replica_nodes",
        "replicas",
        "voter_id",
    }
)
"""Fields with ids of brokers."""
_TOPIC, _BROKER, _CLIENT_METRICS, _GROUP = 2, 4, 16, 32
"""Types of resources with configs."""
_CONFIGS_WITH_TOPICS: Final = frozenset({"errors.deadletterqueue.topic.name"})
_SUBSCRIPTIONS: Final = frozenset({"metadata", "member_metadata"})
_ASSIGNMENTS: Final = frozenset({"assignment", "member_assignment"})


@dataclass(slots=True)
class Translation:
    """Names of one script on a foreign broker, and the broker's own id and address."""

    prefix: str
    broker: int = SCRIPTS_BROKER
    host: str = SCRIPTS_HOST
    existing: frozenset[str] = frozenset()
    """Names of topics, groups and transactions of others, which answers leave out."""
    made: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])
    """Groups and client metrics that got configs, as resources."""
    _shortened: dict[str, str] = field(default_factory=dict[str, str])

    def outer(self, name: str) -> str:
        """Return a name on the broker; Kafka's own topics and what names nothing stay."""
        if name in UNCHANGED or name.isspace() or name.startswith(INTERNAL):
            return name
        if len(name) + len(self.prefix) <= LONGEST_NAME:
            return self.prefix + name
        outer = self.prefix + name[len(self.prefix) :]
        self._shortened[outer] = name
        return outer

    def inner(self, text: str) -> str:
        """Return a text of the broker with the script's names."""
        for outer, name in self._shortened.items():
            text = text.replace(outer, name)
        return text.replace(self.prefix, "")

    def expression(self, expression: str) -> str:
        """Return an expression that matches the same names on the broker, or is as wrong."""
        if not expression or not (expression[0] in REPETITIONS or "|" in expression):
            return self.outer(expression)
        outer = f"{self.prefix}(?:{expression})"
        self._shortened[outer] = expression
        return outer

    def broker_id(self, value: int) -> int:
        """Exchange the broker's id with that in scripts; the same in both directions."""
        return {self.broker: SCRIPTS_BROKER, SCRIPTS_BROKER: self.broker}.get(value, value)

    # Requests.

    def request(self, message: MessageT) -> MessageT:
        """Return a request as the broker gets it."""
        return cast("MessageT", self._request(message))

    def _request(self, struct: Any) -> Any:
        kind = type(struct).__name__
        fields = {name: getattr(struct, name) for name in struct.FIELDS}
        mapped = {name: self._requested(kind, name, value) for name, value in fields.items()}
        if "resource_type" in fields and "resource_name" in fields:
            mapped["resource_name"] = self._resource(struct.resource_type, struct.resource_name)
        if kind.endswith("Config") and fields.get("name") in _CONFIGS_WITH_TOPICS:
            mapped["value"] = _texts(fields["value"], self.outer)
        return type(struct)(**mapped)

    def _requested(self, kind: str, name: str, value: Any) -> Any:
        if isinstance(value, Struct):
            return self._request(value)
        if isinstance(value, list) and value and isinstance(value[0], Struct):
            return [self._request(each) for each in cast("list[Struct]", value)]
        if _is_name(kind, name):
            return _texts(value, self.outer)
        if name in _EXPRESSIONS:
            return _texts(value, self.expression)
        return self._common(name, value, self.outer)

    def _resource(self, kind: int, name: str) -> str:
        if kind == _BROKER and name.isdecimal():
            return str(self.broker_id(int(name)))
        if kind in {_GROUP, _CLIENT_METRICS} and name:
            self.made.add((kind, self.outer(name)))
        return self.outer(name) if kind in {_TOPIC, _GROUP, _CLIENT_METRICS} else name

    # Answers.

    def answer(self, message: MessageT, request: Message | None) -> MessageT:
        """Return an answer as the script gets it, without what belongs to others.

        A request of bytes, which is None here, may ask for anything.
        """
        if request is None or asks_for_all(request):
            self._leave_out(message)
        self._answer(message)
        return message

    def _answer(self, struct: Any) -> None:
        is_broker = getattr(struct, "resource_type", None) == _BROKER
        for name in struct.FIELDS:
            value = getattr(struct, name, None)
            if isinstance(value, Struct):
                self._answer(value)
            elif isinstance(value, list) and value and isinstance(value[0], Struct):
                for each in cast("list[Struct]", value):
                    self._answer(each)
            elif name == "resource_name" and is_broker and str(value).isdecimal():
                setattr(struct, name, str(self.broker_id(int(str(value)))))
            elif name == "host" and value == self.host:
                setattr(struct, name, SCRIPTS_HOST)
            elif name == "client_host" and value:
                setattr(struct, name, f"/{SCRIPTS_HOST}")
            else:
                setattr(struct, name, self._common(name, _texts(value, self.inner), self.inner))

    def _common(self, name: str, value: Any, mapped: Mapped) -> Any:
        if name in _BROKERS:
            return _numbers(value, self.broker_id)
        if isinstance(value, bytes) and name in _SUBSCRIPTIONS:
            return mapped_subscription(value, mapped)
        if isinstance(value, bytes) and name in _ASSIGNMENTS:
            return mapped_assignment(value, mapped)
        return value

    def _leave_out(self, struct: Any) -> None:
        for name in struct.FIELDS:
            value = getattr(struct, name, None)
            if isinstance(value, list) and value and isinstance(value[0], Struct):
                kept = [each for each in value if not self._is_of_others(each)]
                setattr(struct, name, kept)
                for each in kept:
                    self._leave_out(each)

    def _is_of_others(self, struct: Struct) -> bool:
        return any(
            getattr(struct, name, None) in self.existing
            for name in ("name", "topic", "group_id", "transactional_id")
        )


def asks_for_all(request: Message) -> bool:
    """Return whether a request asks for whatever there is: it names no topic or group."""
    if type(request).__name__ in {"ListGroupsRequest", "ListTransactionsRequest"}:
        return True
    is_listing = type(request).__name__ in {
        "DescribeLogDirsRequest",
        "DescribeTopicPartitionsRequest",
        "ElectLeadersRequest",
        "ListPartitionReassignmentsRequest",
        "MetadataRequest",
    }
    topics = getattr(request, "topics", getattr(request, "topic_partitions", None))
    return is_listing and not topics


def _is_name(kind: str, name: str) -> bool:
    if (kind, name) in _NOT_NAMES:
        return False
    return (
        name in _NAMES or (kind, name) in _ALSO_NAMES or (name == "name" and kind in _NAMED_TOPICS)
    )


def _texts(value: Any, mapped: Mapped) -> Any:
    """Map a text, or each text of a list; other values stay."""
    if isinstance(value, list):
        return [_texts(item, mapped) for item in value]
    return mapped(value) if isinstance(value, str) else value


def _numbers(value: Any, mapped: Callable[[int], int]) -> Any:
    """Map a number, or each number of a list; other values stay."""
    if isinstance(value, list):
        return [_numbers(item, mapped) for item in value]
    return mapped(value) if isinstance(value, int) else value

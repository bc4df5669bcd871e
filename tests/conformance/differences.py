"""Every explained difference between real Kafka and the product: the one list of them.

`docs/conformance.md` is made from it. An explanation whose difference is gone fails the tests.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Place:
    """Where a difference shows: a scenario, its steps, their fields (`*` stands for anything)."""

    scenario: str
    step: str = "*"
    field: str = "*"
    presets: tuple[str, ...] = ("4.4", "2.4")

    def covers(self, step: str, field: str) -> bool:
        """Say whether a field of a step is meant."""
        return _matches(self.step, step) and _matches(self.field, field)


def _matches(pattern: str, text: str) -> bool:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(expression, text, re.DOTALL) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A difference that is meant to be, with its reason."""

    what: str
    kafka: str
    ours: str
    reason: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Something that is refused on purpose, and with which answer."""

    what: str
    answer: str
    reason: str


NEW: Final = ("4.4",)
OLD: Final = ("2.4",)

EXPLAINED: Final[tuple[Explained, ...]] = (
    Explained(
        what="ApiVersions lists fewer APIs",
        kafka="lists every API of its release",
        ours="lists the APIs that are served",
        reason="What is advertised is what is served: a client that finds an API may use it.",
        places=(
            Place("api_versions", field="api_keys.*"),
            Place("api_versions_too_new", "the connection goes on", "api_keys.*"),
            Place("api_versions_software_names", field="api_keys.*"),
            Place("api_versions_wrong_cluster", field="api_keys.*", presets=NEW),
        ),
    ),
    Explained(
        what="Produce with null records",
        kafka="never answers",
        ours="INVALID_RECORD for that partition",
        reason="An answer that never comes is a bug of the broker; nobody can test against it.",
        places=(Place("produce_null_records", "null records", presets=NEW),),
    ),
    Explained(
        what="A batch of a transaction that nobody began",
        kafka="NOT_ENOUGH_REPLICAS, as it finds no coordinator; 2.4 accepts it",
        ours="INVALID_TXN_STATE",
        reason="Transactions are not served.",
        places=(Place("produce_transactional_id", "a transaction that nobody began"),),
    ),
    Explained(
        what="AlterConfigs that names a resource twice",
        kafka="never answers",
        ours="INVALID_REQUEST, as IncrementalAlterConfigs does",
        reason="An answer that never comes is a bug of the broker.",
        places=(Place("alter_topic_configs", "a topic twice", presets=NEW),),
    ),
    Explained(
        what="A Fetch with an isolation level that is none",
        kafka="closes the connection",
        ours="UNKNOWN_SERVER_ERROR, as later releases do",
        reason="No client sends it; an answer tells more than a closed connection.",
        places=(Place("fetch_read_committed", "an isolation level that is none", presets=OLD),),
    ),
    Explained(
        what="A Fetch with a current leader epoch below -1",
        kafka="FENCED_LEADER_EPOCH",
        ours="takes it for -1, as later releases do",
        reason="No client sends it.",
        places=(Place("fetch_leader_epochs", "current -2, *", presets=OLD),),
    ),
    Explained(
        what="A gzip stream that ends too early",
        kafka="INVALID_RECORD",
        ours="UNKNOWN_SERVER_ERROR, as for every other broken compression",
        reason="It depends on how far Java's reader gets before it notices.",
        places=(Place("produce_invalid_batches", "gzip cut off", "*.error_code", presets=OLD),),
    ),
    Explained(
        what="A topic's assignment that is only validated",
        kafka="may name brokers that are not there, or none; the refusals have texts of their own",
        ours="is refused as it is when the topic is to be made",
        reason="What is found valid can be made, as in later releases.",
        places=(
            Place("create_topics_assignments", "[(0, [])]", presets=OLD),
            Place("create_topics_assignments", "[(0, [9])]", presets=OLD),
            Place("create_topics_assignments", "[(0, [-1])]", presets=OLD),
            Place("create_topics_assignments", "[(0, [1, 9])]", presets=OLD),
            Place("create_topics_assignments", "[(-1, [1])]", presets=OLD),
            Place("create_topics_assignments", "[(0, [1, 1])]", "*.error_message", OLD),
            Place("create_topics_assignments", "[(0, [1]), (1, [])]", "*.error_message", OLD),
        ),
    ),
    Explained(
        what="Topics with a message.format.version before 0.11",
        kafka="stores and returns messages of that format, and refuses record headers",
        ours="stores record batches, whatever the topic says; old Fetch versions are converted for",
        reason="The setting was for brokers during their upgrade, and is ignored since Kafka 3.0.",
        places=(
            Place("produce_to_old_formats", "*0.9.0", presets=OLD),
            Place("produce_to_old_formats", "*0.10.0", presets=OLD),
        ),
    ),
    Explained(
        what="A Fetch that comes to the end of a segment",
        kafka="ends there",
        ours="goes on in the next segment, as far as its limits let it",
        reason="Consumers get the same records, in fewer answers.",
        places=(
            Place("fetch_ends_with_a_segment", "from *", "*.partitions.0.records.*", presets=OLD),
        ),
    ),
    Explained(
        what="The documentation of configs",
        kafka="a text for each",
        ours="null",
        reason="The texts are Kafka's; clients only show them.",
        places=(
            Place("describe_topic_configs", "some, explained, *", "*.documentation", presets=NEW),
        ),
    ),
    Explained(
        what="Configs of listeners, controllers, ZooKeeper and directories",
        kafka="those that the recorded brokers were started with",
        ours="its own listener; no controller quorum, no ZooKeeper, no directory",
        reason="There is no second process, and nothing is kept on disk.",
        places=(
            *(
                Place("describe_broker_configs", "all", f"results.0.configs.{name}.*", presets=NEW)
                for name in (
                    "controller.quorum.voters",
                    "inter.broker.listener.name",
                    "listener.security.protocol.map",
                    "listeners",
                    "log.dirs",
                )
            ),
            *(
                Place("describe_broker_configs", "all", f"results.0.configs.{name}.*", presets=OLD)
                for name in ("advertised.listeners", "log.dirs", "zookeeper.connect")
            ),
        ),
    ),
    Explained(
        what="A change of listeners while a broker runs",
        kafka="is checked against the other listeners, and accepted by 2.4",
        ours="cannot be made, like any other config that is not dynamic",
        reason="A mock broker listens where it was told to when it was started.",
        places=(Place("alter_broker_configs", "'1': listeners=*"),),
    ),
    Explained(
        what="The text of a NullPointerException",
        kafka="the text that Java makes of it, which depends on the version of Java",
        ours="null; the error code is the same",
        reason="IncrementalAlterConfigs of 2.4 fails so when it appends to a list that is not set.",
        places=(
            Place("incremental_alter_configs_refusals", "cleanup.policy=*", "*_message", OLD),
            Place("incremental_alter_topic_configs", field="*_message", presets=OLD),
        ),
    ),
)

REFUSED: Final[tuple[Refused, ...]] = (
    Refused(
        what="APIs that are not served, versions that a release does not have",
        answer="the connection is closed, and the log says why",
        reason="It is what Kafka does.",
    ),
    Refused(
        what="Produce v0–2 as 4.4 advertises them",
        answer="the connection is closed",
        reason="It is what Kafka 4 does: the versions are only listed for old librdkafka's sake.",
    ),
    Refused(
        what="InitProducerId with a transactional id",
        answer="UNSUPPORTED_VERSION",
        reason="Transactions are not served.",
    ),
    Refused(
        what="Transactional batches",
        answer="INVALID_TXN_STATE; TRANSACTIONAL_ID_AUTHORIZATION_FAILED without an id",
        reason="Transactions are not served.",
    ),
    Refused(
        what="TLS and SASL listeners",
        answer="an error at the start that names the setting",
        reason="Every listener is plaintext.",
    ),
    Refused(
        what="Releases other than those above",
        answer="an error at the start that names those there are",
        reason="A release is only offered when its answers were recorded.",
    ),
    Refused(
        what="Produce when memory is used up (`mockbroker.memory.bytes`)",
        answer="KAFKA_STORAGE_ERROR, and a log line that names the topic and the setting",
        reason="Nothing that was accepted is lost silently.",
    ),
)

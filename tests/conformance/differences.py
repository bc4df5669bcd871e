"""List of every explained difference between real Kafka and mockbroker.

`docs/conformance.md` is generated from it. An explanation without a difference fails the tests.
"""

import re
from dataclasses import dataclass
from typing import Final

from tests.conformance.releases import defaults_since, since, until


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a difference: a scenario, its steps, their fields (`*` matches anything)."""

    scenario: str
    step: str = "*"
    field: str = "*"
    presets: tuple[str, ...] = ()
    """The releases, by `Release.name`; none stands for all that are asked."""

    def covers(self, step: str, field: str) -> bool:
        """Return whether a field of a step matches."""
        return _matches(self.step, step) and _matches(self.field, field)


def _matches(pattern: str, text: str) -> bool:
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(expression, text, re.DOTALL) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """An intended difference, with its reason."""

    what: str
    kafka: str
    ours: str
    reason: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An intentionally refused request, with its response."""

    what: str
    answer: str
    reason: str


NEW: Final = ("4.4",)
OLDEST: Final = until("1.1")
WITH_ZOOKEEPER: Final = until("2.8")
WITH_KRAFT: Final = defaults_since("3.9")
NEWER_GROUPS: Final = ("group", "share", "streams")
VERSIONED: Final = ("software_names", "too_new", "wrong_cluster")

EXPLAINED: Final[tuple[Explained, ...]] = (
    Explained(
        what="ApiVersions does not list what brokers ask each other",
        kafka="lists LeaderAndIsr, StopReplica, UpdateMetadata and the like to clients too",
        ours="lists the APIs that are served, which are all others",
        reason="What is advertised is what is served, and no broker asks another here.",
        places=(
            Place("api_versions", field="api_keys.*", presets=WITH_ZOOKEEPER),
            Place("api_versions_too_new", "the connection goes on", "api_keys.*", WITH_ZOOKEEPER),
            Place("api_versions_software_names", field="api_keys.*", presets=("2.4", "2.8")),
        ),
    ),
    Explained(
        what="The group protocols after the classic one",
        kafka="a new cluster begins with group.version, share.version and streams.version on",
        ours="they are off, as after an upgrade: what is asked of them is UNSUPPORTED_VERSION",
        reason="The protocols are not served, and clients are told so as Kafka does (4.4-classic).",
        places=(
            *(
                Place(name, field=f"finalized_features.{feature}.version", presets=NEW)
                for name in ("api_versions", *(f"api_versions_{each}" for each in VERSIONED))
                for feature in NEWER_GROUPS
            ),
            *(
                Place("features_of_transactions", "finalized features", f"{feature}.version")
                for feature in NEWER_GROUPS
            ),
        ),
    ),
    Explained(
        what="Telemetry of clients that were not asked for it",
        kafka="does not advertise the APIs where nobody receives metrics, and answers them",
        ours="closes the connection, as for every API that is not advertised",
        reason="No client asks for what is not advertised.",
        places=(Place("telemetry_without_a_receiver"),),
    ),
    Explained(
        what="A user's name with odd characters, described with all others",
        kafka="as it is written in a path: `a%2Fb` for `a/b`",
        ours="as it was given, as later releases do",
        reason="A client could not ask for that user by the name it is told.",
        places=(
            Place("scram_credentials_that_are_refused", "*odd name", "results.*.user", ("2.8",)),
        ),
    ),
    Explained(
        what="Produce with null records",
        kafka="never answers",
        ours="INVALID_RECORD for that partition",
        reason="An answer that never comes is a bug of the broker; nobody can test against it.",
        places=(Place("produce_null_records", "null records", presets=WITH_KRAFT),),
    ),
    Explained(
        what="WriteTxnMarkers that names a partition twice for one marker",
        kafka="appends the marker once, and never answers",
        ours="appends the marker once, and answers as older releases do",
        reason="An answer that never comes is a bug of the broker.",
        places=(
            Place("markers_that_name_a_partition_twice", "a partition twice", presets=since("3.9")),
        ),
    ),
    Explained(
        what="AddPartitionsToTxn v4 and later of no transaction at all",
        kafka="never answers",
        ours="an empty list",
        reason="An answer that never comes is a bug of the broker.",
        places=(Place("add_partitions_batched", "none, *"),),
    ),
    Explained(
        what="ElectLeaders of all partitions with an election type that is none",
        kafka="never answers",
        ours="UNKNOWN_SERVER_ERROR, as where partitions are named",
        reason="An answer that never comes is a bug of the broker.",
        places=(Place("elect_leaders", "type *, all, *", presets=("2.4", "2.8")),),
    ),
    Explained(
        what="AlterConfigs that names a resource twice",
        kafka="never answers",
        ours="INVALID_REQUEST, as IncrementalAlterConfigs does; in 2.8 the last one counts",
        reason="An answer that never comes is a bug of the broker.",
        places=(Place("alter_topic_configs", "a topic twice", presets=("2.8", *WITH_KRAFT)),),
    ),
    Explained(
        what="The aborted transactions of a Fetch with an isolation level that is none",
        kafka="null",
        ours="an empty list, as later releases have it",
        reason="No client sends it.",
        places=(
            Place(
                "fetch_read_committed",
                "an isolation level that is none",
                "*.aborted_transactions",
                ("2.8",),
            ),
        ),
    ),
    Explained(
        what="A gzip stream that ends too early",
        kafka="INVALID_RECORD",
        ours="UNKNOWN_SERVER_ERROR, as for every other broken compression",
        reason="It depends on how far Java's reader gets before it notices.",
        places=(
            Place("produce_invalid_batches", "gzip cut off", "*.error_code", WITH_ZOOKEEPER),
            Place("produce_invalid_batches", "gzip cut off", "*_offset", ("1.1", "2.3")),
        ),
    ),
    Explained(
        what="A topic's assignment that is only validated",
        kafka="may name brokers that are not there, or none; the refusals have texts of their own",
        ours="is refused as it is when the topic is to be made",
        reason="What is found valid can be made, as in later releases.",
        places=(
            *(
                Place("create_topics_assignments", step, presets=WITH_ZOOKEEPER)
                for step in ("[(0, [])]", "[(0, [9])]", "[(0, [-1])]", "[(0, [1, 9])]")
            ),
            *(
                Place("create_topics_assignments", step, "*.error_message", WITH_ZOOKEEPER)
                for step in ("[(0, [1, 1])]", "[(0, [1]), (1, [])]")
            ),
            Place("create_topics_assignments", "[(-1, [1])]", presets=WITH_ZOOKEEPER),
            Place("create_topics_assignments", "[(1, [1])]", presets=OLDEST),
            Place("create_topics_assignments", "[(0, [1]), (2, [1])]", presets=OLDEST),
        ),
    ),
    Explained(
        what="Configs of listeners, controllers, ZooKeeper and directories",
        kafka="those that the recorded brokers were started with",
        ours="its own listener; no controller quorum, no ZooKeeper, no directory",
        reason="There is no second process, and nothing is kept on disk.",
        places=(
            *(
                Place("describe_broker_configs", "all", f"*.configs.{name}.*", WITH_KRAFT)
                for name in (
                    "controller.quorum.voters",
                    "inter.broker.listener.name",
                    "listener.security.protocol.map",
                    "listeners",
                    "log.dirs",
                )
            ),
            *(
                Place("describe_broker_configs", "all", f"*.configs.{name}.*", WITH_ZOOKEEPER)
                for name in ("advertised.listeners", "log.dirs", "zookeeper.connect")
            ),
            # 3.9 describes settings that it does not know; the recorded broker had two.
            Place("describe_broker_configs", "all", "*.configs.share.*", ("3.9",)),
        ),
    ),
    Explained(
        what="Where controllers listen",
        kafka="DescribeQuorum names the controllers' own listeners",
        ours="DescribeQuorum names the controllers, and no listener",
        reason="Brokers are their own controllers here, and controllers have nobody to talk to.",
        places=(
            Place("describe_quorum", "*, v2", "nodes.*.listeners.*"),
            Place("describe_quorum_of_three", "*, v2", "nodes.*.listeners.*"),
        ),
    ),
    Explained(
        what="UnregisterBroker of a broker that lives",
        kafka="forgets the broker, which goes on without being found",
        ours="INVALID_REQUEST",
        reason="Nothing brings the broker back but a restart, which there is not here.",
        places=(
            Place("unregister_a_broker_that_lives", "one that lives"),
            Place("unregister_a_broker_that_lives", "again"),
            Place("unregister_a_broker_that_lives", "brokers that are left"),
        ),
    ),
    Explained(
        what="UpdateFeatures that lets the voters of the quorum change",
        kafka="raises kraft.version to 1, for good",
        ours="INVALID_UPDATE_VERSION",
        reason="The voters are the brokers, and those stay.",
        places=(Place("update_several_features", "kraft.version to 1"),),
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
            Place(
                "incremental_alter_configs_refusals",
                "cleanup.policy=*",
                "*_message",
                ("2.3", "2.4"),
            ),
            Place("incremental_alter_topic_configs", field="*_message", presets=("2.3", "2.4")),
        ),
    ),
    Explained(
        what="A timestamp type that is none",
        kafka="accepted when a topic is only validated",
        ours="refused like any other wrong value",
        reason="The topic would fail when it is made.",
        places=(Place("create_topics_configs", "message.timestamp.type='log*", presets=OLDEST),),
    ),
    Explained(
        what="DeleteTopics where that is disabled",
        kafka="never answers",
        ours="INVALID_REQUEST, as 2.4 does in the same versions",
        reason="An answer that never comes is a bug of the broker.",
        places=(Place("delete_topics_is_disabled", presets=OLDEST),),
    ),
    Explained(
        what="DeleteTopics of one topic by its name and by its id, or by neither",
        kafka="deletes it twice, and remembers the id; TOPIC_AUTHORIZATION_FAILED for neither",
        ours="INVALID_REQUEST, as later releases do",
        reason="Names and ids were new then, and clients name a topic once.",
        places=(
            Place("delete_topics_by_id", "neither", presets=("2.8",)),
            Place("delete_topics_by_id", "id and name", presets=("2.8",)),
            Place("delete_topics_by_id", "by *", presets=("2.8",)),
        ),
    ),
    Explained(
        what="How much space converted records leave",
        kafka="as much as its compressors make of them",
        ours="as much as ours do",
        reason="What fills the space is no record; 3.9 has other versions of the compressors.",
        places=(
            Place("fetch_down_converted", "from *", "*.cut off", ("3.9",)),
            Place("produce_message_sets", "read back *", "*.cut off", ("3.9",)),
            Place("walk_log_4", "*fetch *", "*.cut off", ("3.9",)),
        ),
    ),
    Explained(
        what="OffsetCommit v0 of a group that has members, or no name",
        kafka="keeps it in ZooKeeper, beside what the group commits, for whoever asks with v0",
        ours="is taken as in later versions, and kept with what the group commits",
        reason="Nothing is kept in ZooKeeper here, and consumers have not sent it since 0.8.",
        places=(
            Place("a_group_without_a_name", "a: commits for *", presets=WITH_ZOOKEEPER),
            Place("commits_in_every_state", "*, v0", presets=WITH_ZOOKEEPER),
            Place("commits_of_simple_groups", "what is left, v0", presets=WITH_ZOOKEEPER),
        ),
    ),
    Explained(
        what="The protocol of a group when equally many members prefer one or another",
        kafka="up to 3.9 the one that comes first in a hash table of Scala's",
        ours="the one that comes first in a hash table of Java's, as in 4.4",
        reason="Every member speaks either; which one it is depends on no rule.",
        places=(Place("a_protocol_is_chosen_by_equal_votes", presets=until("3.9")),),
    ),
    Explained(
        what="What a request names twice: a group, or a partition of committed offsets",
        kafka="is answered once or twice; in 2.4 OffsetDelete gives whole topics twice",
        ours="is answered as by 4.4 or, where offsets are committed, by 2.4",
        reason="It depends on which tables a release goes through; clients name things once.",
        places=(
            Place("offsets_are_deleted", presets=("2.4",)),
            Place("offsets_are_deleted", "of a simple group: *", presets=("2.8", "3.9")),
            Place("the_log_of_a_group", "delete an offset", presets=("2.4",)),
            Place("commits_of_simple_groups", "a: commits twice", presets=("3.9",)),
            Place("groups_are_described", "one twice, *", presets=OLDEST),
        ),
    ),
    Explained(
        what="OffsetFetch v8 and v9 of no group at all",
        kafka="never answers",
        ours="an empty list, as later releases do",
        reason="An answer that never comes is a bug of the broker.",
        places=(Place("offsets_of_several_groups", "none, *", presets=("3.9",)),),
    ),
    Explained(
        what="DeleteGroups of a group without a name",
        kafka="INVALID_GROUP_ID",
        ours="GROUP_ID_NOT_FOUND, as later releases do",
        reason="There is no such group, either way.",
        places=(Place("a_group_without_a_name", "delete *", presets=("1.1",)),),
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
        what="APIs between brokers, and between brokers and controllers, in brackets above",
        answer="the connection is closed",
        reason="A cluster is one process: no other broker joins it.",
    ),
    Refused(
        what="Throttling by client quotas",
        answer="quotas are kept and described, and `throttle_time_ms` is 0",
        reason="A test is not slowed down by what it sets.",
    ),
    Refused(
        what="Quotas for an address that is a name, but for `localhost`",
        answer="INVALID_REQUEST, as for a name that cannot be resolved",
        reason="No name is looked up: the same requests give the same answers everywhere.",
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
        what="FindCoordinator before there is the internal topic",
        answer="the coordinator, where Kafka first answers COORDINATOR_NOT_AVAILABLE",
        reason="No test waits for that; `mockbroker.internal.topics.at.once=false` has it back.",
    ),
    Refused(
        what="Produce when memory is used up (`mockbroker.memory.bytes`)",
        answer="KAFKA_STORAGE_ERROR, and a log line that names the topic and the setting",
        reason="Nothing that was accepted is lost silently.",
    ),
)

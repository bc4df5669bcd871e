"""List of every explained difference between real Kafka and mockbroker.

`docs/conformance.md` is generated from it. An explanation without a difference fails the tests.
"""

from typing import Final

from tests.conformance.explained import Explained, Place, Refused
from tests.conformance.releases import CONSUMERS_OF_3_9, between, defaults_since, since, until
from tests.conformance.replica_differences import OF_REPLICAS
from tests.conformance.rights_differences import OF_RIGHTS
from tests.conformance.tls_differences import OF_TLS

OLDEST: Final = until("1.1")
WITH_ZOOKEEPER: Final = until("2.8")
WITH_KRAFT: Final = defaults_since("3.6")
SINCE_3_9: Final = defaults_since("3.9")

EXPLAINED: Final[tuple[Explained, ...]] = (
    *OF_REPLICAS,
    *OF_RIGHTS,
    *OF_TLS,
    Explained(
        what="ApiVersions does not list the APIs between brokers",
        kafka="lists LeaderAndIsr, StopReplica, UpdateMetadata and the like to clients too",
        ours="lists the APIs that are served, which are all others",
        reason="All advertised APIs are served, and brokers send each other no requests here.",
        places=(
            Place("api_versions", field="api_keys.*", presets=WITH_ZOOKEEPER),
            Place("api_versions_too_new", "the connection goes on", "api_keys.*", WITH_ZOOKEEPER),
            Place("api_versions_software_names", field="api_keys.*", presets=between("2.4", "2.8")),
        ),
    ),
    Explained(
        what="Consumer groups that a config of 3.9 turns on",
        kafka="logs a group's topics as a record",
        ours="writes the records of 4.4, with a hash of the topics",
        reason="The consumer protocol is a preview in 3.9.",
        places=(Place("the_log_of_a_consumer_group", presets=(CONSUMERS_OF_3_9,)),),
    ),
    Explained(
        what="Client telemetry that the broker did not request",
        kafka="without a metrics receiver, does not advertise the APIs but answers them",
        ours="closes the connection, as for every API that is not advertised",
        reason="Clients do not send requests that are not advertised.",
        places=(Place("telemetry_without_a_receiver"),),
    ),
    Explained(
        what="DescribeShareGroupOffsets of a partition that is not there",
        kafka="answers after half a minute, when its persister has tried five times",
        ours="gives the same answer at once",
        reason="The answer does not change meanwhile, and tests need not wait for it.",
        places=(Place("offsets_of_an_unknown_share_partition", field="(waited)"),),
    ),
    Explained(
        what="A user name with special characters, when all users are described",
        kafka="returns it percent-encoded: `a%2Fb` for `a/b`",
        ours="returns it unchanged, as later releases do",
        reason="A client could not describe that user by the returned name.",
        places=(
            Place("scram_credentials_that_are_refused", "*odd name", "results.*.user", ("2.8",)),
        ),
    ),
    Explained(
        what="Produce with null records",
        kafka="never answers",
        ours="INVALID_RECORD for that partition",
        reason="A missing response is a bug of the broker, and cannot be tested against.",
        places=(Place("produce_null_records", "null records", presets=SINCE_3_9),),
    ),
    Explained(
        what="WriteTxnMarkers that names a partition twice for one marker",
        kafka="appends the marker once, and never answers",
        ours="appends the marker once, and answers as older releases do",
        reason="A missing response is a bug of the broker.",
        places=(Place("markers_that_name_a_partition_twice", "*twice", presets=since("3.9")),),
    ),
    Explained(
        what="AddPartitionsToTxn v4 and later without any transaction",
        kafka="never answers",
        ours="an empty list",
        reason="A missing response is a bug of the broker.",
        places=(Place("add_partitions_batched", "none, *"),),
    ),
    Explained(
        what="ElectLeaders of all partitions with an invalid election type",
        kafka="never answers",
        ours="UNKNOWN_SERVER_ERROR, as when partitions are named",
        reason="A missing response is a bug of the broker.",
        places=(Place("elect_leaders", "type *, all, *", presets=between("2.4", "2.8")),),
    ),
    Explained(
        what="AlterConfigs that names a resource twice",
        kafka="never answers",
        ours="INVALID_REQUEST, as IncrementalAlterConfigs does; in 2.8 the last one counts",
        reason="A missing response is a bug of the broker.",
        places=(Place("alter_topic_configs", "a topic twice", presets=("2.8", *WITH_KRAFT)),),
    ),
    Explained(
        what="The aborted transactions of a Fetch with an invalid isolation level",
        kafka="null",
        ours="an empty list, as in later releases",
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
        reason="Kafka's error depends on how far Java reads before it notices the end.",
        places=(
            Place("produce_invalid_batches", "gzip cut off", "*.error_code", WITH_ZOOKEEPER),
            Place("produce_invalid_batches", "gzip cut off", "*_offset", between("1.0", "2.3")),
        ),
    ),
    Explained(
        what="A replica assignment that is only validated (CreateTopics)",
        kafka="accepts unknown brokers or none; its refusals have other texts",
        ours="refuses what it refuses when it creates the topic",
        reason="A topic that was validated can be created, as in later releases.",
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
        kafka="the values that the recorded brokers were started with",
        ours="its own listener; no controller quorum, no ZooKeeper, no directories",
        reason="There is no second process, and nothing is stored on disk.",
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
                for name in ("advertised.listeners", "log.dirs", "zookeeper.connect*")
            ),
            # Up to 3.9, settings without a definition are described; the recorded broker had two.
            Place("describe_broker_configs", "all", "*.configs.share.*", between("3.6", "3.9")),
        ),
    ),
    Explained(
        what="The listeners of controllers",
        kafka="DescribeQuorum names the controllers' own listeners",
        ours="DescribeQuorum names the controllers, and no listener",
        reason="The brokers are the controllers here, which need no listeners of their own.",
        places=(
            Place("describe_quorum", "*, v2", "nodes.*.listeners.*", SINCE_3_9),
            Place("describe_quorum_of_three", "*, v2", "nodes.*.listeners.*", SINCE_3_9),
        ),
    ),
    Explained(
        what="UnregisterBroker of a running broker",
        kafka="removes the broker, which continues to run but is no longer listed",
        ours="INVALID_REQUEST",
        reason="Only a restart registers the broker again, which does not exist here.",
        places=(
            Place("unregister_a_broker_that_lives", "one that lives"),
            Place("unregister_a_broker_that_lives", "again"),
            Place("unregister_a_broker_that_lives", "brokers that are left"),
        ),
    ),
    Explained(
        what="UpdateFeatures of kraft.version, which allows changes of the quorum's voters",
        kafka="raises kraft.version to 1, permanently",
        ours="INVALID_UPDATE_VERSION",
        reason="The voters are the brokers, whose set does not change.",
        places=(Place("update_several_features", "kraft.version to 1"),),
    ),
    Explained(
        what="A change of the listeners of a running broker",
        kafka="checks it against the other listeners; 2.4 accepts it",
        ours="refuses it, like a change of any other config that is not dynamic",
        reason="The listeners of a mock broker are fixed at its start.",
        places=(Place("alter_broker_configs", "'1': listeners=*"),),
    ),
    Explained(
        what="The text of a NullPointerException",
        kafka="Java's text, which depends on the version of Java",
        ours="null; the error code is the same",
        reason="Up to 2.5, IncrementalAlterConfigs fails like this on an unset list.",
        places=(
            Place(
                "incremental_alter_configs_refusals",
                "cleanup.policy=*",
                "*_message",
                between("2.3", "2.5"),
            ),
            Place(
                "incremental_alter_lists_with_empty_parts",
                field="*_message",
                presets=between("2.3", "2.5"),
            ),
            Place(
                "incremental_alter_topic_configs",
                field="*_message",
                presets=between("2.3", "2.5"),
            ),
        ),
    ),
    Explained(
        what="An invalid timestamp type",
        kafka="accepted when a topic is only validated",
        ours="refused like any other wrong value",
        reason="The creation of the topic would fail.",
        places=(Place("create_topics_configs", "message.timestamp.type='log*", presets=OLDEST),),
    ),
    Explained(
        what="DeleteTopics if deletion is disabled",
        kafka="never answers",
        ours="INVALID_REQUEST, as 2.4 does in the same versions",
        reason="A missing response is a bug of the broker.",
        places=(Place("delete_topics_is_disabled", presets=OLDEST),),
    ),
    Explained(
        what="DeleteTopics of one topic by both name and id, or by neither",
        kafka="deletes it twice and remembers the id; TOPIC_AUTHORIZATION_FAILED for neither",
        ours="INVALID_REQUEST, as later releases do",
        reason="Topic ids were new in that release, and clients name a topic once.",
        places=(
            Place("delete_topics_by_id", "neither", presets=("2.8",)),
            Place("delete_topics_by_id", "id and name", presets=("2.8",)),
            Place("delete_topics_by_id", "by *", presets=("2.8",)),
        ),
    ),
    Explained(
        what="DeleteRecords up to the end on 1.0, after a batch outside of an open transaction",
        kafka="UNKNOWN_SERVER_ERROR; the last stable offset is before the log start until a write",
        ours="UNKNOWN_SERVER_ERROR; the last stable offset is the log start offset",
        reason="Nobody can read before the log start, and the next write puts it right.",
        places=(
            Place("delete_records_before_what_was_refused", "*--1-2: delete*", presets=("1.0",)),
        ),
    ),
    Explained(
        what="The padding after converted records",
        kafka="depends on the size that its compressors produce",
        ours="depends on the size that its own compressors produce",
        reason="The padding contains no records; 3.6 and 3.9 have other versions of them.",
        places=(
            Place("fetch_down_converted", "from *", "*.cut off", between("3.6", "3.9")),
            Place("produce_message_sets", "read back *", "*.cut off", between("3.6", "3.9")),
            Place("walk_log_3", "*fetch *", "*.cut off", ("3.6",)),
            Place("walk_log_4", "*fetch *", "*.cut off", ("3.9",)),
        ),
    ),
    Explained(
        what="OffsetCommit v0 of a group with members, or with an empty name",
        kafka="stores it in ZooKeeper, apart from the group's commits; OffsetFetch v0 reads it",
        ours="treats it like later versions, and stores it with the group's commits",
        reason="There is no ZooKeeper here, and consumers have not sent v0 since 0.8.",
        places=(
            Place("a_group_without_a_name", "a: commits for *", presets=WITH_ZOOKEEPER),
            Place("commits_in_every_state", "*, v0", presets=WITH_ZOOKEEPER),
            Place("commits_of_simple_groups", "what is left, v0", presets=WITH_ZOOKEEPER),
        ),
    ),
    Explained(
        what="The protocol of a group when several have equally many votes",
        kafka="up to 3.9, the first in the order of Scala's hash table",
        ours="the first in the order of Java's hash table, as in 4.4",
        reason="All members support each of them, and no rule defines the choice.",
        places=(Place("a_protocol_is_chosen_by_equal_votes", presets=until("3.9")),),
    ),
    Explained(
        what="A group or a partition that a request names twice",
        kafka="answers it once or twice; up to 2.5 OffsetDelete returns whole topics twice",
        ours="answers as 4.4 does; for OffsetCommit as 2.4 does",
        reason="It depends on internals of each release; clients name each of them once.",
        places=(
            Place("offsets_are_deleted", presets=between("2.4", "2.5")),
            Place("offsets_are_deleted", "of a simple group: *", presets=between("2.8", "3.9")),
            Place("the_log_of_a_group", "delete an offset", presets=between("2.4", "2.5")),
            Place("commits_of_simple_groups", "a: commits twice", presets=between("3.6", "3.9")),
            Place("groups_are_described", "one twice, *", presets=OLDEST),
        ),
    ),
    Explained(
        what="OffsetFetch v8 and v9 without any group",
        kafka="never answers",
        ours="an empty list, as later releases do",
        reason="A missing response is a bug of the broker.",
        places=(Place("offsets_of_several_groups", "none, *", presets=between("3.6", "3.9")),),
    ),
    Explained(
        what="DeleteGroups of a group with an empty name",
        kafka="INVALID_GROUP_ID",
        ours="GROUP_ID_NOT_FOUND, as later releases do",
        reason="Such a group cannot exist in either case.",
        places=(Place("a_group_without_a_name", "delete *", presets=("1.1",)),),
    ),
)

REFUSED: Final[tuple[Refused, ...]] = (
    Refused(
        what="APIs that are not served, and versions that the release does not have",
        answer="the connection is closed, with the reason in the log",
        reason="Kafka does the same.",
    ),
    Refused(
        what="Produce v0–2, which 4.4 advertises",
        answer="the connection is closed",
        reason="Kafka 4 does the same: it lists the versions only for old versions of librdkafka.",
    ),
    Refused(
        what="APIs between brokers, and between brokers and controllers, in brackets above",
        answer="the connection is closed",
        reason="A cluster is one process, which no other broker joins.",
    ),
    Refused(
        what="CreateTopics and CreatePartitions for more than 100,000 partitions before 3.6",
        answer="POLICY_VIOLATION, as since 3.6 for more than 10,000",
        reason="Kafka tries, and can run out of memory; here a request must not end the process.",
    ),
    Refused(
        what="CreatePartitions for more than 10,000 partitions on 3.6 and 3.9",
        answer="UNKNOWN_SERVER_ERROR as in Kafka, and none of the topic's partitions is added",
        reason="Kafka adds those that fit into its batch, against its own response.",
    ),
    Refused(
        what="The time that a request costs of `request_percentage`",
        answer="each request counts as one millisecond of a thread",
        reason="Real times differ, and a test would be throttled at another point in each run.",
    ),
    Refused(
        what="Throttling by `controller_mutation_rate` and `connection_creation_rate`",
        answer="these quotas are stored and described, and throttle nobody",
        reason="They protect a controller and an acceptor that are not there.",
    ),
    Refused(
        what="Quotas for a host name other than `localhost`",
        answer="INVALID_REQUEST, as for a name that cannot be resolved",
        reason="Names are not resolved, so that responses are the same on every machine.",
    ),
    Refused(
        what="Key stores and trust stores in JKS",
        answer="an error at the start with the command that converts the store",
        reason="Only Java reads the format. PKCS12 and PEM are read.",
    ),
    Refused(
        what="TLS before version 1.2, and a choice among the cipher suites of TLS 1.3",
        answer="older versions are not offered; a suite of TLS 1.3 stands for all of them",
        reason="Java 17 and OpenSSL turn them off; Python's ssl cannot choose those suites.",
    ),
    Refused(
        what="The SASL mechanism GSSAPI, and classes of one's own for OAUTHBEARER",
        answer="an error at the start that names the mechanism, or the class",
        reason="Kerberos needs servers of its own. Kafka's own classes for tokens are served.",
    ),
    Refused(
        what="SCRAM with a delegation token",
        answer="SASL_AUTHENTICATION_FAILED, as for an unknown token",
        reason="No delegation tokens are created.",
    ),
    Refused(
        what="Authorizers of one's own, and the deprecated `SimpleAclAuthorizer` of 2.4 and 2.8",
        answer="an error at the start that names the class that is served",
        reason="An authorizer is offered only if its decisions were recorded.",
    ),
    Refused(
        what="Releases other than those above",
        answer="an error at the start that lists the releases",
        reason="A release is offered only if its responses were recorded.",
    ),
    Refused(
        what="FindCoordinator before the internal topic exists",
        answer="the coordinator; Kafka first returns COORDINATOR_NOT_AVAILABLE",
        reason="Tests need not wait; `mockbroker.internal.topics.at.once=false` turns it off.",
    ),
    Refused(
        what="Produce when memory is used up (`mockbroker.memory.bytes`)",
        answer="KAFKA_STORAGE_ERROR, and a log line that names the topic and the setting",
        reason="No accepted record is lost silently.",
    ),
)

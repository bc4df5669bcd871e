"""Rights to topics and their configs: allowed, denied, partly denied.

All clients are `User:ANONYMOUS`, and have every right that no ACL takes from them.
"""

from collections.abc import Iterable

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)
from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from mockbroker.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    TopicRequest,
)
from mockbroker.protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
)
from mockbroker.protocol.messages.describe_topic_partitions import (
    TopicRequest as DescribedTopic,
)
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig as IncrementalConfig,
)
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterConfigsResource as IncrementalResource,
)
from mockbroker.protocol.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from mockbroker.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.security.acl import Permission
from tests.conformance.acls import (
    AUTHORIZED,
    CLOSED,
    MISSING,
    OPEN,
    OPEN_TO_ALL,
    SEEN,
    TOPICS,
    Kind,
    Op,
    acl,
    add_acls,
    ask_versions,
    deny_topics,
    each_and_all,
    kept_rights,
)
from tests.conformance.batches import plain
from tests.conformance.requests import (
    Wanted,
    create_topics,
    delete_records,
    fetch,
    list_offsets,
    new_topic,
    produce,
)
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def rights_to_topics(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    deny_topics(talk)
    records = plain(b"v", at_ms=talk.at(0))
    for title, names in each_and_all(TOPICS):
        parts = [(name, 0, records) for name in names]
        ask_versions(talk, f"produce to {title}", produce(talk, *parts), 12)
        wanted = [Wanted(name) for name in names]
        ask_versions(talk, f"fetch {title}", fetch(talk, *wanted), 12)
        ask_versions(
            talk, f"delete records of {title}", delete_records(*((n, 0, 0) for n in names))
        )
        epochs = OffsetForLeaderEpochRequest(
            topics=[
                OffsetForLeaderTopic(
                    topic=name, partitions=[OffsetForLeaderPartition(partition=0, leader_epoch=0)]
                )
                for name in names
            ]
        )
        ask_versions(talk, f"leader epochs of {title}", epochs)
        offsets = list_offsets(*((name, 0, -1) for name in names))
        ask_versions(talk, f"offsets of {title}", offsets)
        more = CreatePartitionsRequest(
            topics=[CreatePartitionsTopic(name=name, count=2, assignments=None) for name in names],
            timeout_ms=10_000,
            validate_only=True,
        )
        ask_versions(talk, f"partitions for {title}", more)
        if talk.versions(ApiKey.DESCRIBE_PRODUCERS):
            producers = DescribeProducersRequest(
                topics=[TopicRequest(name=name, partition_indexes=[0]) for name in names]
            )
            ask_versions(talk, f"producers of {title}", producers)


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def topics_are_hidden(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    deny_topics(talk)
    for version in talk.versions(ApiKey.METADATA):
        talk.ask(
            f"all topics, v{version}", MetadataRequest(topics=None if version else []), version
        )
        for authorized in (False, True) if version >= 8 else (False,):
            request = MetadataRequest(
                topics=[MetadataRequestTopic(name=name, topic_id=ZERO_UUID) for name in TOPICS],
                allow_auto_topic_creation=False,
                include_topic_authorized_operations=authorized,
                include_cluster_authorized_operations=authorized and version <= 10,
            )
            how = " with operations" if authorized else ""
            if version >= 4:
                talk.ask(f"some topics{how}, v{version}", request, version)
        if version >= 12:
            by_id = MetadataRequest(
                topics=[
                    MetadataRequestTopic(name=None, topic_id=talk.id_of(name))
                    for name in (OPEN, CLOSED, SEEN)
                ]
            )
            talk.ask(f"topics by id, v{version}", by_id, version)
    if talk.versions(ApiKey.DESCRIBE_TOPIC_PARTITIONS):
        for title, names in (("all", []), ("some", list(TOPICS))):
            pages = DescribeTopicPartitionsRequest(
                topics=[DescribedTopic(name=name) for name in names], response_partition_limit=10
            )
            talk.ask(f"partitions of {title}", pages, 0)


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def rights_to_create_and_delete_topics(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    deny_topics(talk)
    add_acls(
        talk,
        acl(Kind.CLUSTER, operation=Op.CREATE),
        acl(Kind.CLUSTER, operation=Op.DELETE),
        acl(Kind.CLUSTER, operation=Op.ALTER, permission=Permission.ALLOW),
        acl(Kind.CLUSTER, operation=Op.DESCRIBE, permission=Permission.ALLOW),
        acl(Kind.CLUSTER, operation=Op.CLUSTER_ACTION, permission=Permission.ALLOW),
        acl(Kind.TOPIC, "unknown-to-me", Op.CREATE, Permission.ALLOW),
    )
    for version in talk.versions(ApiKey.CREATE_TOPICS):
        new = [new_topic(name) for name in ("new", MISSING, "unknown-to-me")]
        request = create_topics(*new, validate_only=bool(version))
        if version:
            talk.ask(f"create, v{version}", request, version)
    talk.ask(
        "auto-create what may not be created",
        MetadataRequest(topics=[MetadataRequestTopic(name=MISSING, topic_id=ZERO_UUID)]),
        talk.latest(ApiKey.METADATA, 9),
    )
    for version in talk.versions(ApiKey.DELETE_TOPICS):
        names = [CLOSED, SEEN, MISSING, "missing"]
        by_name = DeleteTopicsRequest(
            topics=[DeleteTopicState(name=name, topic_id=ZERO_UUID) for name in names],
            topic_names=names,
            timeout_ms=10_000,
        )
        talk.ask(f"delete by name, v{version}", by_name, version)
        if version >= 6:
            by_id = DeleteTopicsRequest(
                topics=[
                    DeleteTopicState(name=None, topic_id=talk.id_of(name))
                    for name in (CLOSED, SEEN)
                ],
                timeout_ms=10_000,
            )
            talk.ask(f"delete by id, v{version}", by_id, version)


def resources() -> Iterable[tuple[int, str]]:
    """Return resources with configs: topics, and a broker."""
    return ((2, OPEN), (2, CLOSED), (2, SEEN), (4, "1"))


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def rights_to_configs(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    deny_topics(talk)
    for stage in ("to some topics", "to the cluster"):
        ask_for_configs(talk, stage)
        if stage == "to some topics":
            add_acls(talk, *kept_rights())


def ask_for_configs(talk: Talk, stage: str) -> None:
    """Describe configs of topics and a broker, and change them in both ways."""
    described_configs = DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(
                resource_type=kind, resource_name=name, configuration_keys=["num.partitions"]
            )
            for kind, name in resources()
        ]
    )
    ask_versions(talk, f"no right {stage}: describe", described_configs)
    replaced = AlterConfigsRequest(
        resources=[
            AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    AlterableConfig(name="retention.ms", value="5000")
                    if kind == 2
                    else AlterableConfig(name="log.cleaner.threads", value="1")
                ],
            )
            for kind, name in resources()
        ],
        validate_only=True,
    )
    ask_versions(talk, f"no right {stage}: replace", replaced)
    altered = IncrementalAlterConfigsRequest(
        resources=[
            IncrementalResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    IncrementalConfig(
                        name="retention.ms" if kind == 2 else "log.cleaner.threads",
                        config_operation=0,
                        value="1" if kind == 4 else "5000",
                    )
                ],
            )
            for kind, name in resources()
        ],
        validate_only=True,
    )
    ask_versions(talk, f"no right {stage}: alter", altered)

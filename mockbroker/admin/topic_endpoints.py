"""Topics over HTTP: their partitions, batches and records."""

from typing import Any, Final

from mockbroker.admin.endpoint import Asked, Endpoints, Nothing
from mockbroker.admin.missing import topic_of
from mockbroker.documents.log_view import LogView, RecordsView, log_view, records_view
from mockbroker.documents.strict import Document, View
from mockbroker.documents.topic_view import (
    PartitionView,
    TopicsView,
    TopicView,
    partition_view,
    topic_view,
    topics_view,
)
from mockbroker.stored_records import IsolationLevel, partitions_of

TOPICS: Final = Endpoints()
_PARTITION: Final = "/topics/{topic}/partitions/{partition}"


class LogQuery(Document, rename={"from_offset": "from"}):
    """Which batches to show."""

    from_offset: int = 0
    limit: int = 100


class RecordsQuery(Document, rename={"from_offset": "from"}):
    """Which records to show."""

    isolation: IsolationLevel = "read_uncommitted"
    from_offset: int = 0
    limit: int = 1000


class BeforeQuery(Document):
    """What to delete: the records before an offset, or all of them."""

    before: int | None = None


class LogStartView(View):
    """Where a log starts."""

    log_start_offset: int


@TOPICS.add("GET", "/topics", reads=Nothing, answers=TopicsView)
def list_topics(asked: Asked[Nothing]) -> TopicsView:
    """List all topics and their partitions."""
    return asked.cluster.look(lambda cluster, _now_ms: topics_view(cluster))


@TOPICS.add("GET", "/topics/{topic}", reads=Nothing, answers=TopicView)
def get_topic(asked: Asked[Nothing]) -> TopicView:
    """Show a topic and its partitions."""
    name = asked.names["topic"]
    return asked.cluster.look(lambda cluster, _now_ms: topic_view(topic_of(cluster, name)))


@TOPICS.add("GET", _PARTITION, reads=Nothing, answers=PartitionView)
def get_partition(asked: Asked[Nothing]) -> PartitionView:
    """Show a partition."""
    topic, index = _named(asked)
    return asked.cluster.look(
        lambda cluster, _now_ms: partition_view(partitions_of(cluster, topic, index)[0])
    )


@TOPICS.add("GET", _PARTITION + "/log", reads=LogQuery, answers=LogView)
def get_log(asked: Asked[LogQuery]) -> LogView:
    """Show the batches of a partition, markers included."""
    (topic, index), said = _named(asked), asked.said
    return asked.cluster.look(
        lambda cluster, _now_ms: log_view(
            cluster, partitions_of(cluster, topic, index)[0], said.from_offset, said.limit
        )
    )


@TOPICS.add("GET", _PARTITION + "/records", reads=RecordsQuery, answers=RecordsView)
def get_records(asked: Asked[RecordsQuery]) -> RecordsView:
    """Show the records of a partition, as consumers of an isolation level are given them."""
    (topic, index), said = _named(asked), asked.said
    return asked.cluster.look(
        lambda cluster, now_ms: records_view(
            cluster,
            partitions_of(cluster, topic, index)[0],
            said.isolation,
            (said.from_offset, said.limit),
            now_ms,
        )
    )


@TOPICS.add(
    "DELETE",
    _PARTITION + "/records",
    reads=BeforeQuery,
    answers=LogStartView,
    problems=("kafka-error",),
)
def delete_records(asked: Asked[BeforeQuery]) -> LogStartView:
    """Delete the records before an offset, as DeleteRecords does, or all of them."""
    partition = asked.cluster.partition(*_named(asked))
    return LogStartView(log_start_offset=partition.delete_records(asked.said.before))


def _named(asked: Asked[Any]) -> tuple[str, int]:
    """Read which partition is meant.

    Raises:
        Problem: there is no such topic.

    """
    name = asked.names["topic"]
    asked.cluster.look(lambda cluster, _now_ms: topic_of(cluster, name))
    return name, asked.number("partition")

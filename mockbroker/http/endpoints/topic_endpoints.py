"""Topics over HTTP: their partitions, batches and records."""

from base64 import b64decode
from typing import Any, Final

import msgspec

from mockbroker.broker.stored_records import IsolationLevel, partitions_of
from mockbroker.control.assertions.failure import WIDTH
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.documents.log_view import (
    LogView,
    RecordsView,
    log_view,
    records_view,
)
from mockbroker.http.documents.topic_view import (
    PartitionView,
    TopicsView,
    TopicView,
    partition_view,
    topic_view,
    topics_view,
)
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.missing import topic_of
from mockbroker.http.problem import Problem

TOPICS: Final = Endpoints()
_WIDTHS: Final = range(40, 1001)
_PARTITION: Final = "/topics/{topic}/partitions/{partition}"


class NewTopicDocument(Document):
    """A topic to create; by default, with the replicas of `default.replication.factor`."""

    name: str
    partitions: int = 1
    replication_factor: int | None = None
    config: dict[str, str] = msgspec.field(default_factory=dict[str, str])


class HeaderDocument(Document):
    """A header of a record to append."""

    key: str
    value: str | None


class RecordDocument(Document):
    """A record to append; by default, its key chooses the partition."""

    value: str | None
    key: str | None = None
    headers: list[HeaderDocument] = msgspec.field(default_factory=list[HeaderDocument])
    partition: int | None = None
    timestamp_ms: int | None = None
    base64: bool = False
    """True if value, key and the values of headers are base64, and not text."""


class AppendedView(View):
    """Where a record was appended."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int


class LogQuery(Document, rename={"from_offset": "from"}):
    """Batches to show."""

    from_offset: int = 0
    limit: int = 100


class RecordsQuery(Document, rename={"from_offset": "from"}):
    """Records to show."""

    isolation: IsolationLevel = "read_uncommitted"
    from_offset: int = 0
    limit: int = 1000


class BeforeQuery(Document):
    """Records to delete: those before an offset, or all."""

    before: int | None = None


class LanesQuery(Document):
    """Partitions of the timeline, and its maximum width; default: all but internal ones."""

    topic: str | None = None
    partition: int | None = None
    width: int = WIDTH


class LanesView(View):
    """Timeline of partitions as text: batches, markers, and offsets."""

    text: str


class LogStartView(View):
    """A log start offset."""

    log_start_offset: int


@TOPICS.add("GET", "/topics", reads=Nothing, answers=TopicsView)
def list_topics(request: ApiRequest[Nothing]) -> TopicsView:
    """List all topics and their partitions."""
    return request.cluster.look(lambda cluster, _now_ms: topics_view(cluster))


@TOPICS.add("POST", "/topics", reads=NewTopicDocument, answers=TopicView, problems=("kafka-error",))
def create_topic(request: ApiRequest[NewTopicDocument]) -> TopicView:
    """Create a topic."""
    document, cluster = request.document, request.cluster
    cluster.create_topic(
        document.name,
        document.partitions,
        replication_factor=document.replication_factor,
        config=document.config,
    )
    return cluster.look(lambda state, _now_ms: topic_view(topic_of(state, document.name)))


@TOPICS.add(
    "POST",
    "/topics/{topic}/records",
    reads=RecordDocument,
    answers=AppendedView,
    problems=("kafka-error",),
)
def append_record(request: ApiRequest[RecordDocument]) -> AppendedView:
    """Append a record without a client, as a producer with acks=1."""
    document = request.document
    appended = request.cluster.append(
        request.names["topic"],
        _field(document, document.value, "value"),
        key=_field(document, document.key, "key"),
        headers=[
            (each.key, _field(document, each.value, f"headers[{index}].value"))
            for index, each in enumerate(document.headers)
        ],
        partition=document.partition,
        timestamp=document.timestamp_ms,
    )
    return AppendedView(*appended)


@TOPICS.add("GET", "/topics/{topic}", reads=Nothing, answers=TopicView)
def get_topic(request: ApiRequest[Nothing]) -> TopicView:
    """Show a topic and its partitions."""
    name = request.names["topic"]
    return request.cluster.look(lambda cluster, _now_ms: topic_view(topic_of(cluster, name)))


@TOPICS.add("GET", "/lanes", reads=LanesQuery, answers=LanesView, problems=("not-found",))
def draw_lanes(request: ApiRequest[LanesQuery]) -> LanesView:
    """Draw a timeline of partitions as text, for people: batches, markers, and offsets."""
    document, topic = request.document, request.document.topic
    if document.width not in _WIDTHS:
        allowed = f"allowed are {_WIDTHS.start} to {_WIDTHS.stop - 1}"
        raise Problem("invalid", f"width {document.width}: {allowed}", path="$.width")
    if topic is not None:
        request.cluster.look(lambda cluster, _now_ms: topic_of(cluster, topic))
    return LanesView(text=request.cluster.lanes(topic, document.partition, width=document.width))


@TOPICS.add("GET", _PARTITION, reads=Nothing, answers=PartitionView)
def get_partition(request: ApiRequest[Nothing]) -> PartitionView:
    """Show a partition."""
    topic, index = _named(request)
    return request.cluster.look(
        lambda cluster, _now_ms: partition_view(partitions_of(cluster, topic, index)[0])
    )


@TOPICS.add("GET", _PARTITION + "/log", reads=LogQuery, answers=LogView)
def get_log(request: ApiRequest[LogQuery]) -> LogView:
    """Show the batches of a partition, markers included."""
    (topic, index), document = _named(request), request.document
    return request.cluster.look(
        lambda cluster, _now_ms: log_view(
            cluster, partitions_of(cluster, topic, index)[0], document.from_offset, document.limit
        )
    )


@TOPICS.add("GET", _PARTITION + "/records", reads=RecordsQuery, answers=RecordsView)
def get_records(request: ApiRequest[RecordsQuery]) -> RecordsView:
    """Show the records of a partition that consumers with an isolation level can read."""
    (topic, index), document = _named(request), request.document
    return request.cluster.look(
        lambda cluster, now_ms: records_view(
            cluster,
            partitions_of(cluster, topic, index)[0],
            document.isolation,
            (document.from_offset, document.limit),
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
def delete_records(request: ApiRequest[BeforeQuery]) -> LogStartView:
    """Delete the records before an offset, or all records, as DeleteRecords does."""
    partition = request.cluster.partition(*_named(request))
    return LogStartView(log_start_offset=partition.delete_records(request.document.before))


def _field(document: RecordDocument, text: str | None, path: str) -> bytes | None:
    """Return the bytes of a field of a record.

    Raises:
        Problem: the text is not base64.

    """
    if text is None or not document.base64:
        return None if text is None else text.encode()
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise Problem("invalid", f"not base64: {error}", path=f"$.{path}") from None


def _named(request: ApiRequest[Any]) -> tuple[str, int]:
    """Return the topic and the partition in the path.

    Raises:
        Problem: there is no such topic.

    """
    name = request.names["topic"]
    request.cluster.look(lambda cluster, _now_ms: topic_of(cluster, name))
    return name, request.number("partition")

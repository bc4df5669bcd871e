"""The topic is not what it was, or not one that the application may write to."""

from typing import Final

from mockbroker import API
from mockbroker.protocol.errors import ErrorCode
from tests.clients.kip_691.acts import alter_topic, delete_topic
from tests.clients.kip_691.organic.entry import entry_into
from tests.clients.kip_691.row import IDEMPOTENT, IMPATIENT, Moment, Row
from tests.clients.kip_691.scene import Scene
from tests.clients.transactors.transactor import Setup

ROWS: Final[list[Row]] = []
_row: Final = entry_into(ROWS)

_COMPRESSING: Final = Setup(compresses=True)
_OFFSETS_TOPIC: Final = "__consumer_offsets"


@_row(ErrorCode.INVALID_RECORD, API.PRODUCE, Moment.FIRST_SEND, on_real_kafka=True)
def _keys_are_needed(scene: Scene) -> None:
    alter_topic(scene, "cleanup.policy", "compact")


@_row(
    ErrorCode.RECORD_LIST_TOO_LARGE,
    API.PRODUCE,
    Moment.FIRST_SEND,
    kafka="2.4",
    on_real_kafka=True,
)
def _segments_are_small(scene: Scene) -> None:
    alter_topic(scene, "segment.bytes", "100")


@_row(ErrorCode.MESSAGE_TOO_LARGE, API.PRODUCE, Moment.FIRST_SEND, on_real_kafka=True)
def _messages_are_small(scene: Scene) -> None:
    alter_topic(scene, "max.message.bytes", "100")


@_row(
    ErrorCode.UNKNOWN_SERVER_ERROR,
    API.PRODUCE,
    Moment.FIRST_SEND,
    kafka="2.4",
    on_real_kafka=True,
)
@_row(
    ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT,
    API.PRODUCE,
    Moment.FIRST_SEND,
    kafka="2.4",
    setup=_COMPRESSING,
    on_real_kafka=True,
)
def _the_format_is_old(scene: Scene) -> None:
    alter_topic(scene, "message.format.version", "0.10.2")


@_row(
    ErrorCode.INVALID_TOPIC_EXCEPTION,
    API.METADATA,
    Moment.BEGIN,
    topic="no topic!",
    setup=IMPATIENT,
    is_timed=True,
    on_real_kafka=True,
)
def _the_name_is_none(scene: Scene) -> None:
    """The application writes to the topic `no topic!`."""


@_row(
    ErrorCode.INVALID_TOPIC_EXCEPTION,
    API.PRODUCE,
    Moment.FIRST_SEND,
    topic=_OFFSETS_TOPIC,
    setup=IDEMPOTENT,
    on_real_kafka=True,
)
def _the_topic_is_internal(scene: Scene) -> None:
    """The application writes to the topic `__consumer_offsets`."""


@_row(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, API.ADD_PARTITIONS_TO_TXN, Moment.BEGIN, kafka="3.9")
def _the_topic_is_deleted(scene: Scene) -> None:
    create_again = delete_topic(scene, scene.topic)
    asked = scene.cluster.fault(API.ADD_PARTITIONS_TO_TXN).observe()
    scene.meanwhile(create_again, after=asked, hits=1)


@_row(
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    API.PRODUCE,
    Moment.FIRST_SEND,
    kafka="3.9",
    setup=IDEMPOTENT,
)
def _the_topic_is_deleted_while_it_is_written_to(scene: Scene) -> None:
    create_again = delete_topic(scene, scene.topic)
    written = scene.cluster.fault(API.PRODUCE).observe()
    scene.meanwhile(create_again, after=written, hits=1)


@_row(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, API.TXN_OFFSET_COMMIT, Moment.OFFSETS, kafka="3.9")
def _the_source_is_deleted(scene: Scene) -> None:
    create_again = delete_topic(scene, scene.source)
    committed = scene.cluster.fault(API.TXN_OFFSET_COMMIT).observe()
    scene.meanwhile(create_again, after=committed, hits=1)

"""The client may do less than before."""

from functools import partial
from typing import Final

from mockbroker import API
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.security.acl import CLUSTER_NAME
from mockbroker.state.security.acl import AclOperation as Op
from mockbroker.state.security.acl import AclResource as Kind
from tests.clients.kip_691.acts import deny
from tests.clients.kip_691.organic.entry import entry_into
from tests.clients.kip_691.row import IDEMPOTENT, Moment, Row
from tests.clients.kip_691.scene import Scene

ROWS: Final[list[Row]] = []
_row: Final = partial(entry_into(ROWS), has_authorizer=True)


@_row(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.FIND_COORDINATOR,
    Moment.START,
    on_real_kafka=True,
)
def _the_id_may_not_be_described(scene: Scene) -> None:
    deny(scene, Op.DESCRIBE, Kind.TRANSACTIONAL_ID, scene.transactional_id)


@_row(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.INIT_PRODUCER_ID,
    Moment.START,
    on_real_kafka=True,
)
@_row(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.ADD_PARTITIONS_TO_TXN,
    Moment.BEGIN,
    kafka="3.9",
)
@_row(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.PRODUCE,
    Moment.SECOND_SEND,
    on_real_kafka=True,
)
@_row(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.ADD_OFFSETS_TO_TXN,
    Moment.OFFSETS,
    kafka="3.9",
)
@_row(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.TXN_OFFSET_COMMIT,
    Moment.OFFSETS,
    on_real_kafka=True,
)
@_row(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.END_TXN,
    Moment.COMMIT,
    on_real_kafka=True,
)
def _the_id_may_not_be_used(scene: Scene) -> None:
    deny(scene, Op.WRITE, Kind.TRANSACTIONAL_ID, scene.transactional_id)


# On real Kafka Java may fail twice: its sender looks at the error again in its next turn.
@_row(
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    API.INIT_PRODUCER_ID,
    Moment.START,
    setup=IDEMPOTENT,
)
def _no_right_to_write(scene: Scene) -> None:
    deny(scene, Op.IDEMPOTENT_WRITE, Kind.CLUSTER, CLUSTER_NAME)
    deny(scene, Op.WRITE, Kind.TOPIC, "*")


@_row(
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    API.PRODUCE,
    Moment.FIRST_SEND,
    kafka="2.4",
    setup=IDEMPOTENT,
)
def _the_right_to_be_idempotent_is_taken(scene: Scene) -> None:
    deny(scene, Op.IDEMPOTENT_WRITE, Kind.CLUSTER, CLUSTER_NAME)


@_row(
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    API.ADD_PARTITIONS_TO_TXN,
    Moment.BEGIN,
    kafka="3.9",
)
@_row(
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    API.PRODUCE,
    Moment.SECOND_SEND,
    is_timed=True,
)
def _the_topic_may_not_be_written_to(scene: Scene) -> None:
    deny(scene, Op.WRITE, Kind.TOPIC, scene.topic)


@_row(
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    API.TXN_OFFSET_COMMIT,
    Moment.OFFSETS,
    on_real_kafka=True,
)
def _the_source_may_not_be_read(scene: Scene) -> None:
    deny(scene, Op.READ, Kind.TOPIC, scene.source)


@_row(
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    API.ADD_OFFSETS_TO_TXN,
    Moment.OFFSETS,
    kafka="3.9",
)
@_row(
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    API.TXN_OFFSET_COMMIT,
    Moment.OFFSETS,
    on_real_kafka=True,
)
def _the_group_may_not_be_read(scene: Scene) -> None:
    deny(scene, Op.READ, Kind.GROUP, scene.group)

"""Rows whose errors brokers raise by themselves, and the recipes that lead to them.

The page shows the body of each recipe, without `scene.`, which has the names of the application. A
recipe that uses the protocol only can also run against a real Kafka.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from mockbroker import API
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.security.acl import CLUSTER_NAME
from mockbroker.state.security.acl import AclOperation as Op
from mockbroker.state.security.acl import AclResource as Kind
from mockbroker.wire import WireProducer
from tests.clients.kip_691.acts import alter_topic, deny, in_its_name
from tests.clients.kip_691.row import Moment, Recipe, Row, source_of
from tests.clients.kip_691.scene import Scene
from tests.clients.kip_691.transactor import Setup

ORGANIC: Final[list[Row]] = []

_IMPATIENT: Final = Setup(call_timeout_ms=1_500, request_timeout_ms=500)
_AUTHENTICATING: Final = replace(_IMPATIENT, uses_sasl=True)
_IDEMPOTENT: Final = replace(_IMPATIENT, is_transactional=False)
_EXPIRING: Final = Setup(delivery_timeout_ms=1_800, request_timeout_ms=1_200)
"""A record expires half-way through its second request."""
_COMPRESSING: Final = Setup(compresses=True)


def _row(error: ErrorCode, api: ApiKey, moment: Moment, **more: Any) -> Callable[[Recipe], Recipe]:
    """Add a recipe to the table: `error` is the resulting error in the response of `api`."""

    def enter(recipe: Recipe) -> Recipe:
        ORGANIC.append(
            Row(
                error=error,
                api=api,
                reach=recipe,
                line=source_of(recipe),
                is_fault=False,
                moment=moment,
                **more,
            )
        )
        return recipe

    return enter


# The producer is not what it was


@_row(ErrorCode.INVALID_TXN_STATE, API.END_TXN, Moment.COMMIT, on_real_kafka=True)
@_row(ErrorCode.PRODUCER_FENCED, API.END_TXN, Moment.COMMIT, kafka="3.9")
@_row(ErrorCode.INVALID_PRODUCER_EPOCH, API.PRODUCE, Moment.SECOND_SEND, on_real_kafka=True)
@_row(ErrorCode.PRODUCER_FENCED, API.ADD_PARTITIONS_TO_TXN, Moment.BEGIN, kafka="3.9")
@_row(ErrorCode.PRODUCER_FENCED, API.ADD_OFFSETS_TO_TXN, Moment.OFFSETS, kafka="3.9")
def _another_producer(scene: Scene) -> None:
    with WireProducer(scene.bootstrap_servers, scene.transactional_id) as other:
        other.init_producer_id()


@_row(ErrorCode.INVALID_PRODUCER_ID_MAPPING, API.ADD_PARTITIONS_TO_TXN, Moment.BEGIN, kafka="3.9")
def _the_id_expires(scene: Scene) -> None:
    scene.cluster.clock.advance("8d")


@_row(ErrorCode.PRODUCER_FENCED, API.END_TXN, Moment.COMMIT, kafka="3.9")
@_row(ErrorCode.INVALID_TXN_STATE, API.END_TXN, Moment.COMMIT)
@_row(ErrorCode.INVALID_PRODUCER_EPOCH, API.PRODUCE, Moment.SECOND_SEND)
def _the_transaction_times_out(scene: Scene) -> None:
    scene.cluster.clock.advance("2m")


@_row(ErrorCode.INVALID_TXN_STATE, API.END_TXN, Moment.COMMIT, on_real_kafka=True)
def _it_is_aborted_in_its_name(scene: Scene) -> None:
    with in_its_name(scene) as (same, _):
        same.abort()


# Its state in a partition is not what it was


@_row(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, API.PRODUCE, Moment.SECOND_SEND, on_real_kafka=True)
def _records_are_written_in_its_name(scene: Scene) -> None:
    with in_its_name(scene) as (same, next_sequence):
        same.produce(scene.topic, b"x", b"y", b"z", base_sequence=next_sequence)


@_row(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, API.PRODUCE, Moment.SECOND_SEND, brokers=2)
def _the_new_leader_lost_a_record(scene: Scene) -> None:
    partition = scene.cluster.partition(scene.topic, 0)
    partition.elect(log="truncate", log_end_offset=partition.log_end_offset - 1)


@_row(ErrorCode.UNKNOWN_PRODUCER_ID, API.PRODUCE, Moment.FIRST_SEND, kafka="2.4", brokers=2)
def _the_new_leader_knows_no_producer(scene: Scene) -> None:
    scene.cluster.partition(scene.topic, 0).elect(producer_state="none")


# The topic is not what it was


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
    setup=_IMPATIENT,
    is_timed=True,
    on_real_kafka=True,
)
def _the_name_is_none(scene: Scene) -> None:
    """The application writes to the topic `no topic!`."""


# The client may do less than before


def _taken(
    error: ErrorCode, api: ApiKey, moment: Moment, **more: Any
) -> Callable[[Recipe], Recipe]:
    return _row(error, api, moment, has_authorizer=True, **more)


@_taken(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.FIND_COORDINATOR,
    Moment.START,
    on_real_kafka=True,
)
def _the_id_may_not_be_described(scene: Scene) -> None:
    deny(scene, Op.DESCRIBE, Kind.TRANSACTIONAL_ID, scene.transactional_id)


@_taken(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.INIT_PRODUCER_ID,
    Moment.START,
    on_real_kafka=True,
)
@_taken(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.ADD_PARTITIONS_TO_TXN,
    Moment.BEGIN,
    kafka="3.9",
)
@_taken(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.PRODUCE,
    Moment.SECOND_SEND,
    on_real_kafka=True,
)
@_taken(
    ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    API.END_TXN,
    Moment.COMMIT,
    on_real_kafka=True,
)
def _the_id_may_not_be_used(scene: Scene) -> None:
    deny(scene, Op.WRITE, Kind.TRANSACTIONAL_ID, scene.transactional_id)


# On real Kafka Java may fail twice: its sender looks at the error again in its next turn.
@_taken(
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    API.INIT_PRODUCER_ID,
    Moment.START,
    setup=_IDEMPOTENT,
)
def _no_right_to_write(scene: Scene) -> None:
    deny(scene, Op.IDEMPOTENT_WRITE, Kind.CLUSTER, CLUSTER_NAME)
    deny(scene, Op.WRITE, Kind.TOPIC, "*")


@_taken(
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    API.ADD_PARTITIONS_TO_TXN,
    Moment.BEGIN,
    kafka="3.9",
)
def _the_topic_may_not_be_written_to(scene: Scene) -> None:
    deny(scene, Op.WRITE, Kind.TOPIC, scene.topic)


@_taken(
    ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    API.TXN_OFFSET_COMMIT,
    Moment.OFFSETS,
    on_real_kafka=True,
)
def _the_source_may_not_be_read(scene: Scene) -> None:
    deny(scene, Op.READ, Kind.TOPIC, scene.source)


@_taken(
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    API.ADD_OFFSETS_TO_TXN,
    Moment.OFFSETS,
    kafka="3.9",
)
@_taken(
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    API.TXN_OFFSET_COMMIT,
    Moment.OFFSETS,
    on_real_kafka=True,
)
def _the_group_may_not_be_read(scene: Scene) -> None:
    deny(scene, Op.READ, Kind.GROUP, scene.group)


# A broker is not where it was, or not as it was


@_row(ErrorCode.NOT_LEADER_OR_FOLLOWER, API.PRODUCE, Moment.SECOND_SEND, brokers=2)
def _another_leader(scene: Scene) -> None:
    scene.cluster.partition(scene.topic, 0).elect()


@_row(ErrorCode.NOT_COORDINATOR, API.END_TXN, Moment.COMMIT, brokers=2)
def _another_coordinator(scene: Scene) -> None:
    scene.cluster.move_coordinator(scene.transactional_id)


@_row(ErrorCode.NOT_COORDINATOR, API.TXN_OFFSET_COMMIT, Moment.OFFSETS, brokers=2)
def _another_coordinator_of_the_group(scene: Scene) -> None:
    scene.cluster.move_coordinator(group=scene.group)


@_row(ErrorCode.NOT_ENOUGH_REPLICAS, API.PRODUCE, Moment.FIRST_SEND, brokers=3)
def _a_replica_dies(scene: Scene) -> None:
    alter_topic(scene, "min.insync.replicas", "3")
    leader = scene.cluster.partition(scene.topic, 0).leader
    follower = 3 if leader == 2 else 2
    scene.cluster.kill(follower)
    retried = scene.cluster.fault(API.PRODUCE).observe()
    scene.meanwhile(lambda: scene.cluster.start(follower), after=retried, hits=2)


@_row(ErrorCode.CONCURRENT_TRANSACTIONS, API.END_TXN, Moment.COMMIT)
def _the_markers_take_long(scene: Scene) -> None:
    transaction = scene.cluster.transaction(scene.transactional_id)
    transaction.hold_ending()
    scene.cluster.fault(API.END_TXN).lose_response()
    retried = scene.cluster.fault(API.END_TXN).observe()
    scene.meanwhile(transaction.release, after=retried, hits=3)


@_row(ErrorCode.CORRUPT_MESSAGE, API.PRODUCE, Moment.FIRST_SEND)
def _a_bit_flips(scene: Scene) -> None:
    scene.cluster.fault(API.PRODUCE).corrupt()


# Nobody answers


@_row(ErrorCode.REQUEST_TIMED_OUT, API.PRODUCE, Moment.FIRST_SEND, setup=_EXPIRING, is_timed=True)
def _records_get_lost(scene: Scene) -> None:
    scene.cluster.fault(API.PRODUCE).drop_request("silence").every_time()


@_row(ErrorCode.REQUEST_TIMED_OUT, API.END_TXN, Moment.COMMIT, setup=_IMPATIENT, is_timed=True)
def _the_end_gets_lost(scene: Scene) -> None:
    scene.cluster.fault(API.END_TXN).drop_request("silence").every_time()


@_row(
    ErrorCode.ILLEGAL_SASL_STATE,
    API.SASL_HANDSHAKE,
    Moment.START,
    setup=_AUTHENTICATING,
    is_timed=True,
    on_real_kafka=True,
)
def _the_listener_is_another(scene: Scene) -> None:
    """The client uses SASL_PLAINTEXT, the listener is PLAINTEXT."""

"""A broker is not where it was, not as it was, or does not answer."""

from dataclasses import replace
from typing import Final

from mockbroker import API
from mockbroker.protocol.errors import ErrorCode
from tests.clients.kip_691.acts import alter_topic
from tests.clients.kip_691.organic.entry import entry_into
from tests.clients.kip_691.row import IDEMPOTENT, IMPATIENT, Moment, Row
from tests.clients.kip_691.scene import Scene
from tests.clients.transactors.transactor import Setup

ROWS: Final[list[Row]] = []
_row: Final = entry_into(ROWS)

_AUTHENTICATING: Final = replace(IMPATIENT, uses_sasl=True)
_EXPIRING: Final = Setup(delivery_timeout_ms=1_800, request_timeout_ms=1_200)
"""A record expires half-way through its second request."""
_FEW_ACKS: Final = replace(IDEMPOTENT, acks="2")


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


@_row(
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    API.PRODUCE,
    Moment.FIRST_SEND,
    kafka="2.8",
    brokers=2,
)
def _a_replica_leaves_while_the_leader_waits_for_it(scene: Scene) -> None:
    alter_topic(scene, "min.insync.replicas", "2")
    partition = scene.cluster.partition(scene.topic, 0)
    (follower,) = set(partition.replicas) - {partition.leader}
    partition.lag(follower)
    appended = scene.cluster.fault(API.PRODUCE).observe()
    scene.meanwhile(lambda: partition.lose_replica(follower), after=appended, hits=1)
    scene.meanwhile(partition.catch_up, after=appended, hits=2)


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


@_row(ErrorCode.REQUEST_TIMED_OUT, API.PRODUCE, Moment.FIRST_SEND, setup=_EXPIRING, is_timed=True)
def _records_get_lost(scene: Scene) -> None:
    scene.cluster.fault(API.PRODUCE).drop_request("silence").every_time()


@_row(ErrorCode.REQUEST_TIMED_OUT, API.END_TXN, Moment.COMMIT, setup=IMPATIENT, is_timed=True)
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


# The client asks for what no broker gives


@_row(
    ErrorCode.INVALID_REQUIRED_ACKS,
    API.PRODUCE,
    Moment.START,
    setup=_FEW_ACKS,
    on_real_kafka=True,
)
def _two_replicas_are_to_acknowledge(scene: Scene) -> None:
    """The application sets `acks=2` for a producer that is not idempotent."""

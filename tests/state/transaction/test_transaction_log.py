"""The port to the transaction log, and what clients are told when it refuses."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.transaction.transaction_log import APPEND_REFUSALS, TransactionLog
from tests.state.transaction.coordinator_building import FakeLog


def test_refusals_are_told_as_what_a_client_does_next() -> None:
    by_answer: dict[ErrorCode, set[str]] = {}
    for refusal, told in APPEND_REFUSALS.items():
        by_answer.setdefault(told, set()).add(refusal.name)
    assert by_answer == {
        ErrorCode.COORDINATOR_NOT_AVAILABLE: {
            "UNKNOWN_TOPIC_OR_PARTITION",
            "NOT_ENOUGH_REPLICAS",
            "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
            "REQUEST_TIMED_OUT",
        },
        ErrorCode.NOT_COORDINATOR: {"NOT_LEADER_OR_FOLLOWER", "KAFKA_STORAGE_ERROR"},
        ErrorCode.UNKNOWN_SERVER_ERROR: {"MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"},
    }


def test_a_list_is_enough_of_a_log() -> None:
    log: TransactionLog = FakeLog()
    log.append(3, "orders-1", None, coordinator_epoch=0, now_ms=0)
    assert list(log.read(3)) == [("orders-1", None)]
    assert list(log.read(4)) == []

"""The port to the transaction log."""

from mockbroker.state.transaction.transaction_log import TransactionLog
from tests.state.transaction.coordinator_building import FakeLog


def test_a_list_implements_the_port() -> None:
    log: TransactionLog = FakeLog()
    log.append(3, "orders-1", None, coordinator_epoch=0, now_ms=0)
    assert list(log.read(3)) == [("orders-1", None)]
    assert list(log.read(4)) == []

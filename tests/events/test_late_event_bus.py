"""The event bus before the ledger begins: it waits for what a ledger records."""

from mockbroker.events.event_bus import EventBus, subscribe
from mockbroker.events.late_event_bus import RECORDED, LateEventBus
from mockbroker.journal.compact.row_recorder import RowRecorder, ledger_recorder
from mockbroker.journal.compact.transaction_recorder import OF_TRANSACTIONS
from mockbroker.journal.recorder import Recorder
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.in_process import Brokers
from tests.support.requests import batch_of, produce
from tests.support.transactions import Transactor, new_brokers


class LateLedger:
    """Brokers whose ledger begins late."""

    def __init__(self) -> None:
        self.brokers: Brokers = new_brokers()
        self.recorders: list[RowRecorder] = []
        service = self.brokers.service
        service.publish_to(LateEventBus(service, self._begin))

    def _begin(self) -> None:
        recorder = Recorder(lambda: self.brokers.service)
        self.recorders.append(ledger_recorder(recorder, None))


def test_the_apis_to_wait_for_are_those_that_a_ledger_records() -> None:
    assert {ApiKey.PRODUCE, *OF_TRANSACTIONS} == RECORDED


def test_the_first_batch_begins_the_ledger_and_is_in_it() -> None:
    late = LateLedger()
    late.brokers.ask(MetadataRequest(topics=None), 9, MetadataResponse)
    assert not late.recorders
    for expected in (1, 2):
        late.brokers.ask(produce(records=batch_of(b"a")), 9, ProduceResponse)
        (recorder,) = late.recorders
        assert len(recorder.ledger) == expected
    assert [row.base_offset for row in recorder.ledger] == [0, 1]


def test_the_first_transaction_begins_the_ledger_and_is_in_it() -> None:
    late = LateLedger()
    transactor = Transactor(late.brokers)
    transactor.init()
    transactor.add(0)
    transactor.write(0)
    transactor.end(committed=True)
    (recorder,) = late.recorders
    assert [each.is_commit for each in recorder.ledger.decisions] == [True]
    assert len(recorder.ledger.epochs) == 1


def test_a_closed_connection_begins_the_ledger_and_is_in_it() -> None:
    late = LateLedger()
    event_bus = late.brokers.service.event_bus
    assert event_bus is not None
    event_bus.connection_opened(1, 7, "127.0.0.1")
    assert not late.recorders
    event_bus.hung_up(1, 7, "unknown_api", {"key": 999})
    (recorder,) = late.recorders
    assert recorder.ledger.hung_up == {("unknown_api", "key 999"): 1}


def test_another_subscriber_begins_the_ledger_too() -> None:
    late = LateLedger()
    seen: list[object] = []
    subscribe(late.brokers.service, seen.append)
    assert isinstance(late.brokers.service.event_bus, EventBus)
    late.brokers.ask(produce(records=batch_of(b"a")), 9, ProduceResponse)
    (recorder,) = late.recorders
    assert len(recorder.ledger) == 1
    assert seen

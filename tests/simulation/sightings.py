"""Sightings of rare states: an assertion that a batch of simulations has reached each of them.

What no simulation reaches is not tested, whatever the number of seeds. `WANTED` names the states
that simulations have to reach, and a fleet fails that has not seen one of them.
"""

from collections import Counter, deque
from typing import Final

from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import AnswerGiven, BatchProduced, Event, FaultStruck
from mockbroker.protocol.error_response import first_error
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.end_txn import EndTxnResponse
from mockbroker.protocol.schema.message import Struct
from mockbroker.protocol.types import BatchHeader
from mockbroker.state.events import (
    BatchAppended,
    GroupChanged,
    MarkerAppended,
    TransactionChanged,
)
from mockbroker.state.transaction.producer_epochs import LAST_PRODUCER_EPOCH, PRODUCER_EPOCH_MAX
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.simulation.sharer import GROUP
from tests.support.in_process import Brokers

_WINDOW: Final = 5
_REFUSED: Final = "refused by the log"
_AS_REFUSED: Final = frozenset({ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_ENOUGH_REPLICAS})
"""Answers to requests whose append was refused."""


class Sightings:
    """Counts the states of one simulation."""

    def __init__(self, brokers: Brokers) -> None:
        self.counts: Final[Counter[str]] = Counter()
        self.sharing = ""
        """Protocol of the group of sharers."""
        self._struck: Final[set[int]] = set()
        self._last_five: Final[dict[tuple[int, int], deque[int]]] = {}
        subscribe(brokers.service, self._on_event)

    def _on_event(self, event: Event) -> None:
        match event:
            case AnswerGiven():
                self._answered(event)
            case BatchProduced() if event.sender.topic == "orders":
                self._appended(event.log.partition, BatchHeader(*event.fields))
            case BatchAppended(log=log, header=header) if log.topic == "orders":
                if event.is_duplicate:
                    self._repeated(log.partition, header)
                else:
                    self._appended(log.partition, header)
            case FaultStruck(call=call):
                self._struck.add(call.number)
            case TransactionChanged():
                self._changed(event)
            case GroupChanged(group=group, after=after):
                kind = self.sharing if group == GROUP else "share"
                self.counts[f"{kind} group is {after}"] += 1
            case MarkerAppended(marker=marker):
                if marker.producer_epoch == PRODUCER_EPOCH_MAX:
                    self.counts["marker of the epoch after the last"] += 1
            case _:
                self.counts[type(event).__name__] += 1

    def _answered(self, event: AnswerGiven) -> None:
        if event.call.number in self._struck or not isinstance(event.response, Struct):
            return
        code = first_error(event.response)
        name = event.call.api.name
        if code:
            self.counts[f"{name}: {code.name}"] += 1
        elif isinstance(event.response, EndTxnResponse) and not event.response.producer_epoch:
            self.counts["EndTxn answers with a new producer id"] += 1

    def _appended(self, partition: int, header: BatchHeader) -> None:
        if header.producer_id < 0:
            return
        if header.last_sequence < header.base_sequence:
            self.counts["sequence wraps within a batch"] += 1
        if header.producer_epoch == LAST_PRODUCER_EPOCH:
            self.counts["batch of the last epoch"] += 1
        window = self._last_five.setdefault((partition, header.producer_id), deque(maxlen=_WINDOW))
        window.append(header.base_sequence)

    def _repeated(self, partition: int, header: BatchHeader) -> None:
        window = self._last_five.get((partition, header.producer_id))
        is_full = window is not None and len(window) == _WINDOW
        if window and is_full and window[0] == header.base_sequence:
            self.counts["oldest of five batches is sent again"] += 1

    def _changed(self, event: TransactionChanged) -> None:
        before, after = event.before, event.after
        if after is None:
            self.counts["transactional id expires"] += 1
            return
        self.counts[f"transaction: {before.state.state_name} to {after.state.state_name}"] += 1
        if after.producer_id != before.producer_id and before.producer_epoch >= 0:
            self.counts[f"producer id replaced by {after.state.state_name}"] += 1
        if after.state is TransactionState.PREPARE_ABORT and self._is_late(event):
            self.counts["transaction times out"] += 1

    @staticmethod
    def _is_late(event: TransactionChanged) -> bool:
        assert event.after is not None
        lasted_ms = event.after.last_update_timestamp_ms - event.before.start_timestamp_ms
        return event.before.start_timestamp_ms >= 0 and lasted_ms > event.before.timeout_ms

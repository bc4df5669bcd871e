"""Recorder of coordinators' decisions and of fenced producers, in the ledger."""

from typing import Any, Final, TypeAlias

from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven, Fenced
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.error_response import errors_in
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message, Struct
from mockbroker.state.events import TransactionChanged
from mockbroker.state.transaction.transaction_metadata import TransactionMetadata
from mockbroker.state.transaction.transaction_state import PREPARED, TransactionState

FENCING: Final = frozenset({ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.PRODUCER_FENCED})
"""Error codes for a producer that a newer one has replaced."""

OF_TRANSACTIONS: Final = frozenset(
    {
        ApiKey.ADD_OFFSETS_TO_TXN,
        ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.END_TXN,
        ApiKey.INIT_PRODUCER_ID,
        ApiKey.TXN_OFFSET_COMMIT,
    }
)
"""APIs, besides Produce, whose requests contain a producer."""

_NAMED: Final = ("producer_id", "producer_epoch")

ProducerName: TypeAlias = tuple[str | None, int, int]
"""Transactional id, producer id, producer epoch."""


class TransactionRecorder:
    """Writes the transaction events of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        """Write into a ledger."""
        self._ledger = ledger

    def changed(self, event: TransactionChanged, number: int) -> None:
        """Record a decision, and a changed epoch."""
        ledger, before, after = self._ledger, event.before, event.after
        if after is None:
            return
        when = number, after.last_update_timestamp_ms
        has = _identity(after)
        # Not that of `before`: a fence bumps the epoch in memory before it logs the abort. A new
        # producer id fences that of an expired transactional id, too.
        had = ledger.assigned.get(after.transactional_id, _identity(before))
        ledger.assigned[after.transactional_id] = has
        if after.state in PREPARED and before.state not in PREPARED and ledger.has_room():
            is_commit = after.state is TransactionState.PREPARE_COMMIT
            ledger.decisions.append(Decision(*when, after.transactional_id, *had, is_commit))
        if had != has and ledger.has_room():
            ledger.epochs.append(EpochGiven(*when, after.transactional_id, *has, *had))

    def answered(self, api: ApiKey, request: Message, response: Message | None) -> None:
        """Record a response that tells a producer that it is fenced."""
        codes = FENCING.intersection(errors_in(response)) if response is not None else ()
        for code in codes:
            self.refused(_named_in(request), api, code)

    def refused(self, producer: ProducerName, api: ApiKey, code: ErrorCode) -> None:
        """Record that a producer got the error of a fenced one."""
        ledger = self._ledger
        event = Fenced(*producer, api.title, code.name)
        if event in ledger.fenced or ledger.has_room():
            ledger.fenced[event] = ledger.fenced.get(event, 0) + 1


def _identity(metadata: TransactionMetadata) -> tuple[int, int]:
    return metadata.producer_id, metadata.producer_epoch


def _named_in(request: Message) -> ProducerName:
    asked: Struct = request
    transactions = getattr(request, "transactions", None)
    if transactions:  # of AddPartitionsToTxn, from v4 on
        asked = transactions[0]
    prefix = "v3_and_below_" if hasattr(request, "transactions") and asked is request else ""
    name: Any = getattr(asked, f"{prefix}transactional_id")
    return name or None, *(getattr(asked, f"{prefix}{each}") for each in _NAMED)

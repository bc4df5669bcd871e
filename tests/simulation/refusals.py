"""Appends that fail inside a step: of coordinators to their logs, and of markers to partitions.

What brokers write themselves is built by a codec behind a port, `LogRecords`. A wrapper around it
refuses, so that the append fails when all is checked and nothing has changed, as with a full disk.
"""

from collections import Counter
from typing import Final, NamedTuple, cast

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.coordinator.log_records import LogRecords
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from mockbroker.state.transaction.transaction_state import TransactionState

_COMPLETED: Final = frozenset({TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT})
MARKERS: Final = "markers"
_KINDS: Final = {
    "build_end_txn_marker": MARKERS,
    "build_group_records": CONSUMER_OFFSETS,
    "build_share_record": SHARE_GROUP_STATE,
    "build_transaction_record": TRANSACTION_STATE,
}
"""The functions of the codec that build what is appended."""
REFUSALS: Final = (
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.KAFKA_STORAGE_ERROR,
)
"""Codes of appends after which a coordinator is still the coordinator."""


class Refusal(NamedTuple):
    """Appends to be refused."""

    kind: str
    """An internal topic, or `MARKERS`."""
    skipped: int
    """How many appends succeed before."""
    refused: int
    code: ErrorCode


class Refusals:
    """The codec of the brokers' own records, which refuses to build some of them."""

    def __init__(self, state: ClusterState, counts: Counter[str]) -> None:
        """Wrap a state's codec, and count the refused appends by the step that they interrupt."""
        self.counts: Final = counts
        self._planned: Final[dict[str, list[ErrorCode | None]]] = {}
        self._state: Final = state
        self._records: Final = state.records
        state.records = cast("LogRecords", self)

    def add(self, refusal: Refusal) -> None:
        """Refuse appends from now on."""
        planned = self._planned.setdefault(refusal.kind, [])
        planned += [None] * refusal.skipped + [refusal.code] * refusal.refused

    def clear(self) -> None:
        """Refuse nothing any more."""
        self._planned.clear()

    def __getattr__(self, name: str) -> object:
        """Return a function of the codec, which refuses if it is the turn of a refusal."""
        found = getattr(self._records, name)
        kind = _KINDS.get(name)
        if kind is None:
            return found

        def build(*args: object, **kwargs: object) -> object:
            self._refuse(kind)
            return found(*args, **kwargs)

        return build

    def _refuse(self, kind: str) -> None:
        planned = self._planned.get(kind)
        code = planned.pop(0) if planned else None
        if code is not None:
            self.counts[f"refused: {self._step() if kind == TRANSACTION_STATE else kind}"] += 1
            raise ApiError(code, "the simulation refuses it")

    def _step(self) -> str:
        """Return the state that a transactional id was to enter; a completion waits the longest."""
        pending = [
            each.metadata.pending_state
            for broker_id in self._state.brokers
            for each in self._state.transaction_coordinator(broker_id).states
            if each.metadata.pending_state is not None
        ]
        return next((each.state_name for each in pending if each not in _COMPLETED), "completion")

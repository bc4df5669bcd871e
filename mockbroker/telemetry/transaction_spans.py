"""Spans of transactions: each is the root of a trace, and its requests are the children.

A span begins with the request that may open a transaction, and ends when the coordinator has logged
its completion: after the markers, thus after the answer to EndTxn. Until then every request that
names the transactional id is a child, also one of another producer that fences this one.
"""

from collections.abc import Callable, Mapping
from typing import Final

from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, Tracer, set_span_in_context

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.state.events import MarkerAppended, TransactionChanged
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.telemetry import attributes as names

ROOT: Final = Context()
"""No parent, whatever span is current in the program that runs the cluster."""
OPENERS: Final = frozenset(
    {
        ApiKey.PRODUCE,
        ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.ADD_OFFSETS_TO_TXN,
        ApiKey.TXN_OFFSET_COMMIT,
    }
)
"""APIs that open a transaction."""
_OUTCOMES: Final[Mapping[TransactionState, str]] = {
    TransactionState.COMPLETE_COMMIT: "committed",
    TransactionState.COMPLETE_ABORT: "aborted",
}
TRANSACTION: Final = "transaction"
"""Name of the spans; names are few, so the transactional id is an attribute."""
NOT_OPENED: Final = "not_opened"
"""Outcome if the coordinator refused the request that would have opened the transaction."""


class OpenSpan:
    """Span of a transaction that has not ended."""

    __slots__ = ("is_opened", "opener", "producer_id", "span")

    def __init__(self, span: Span, opener: int | None) -> None:
        """Take the span, and the number of the request with which it began."""
        self.span: Final = span
        self.opener: Final = opener
        self.is_opened = opener is None
        """True once the coordinator knows the transaction."""
        self.producer_id = -1


class TransactionSpans:
    """Open transactions of one cluster, by transactional id."""

    def __init__(self, tracer: Tracer, now_ns: Callable[[], int]) -> None:
        """Start without transactions."""
        self._tracer: Final = tracer
        self._now_ns: Final = now_ns
        self._open: Final[dict[str, OpenSpan]] = {}
        self._initialized: Final[dict[str, SpanContext]] = {}
        """By transactional id: the last InitProducerId, to which its transactions link."""

    def parent_of(self, transactional_id: str, api: ApiKey, call: int, start_ns: int) -> Context:
        """Return the context of a request that begins: its transaction, if there is one."""
        opened = self._open.get(transactional_id)
        if opened is None and api in OPENERS:
            opened = self._begin(transactional_id, start_ns, call)
        return ROOT if opened is None else set_span_in_context(opened.span, ROOT)

    def answered(self, transactional_id: str, api: ApiKey, call: int, span: Span) -> None:
        """Note the end of a request; the coordinator may have refused to open a transaction."""
        if api is ApiKey.INIT_PRODUCER_ID:
            self._initialized[transactional_id] = span.get_span_context()
        opened = self._open.get(transactional_id)
        if opened is not None and not opened.is_opened and opened.opener == call:
            self._end(transactional_id, NOT_OPENED)

    def changed(self, event: TransactionChanged) -> None:
        """Note a transition at the coordinator."""
        before, after = event.before, event.after
        transactional_id = before.transactional_id
        state = None if after is None else after.state
        opened = self._open.get(transactional_id)
        if opened is None and state is TransactionState.ONGOING:
            opened = self._begin(transactional_id, self._now_ns(), None)
        if opened is not None:
            facts: dict[str, str | int] = {
                names.STATE_BEFORE: before.state.state_name,
                names.STATE_AFTER: "" if state is None else state.state_name,
                names.BROKER: event.broker,
            }
            opened.span.add_event("transaction.state", facts, self._now_ns())
        if opened is not None and after is not None and state is TransactionState.ONGOING:
            opened.is_opened = True
            opened.producer_id = after.producer_id
            opened.span.set_attribute(names.PRODUCER_ID, after.producer_id)
            opened.span.set_attribute(names.PRODUCER_EPOCH, after.producer_epoch)
        if state is not None and state in _OUTCOMES:
            self._end(transactional_id, _OUTCOMES[state])
        elif after is None:
            self._end(transactional_id, "expired")
            self._initialized.pop(transactional_id, None)

    def marked(self, event: MarkerAppended) -> None:
        """Note a marker in a partition."""
        log, marker = event.log, event.marker
        for opened in self._open.values():
            if opened.producer_id == marker.producer_id:
                facts = {
                    names.PARTITIONS: f"{log.topic}-{log.partition}",
                    names.MARKER: "COMMIT" if marker.is_commit else "ABORT",
                    names.OFFSET: event.offset,
                    names.PRODUCER_EPOCH: marker.producer_epoch,
                }
                opened.span.add_event("transaction.marker", facts, self._now_ns())

    def end_all(self, outcome: str) -> None:
        """End the open transactions, because the cluster stops or is reset."""
        for transactional_id in list(self._open):
            self._end(transactional_id, outcome)
        self._initialized.clear()

    def _begin(self, transactional_id: str, start_ns: int, call: int | None) -> OpenSpan:
        initialized = self._initialized.get(transactional_id)
        span = self._tracer.start_span(
            TRANSACTION,
            ROOT,
            SpanKind.INTERNAL,
            {names.MESSAGING_SYSTEM: names.KAFKA, names.TRANSACTIONAL_ID: transactional_id},
            [] if initialized is None else [Link(initialized)],
            start_ns,
        )
        opened = self._open[transactional_id] = OpenSpan(span, call)
        return opened

    def _end(self, transactional_id: str, outcome: str) -> None:
        opened = self._open.pop(transactional_id, None)
        if opened is not None:
            opened.span.set_attribute(names.OUTCOME, outcome)
            opened.span.end(self._now_ns())

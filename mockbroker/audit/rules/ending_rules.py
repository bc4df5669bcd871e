"""Rules for transactions that ended otherwise than their application decided.

PREPARED_TXN_EXPIRED: a coordinator aborted a transaction that its application committed.
WRONG_TXN_ENDED: a request to end an earlier transaction arrived late, and ended another one.
"""

from typing import ClassVar, Final

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

_EXPIRED: Final = RULES["PREPARED_TXN_EXPIRED"]
_WRONG: Final = RULES["WRONG_TXN_ENDED"]
_COMPLETE: Final = {"CompleteCommit", "CompleteAbort"}
_OVER: Final = {"Empty", "Dead", *_COMPLETE}
_ENDED: Final = {"PrepareCommit": "committed", "PrepareAbort": "aborted"}


class Expiries:
    """Tracks the transaction of each transactional id that was aborted after its timeout."""

    scope: ClassVar = ShardScope.PRODUCER

    def __init__(self, context: RuleContext) -> None:
        """Start without transactions."""
        self._context: Final = context
        self._aged: Final[dict[str, Run]] = {}
        self._begun: Final[dict[str, Run]] = {}

    def _asked(self, run: Run) -> None:
        if run.transactional_id is None or run.marker != "COMMIT":
            return
        begun = self._begun.get(run.transactional_id)
        if begun is not None and (_is_of_earlier_epoch(run, begun) or _is_of_another(run, begun)):
            return
        aged = self._aged.pop(run.transactional_id, None)
        if aged is not None and run.error != "NONE":
            answer = ", whose response was lost" if run.error is None else f" ({run.error})"
            what = f"timed out and was aborted before the request to commit it{answer}"
            self._report(aged, run, what)

    def end(self) -> None:
        """Do nothing: without a request, the application may not have decided."""

    def _transition(self, run: Run) -> None:
        transactional_id = run.transactional_id
        if transactional_id is None:
            return
        if run.state_after is None:
            if run.state_before not in _OVER:
                self._report(run, run, f"expired while it was {run.state_before}")
            self._aged.pop(transactional_id, None)
        elif run.state_after == "PrepareAbort" and run.call is None:
            self._aged[transactional_id] = run
        elif run.state_after == "Ongoing":
            if run.state_before != "Ongoing" or transactional_id not in self._begun:
                self._begun[transactional_id] = run
            self._aged.pop(transactional_id, None)

    def _report(self, aged: Run, asked: Run, what: str) -> None:
        self._context.report(
            Finding(
                _EXPIRED.name,
                _EXPIRED.severity,
                f"the transaction of {aged.transactional_id!r} {what}: its records are aborted, "
                "although the application decided to commit",
                _EXPIRED.advice,
                producer_id=aged.producer_id,
                producer_epoch=aged.producer_epoch,
                transactional_id=aged.transactional_id,
                virtual_time_ms=aged.virtual_time_ms,
                evidence=tuple(sorted({aged.seq, asked.seq})),
            )
        )

    handlers: ClassVar[Handlers] = {
        "transaction": _transition,
        "answer EndTxn": _asked,
        "lost EndTxn": _asked,
    }


class Endings:
    """Compares each EndTxn with the request that began the transaction that it ended.

    Calls are numbered as their requests arrive. An EndTxn with a lower number than the request that
    began the transaction arrived before it, and so was sent for an earlier one, with the same
    producer epoch. Since KIP-890's second part each transaction has its own epoch.
    """

    scope: ClassVar = ShardScope.PRODUCER

    def __init__(self, context: RuleContext) -> None:
        """Start without transactions."""
        self._context: Final = context
        self._begun: Final[dict[str, Run]] = {}

    def _transition(self, run: Run) -> None:
        if run.transactional_id is None:
            return
        if run.state_after == "Ongoing":
            if run.state_before != "Ongoing":
                self._begun[run.transactional_id] = run
            return
        begun = self._begun.pop(run.transactional_id, None)
        if begun is not None and run.state_after in _ENDED and _is_of_another(run, begun):
            self._report(run, begun, _ENDED[run.state_after])

    def end(self) -> None:
        """Do nothing: a transaction that is open has not ended."""

    def _report(self, ended: Run, begun: Run, what: str) -> None:
        self._context.report(
            Finding(
                _WRONG.name,
                _WRONG.severity,
                f"the transaction of {ended.transactional_id!r} was {what} by an EndTxn that was "
                f"sent for an earlier one: it had arrived (call {ended.call}) before the request "
                f"that began this transaction (call {begun.call}). What was written until then is "
                f"{what}, whatever its application decides",
                _WRONG.advice,
                producer_id=ended.producer_id,
                producer_epoch=ended.producer_epoch,
                transactional_id=ended.transactional_id,
                virtual_time_ms=ended.virtual_time_ms,
                evidence=(begun.seq, ended.seq),
            )
        )

    handlers: ClassVar[Handlers] = {
        "transaction": _transition,
    }


def _is_of_earlier_epoch(asked: Run, begun: Run) -> bool:
    """Return whether a request to end a transaction was sent for one before the last that began."""
    if asked.producer_epoch is None or begun.producer_epoch is None:
        return False
    return asked.producer_id == begun.producer_id and asked.producer_epoch < begun.producer_epoch


def _is_of_another(ended: Run, begun: Run) -> bool:
    """Return whether an end was requested before the transaction began, in the same epoch."""
    return (
        ended.api == "EndTxn"
        and ended.call is not None
        and begun.call is not None
        and ended.call < begun.call
        and begun.state_before in _COMPLETE
        and (ended.producer_id, ended.producer_epoch) == (begun.producer_id, begun.producer_epoch)
    )

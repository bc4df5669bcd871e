"""PREPARED_TXN_EXPIRED: a coordinator aborted a transaction that its application committed."""

from typing import Final

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run

_RULE: Final = RULES["PREPARED_TXN_EXPIRED"]
_OVER: Final = {"Empty", "CompleteCommit", "CompleteAbort", "Dead"}


class Expiries:
    """Tracks the transaction of each transactional id that was aborted after its timeout."""

    def __init__(self, context: RuleContext) -> None:
        """Start without transactions."""
        self._context: Final = context
        self._aged: Final[dict[str, Run]] = {}

    def see(self, run: Run) -> None:
        """Apply one run."""
        if run.transactional_id is None or run.is_folded:
            return
        if run.kind == "transaction":
            self._transition(run, run.transactional_id)
        elif run.kind in {"answer", "lost"} and run.api == "EndTxn" and run.marker == "COMMIT":
            aged = self._aged.pop(run.transactional_id, None)
            if aged is not None and run.error != "NONE":
                self._report(
                    aged,
                    run,
                    f"timed out and was aborted before the request to commit it ({run.error})",
                )

    def end(self) -> None:
        """Do nothing: without a request, the application may not have decided."""

    def _transition(self, run: Run, transactional_id: str) -> None:
        if run.state_after is None:
            if run.state_before not in _OVER:
                self._report(run, run, f"expired while it was {run.state_before}")
            self._aged.pop(transactional_id, None)
        elif run.state_after == "PrepareAbort" and run.call is None:
            self._aged[transactional_id] = run
        elif run.state_after == "Ongoing":
            self._aged.pop(transactional_id, None)

    def _report(self, aged: Run, asked: Run, what: str) -> None:
        self._context.report(
            Finding(
                _RULE.name,
                _RULE.severity,
                f"the transaction of {aged.transactional_id!r} {what}: its records are aborted, "
                "although the application decided to commit",
                _RULE.advice,
                producer_id=aged.producer_id,
                producer_epoch=aged.producer_epoch,
                transactional_id=aged.transactional_id,
                virtual_time_ms=aged.first_time_ms,
                evidence=tuple(sorted({aged.first_seq, asked.first_seq})),
            )
        )

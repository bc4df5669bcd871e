"""UNFENCED_EPOCH: a new producer has to get a producer id and epoch that no other one has."""

from typing import ClassVar, Final

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

_RULE: Final = RULES["UNFENCED_EPOCH"]


class Fencing:
    """Tracks the assigned producer ids and epochs, and their clients."""

    scope: ClassVar = ShardScope.CLUSTER

    def __init__(self, context: RuleContext) -> None:
        """Start without producers."""
        self._context: Final = context
        self._given: Final[dict[tuple[int, int], Run]] = {}
        self._naming: Final[set[int]] = set()
        """Calls that contain the producer's present id, which may get the same answer again."""

    def end(self) -> None:
        """Do nothing."""

    def _asked(self, run: Run) -> None:
        if run.call is not None and run.producer_id is not None and run.producer_id >= 0:
            self._naming.add(run.call)

    def _answered(self, run: Run) -> None:
        call = run.call
        if call is None or run.producer_id is None or run.error != "NONE":
            return
        assert run.producer_epoch is not None, run
        key = run.producer_id, run.producer_epoch
        first = self._given.setdefault(key, run)
        names_its_own = call in self._naming
        self._naming.discard(call)
        if first.call == call or names_its_own:
            return
        whose = "" if run.transactional_id is None else f" of {run.transactional_id!r}"
        self._context.report(
            Finding(
                _RULE.name,
                _RULE.severity,
                f"producer {run.producer_id} epoch {run.producer_epoch}{whose} was assigned to "
                f"{run.client_id!r} in call {call}, and before to {first.client_id!r} in call "
                f"{first.call}: neither fences the other, and their sequences are mixed",
                _RULE.advice,
                producer_id=run.producer_id,
                producer_epoch=run.producer_epoch,
                transactional_id=run.transactional_id,
                virtual_time_ms=run.virtual_time_ms,
                evidence=(first.seq, run.seq),
            )
        )

    handlers: ClassVar[Handlers] = {
        "request InitProducerId": _asked,
        "answer InitProducerId": _answered,
    }

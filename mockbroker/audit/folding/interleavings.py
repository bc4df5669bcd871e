"""Detection of folded runs that overlap, so that their inner order is unknown.

The pieces of a journal are in order, and so are the folded runs of a stream. If rows were
distributed to files in another order, runs overlap, and the stream has to be read event by event.
"""

from typing import Final

from mockbroker.audit.rule_context import RuleContext
from mockbroker.audit.runs.run import (
    Run,
    Stream,
    StreamKey,
    stream_key,
)


class Interleavings:
    """A machine without findings; it requests the events of streams whose folded runs overlap."""

    def __init__(self, context: RuleContext) -> None:
        """Start without folded runs."""
        self._context: Final = context
        self._reach: Final[dict[StreamKey, int]] = {}
        """The last event of each stream's folds."""

    def see(self, run: Run) -> None:
        """Compare a run with the folded runs of its streams."""
        for stream in (stream_key(run),) if run.is_folded else _streams_of(run):
            reach = self._reach.get(stream, -1)
            if run.first_seq <= reach:
                self._context.leave_undecided(stream)
            if run.is_folded:
                self._reach[stream] = max(reach, run.last_seq)

    def end(self) -> None:
        """Do nothing."""


def _streams_of(run: Run) -> tuple[StreamKey, ...]:
    """Return the streams in which a single event would be folded."""
    of_transaction = StreamKey(Stream.TRANSACTION, producer_id=run.producer_id)
    match run.kind:
        case "append" if not run.is_duplicate:
            log = StreamKey(Stream.LOG, run.topic, run.partition)
            producer = StreamKey(Stream.PRODUCER, run.topic, run.partition, run.producer_id)
            return (log, producer, of_transaction) if run.is_transactional else (log, producer)
        case "marker":
            return StreamKey(Stream.LOG, run.topic, run.partition), of_transaction
        case "transaction":
            return (of_transaction,)
        case _:
            return ()

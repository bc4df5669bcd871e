"""Model of read-process-write: each input is processed once, even if processors die."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from tests.simulation.group_committer import GroupCommitter
from tests.simulation.history import Transaction
from tests.simulation.model_client import PAUSE_MS, GaveUp
from tests.simulation.steps import Pause, Steps
from tests.simulation.transactional_producer import FENCED

if TYPE_CHECKING:
    from tests.simulation.world import World

GROUP: Final = "processors"
INPUT: Final = "input"
_READ_AT_ONCE: Final = 3


class Processor(GroupCommitter):
    """Processes input from the group's committed offset, a few records per transaction."""

    group = GROUP
    topic = INPUT

    def __init__(self, world: "World", name: str) -> None:
        super().__init__(world, name, "processor")
        self._position: int | None = None

    def run(self) -> Steps[None]:
        """Process all input, until another processor takes over."""
        for _ in range(4 * len(self.world.input_values)):
            self.is_out_of_time()
            transaction = self.begin()
            try:
                if self.producer[0] < 0:
                    yield from self.init()
                    self._position = None
                if self._position is None:
                    self._position = yield from self.committed(0)
                if self._position >= len(self.world.input_values):
                    return
                yield from self._process(transaction, self._position)
            except GaveUp as why:
                self.note(f"gives up a transaction ({transaction.outcome}): {why.code.name}")
                if self.believes_that_it_was_replaced(why.code):
                    return
                self.producer = (-1, -1)
                yield Pause(PAUSE_MS)

    def believes_that_it_was_replaced(self, code: ErrorCode) -> bool:
        """Return whether another processor continues."""
        return code in FENCED and self.world.is_replaced(self)

    def _process(self, transaction: Transaction, position: int) -> Steps[None]:
        values = self.world.input_values[position : position + _READ_AT_ONCE]
        for value in values:
            index = self.random.randrange(self.world.partitions)
            yield from self.write(transaction, "orders", index, [b"out of " + value])
        yield from self.commit_offset(0, position + len(values))
        if self.random.random() < 0.15:
            yield from self.abort(transaction)
            self._position = None
        else:
            yield from self.commit(transaction)
            self._position = position + len(values)

"""An attempt: a batch that a client sent to a partition in one request, and what came of it."""

from typing import Final, NamedTuple

from mockbroker.audit.runs.run import SEQUENCES
from mockbroker.audit.words import batch_text
from mockbroker.events.produce_outcome import Appended, ResponseOutcome

NOT_YET: Final = 0
"""The moment of what has not happened."""


class Attempt(NamedTuple):
    """A batch that came, and what came of it.

    What happens is numbered in one order, as by the `seq` of a journal: `came_at`, `appended_at`
    and `answered_at` are such numbers, 0 for what has not happened.
    """

    call: int
    connection: int
    client_id: str | None
    came_at: int
    producer_id: int = -1
    """-1 for a batch without a producer id."""
    producer_epoch: int = -1
    base_sequence: int = -1
    record_count: int = 1
    is_transactional: bool = False
    crc: int | None = None
    """The batch's CRC32C, where the evidence has it."""
    appended: Appended = Appended.NO
    appended_at: int = NOT_YET
    base_offset: int = -1
    """Where it stands; of a retry where the first try stands; -1 where it was not appended."""
    leader_epoch: int = 0
    """The leader's, at the append or the retry; epoch and offset together name a batch."""
    answer: ResponseOutcome = ResponseOutcome.NONE_YET
    error: str | None = None
    """The error of the answer, by Kafka's name; None of one without an error."""
    answered_at: int = NOT_YET
    is_repeated: bool = False
    """Whether the request was applied again, as by a network that doubles what it carries."""
    time_ms: int = 0
    """The cluster's time when it came."""

    @property
    def last_offset(self) -> int:
        """The offset of its last record."""
        return self.base_offset + self.record_count - 1

    @property
    def end_sequence(self) -> int:
        """The sequence that comes after it."""
        return (self.base_sequence + self.record_count) % SEQUENCES

    @property
    def is_acknowledged(self) -> bool:
        """Whether its client was told that it is stored."""
        return self.answer == ResponseOutcome.GIVEN and self.error is None

    @property
    def is_stored(self) -> bool:
        """Whether it was appended, and not known again as a retry."""
        return self.appended == Appended.YES

    @property
    def text(self) -> str:
        """Say which batch it is: offsets, producer, sequences."""
        return batch_text(self)

    @property
    def client(self) -> str:
        """Name the client that sent it."""
        return repr(self.client_id or "a client without id")

    @property
    def evidence(self) -> tuple[int, ...]:
        """Give the moments at which something became of it, in order."""
        return tuple(sorted({self.came_at, self.appended_at, self.answered_at} - {NOT_YET}))

    def was_acknowledged_before(self, moment: int) -> bool:
        """Tell whether its client had been told that it is stored at a moment of the order."""
        return self.is_acknowledged and self.answered_at < moment

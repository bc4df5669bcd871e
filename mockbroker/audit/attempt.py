"""An attempt: a batch that a client sent to a partition in one request, and its result."""

from typing import Final, NamedTuple

from mockbroker.audit.runs.run import SEQUENCES
from mockbroker.audit.words import batch_text
from mockbroker.events.produce_outcome import Appended, ResponseOutcome

NOT_YET: Final = 0
"""The moment of an event that has not occurred."""


class Attempt(NamedTuple):
    """Batch of one request, with the results of its append and of its response.

    Moments are numbers in one order, like the `seq` of a journal: `came_at`, `appended_at` and
    `answered_at` are such numbers, and 0 means that the event has not occurred.
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
    """The batch's CRC32C, if the evidence has it."""
    appended: Appended = Appended.NO
    appended_at: int = NOT_YET
    base_offset: int = -1
    """The batch's offset; of a retry, that of the first try; -1 if it was not appended."""
    leader_epoch: int = 0
    """The leader's, at the append or the retry; epoch and offset together name a batch."""
    answer: ResponseOutcome = ResponseOutcome.NONE_YET
    error: str | None = None
    """The error of the response, by Kafka's name; None without an error."""
    answered_at: int = NOT_YET
    is_repeated: bool = False
    """True if the request was applied again, as by a network that duplicates packets."""
    time_ms: int = 0
    """The cluster's time at the arrival."""

    @property
    def last_offset(self) -> int:
        """The offset of the batch's last record."""
        return self.base_offset + self.record_count - 1

    @property
    def end_sequence(self) -> int:
        """The sequence after the batch's last record."""
        return (self.base_sequence + self.record_count) % SEQUENCES

    @property
    def is_acknowledged(self) -> bool:
        """True if the client got a response without an error."""
        return self.answer == ResponseOutcome.GIVEN and self.error is None

    @property
    def is_stored(self) -> bool:
        """True if the batch was appended, and not recognised as a retry."""
        return self.appended == Appended.YES

    @property
    def text(self) -> str:
        """Format the batch's offsets, producer and sequences."""
        return batch_text(self)

    @property
    def client(self) -> str:
        """Return the name of the client that sent the batch."""
        return repr(self.client_id or "a client without id")

    @property
    def evidence(self) -> tuple[int, ...]:
        """Return the moments of the request, the append and the response, in order."""
        return tuple(sorted({self.came_at, self.appended_at, self.answered_at} - {NOT_YET}))

    def was_acknowledged_before(self, moment: int) -> bool:
        """Return whether the client had got a response without an error before a moment."""
        return self.is_acknowledged and self.answered_at < moment

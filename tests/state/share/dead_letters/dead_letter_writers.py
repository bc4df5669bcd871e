"""Writers of dead letters that record what they are asked for."""

from collections.abc import Sequence

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.share.dead_letters.dead_letter import DeadLetters
from mockbroker.state.topic.topic import Partition


class RecordingWriter:
    """A writer that fits `batch_size` records into a batch, and first refuses with `refusals`."""

    def __init__(self, batch_size: int = 100, refusals: Sequence[ErrorCode] = ()) -> None:
        self.batch_size = batch_size
        self.refusals = list(refusals)
        self.written: list[tuple[TopicPartition, int, int, bool]] = []
        self.causes: list[str] = []
        self.reasons: list[str] = []

    def write(self, letters: DeadLetters, to: Partition, *, is_copied: bool) -> int:
        if self.refusals:
            raise ApiError(self.refusals.pop(0), "refused")
        last_offset = min(letters.last_offset, letters.first_offset + self.batch_size - 1)
        self.written.append((to.topic_partition, letters.first_offset, last_offset, is_copied))
        self.causes.append(letters.cause)
        return last_offset

    def refused(self, letters: DeadLetters, refusal: ApiError) -> None:
        self.reasons.append(f"{letters.name}: {refusal.why}")

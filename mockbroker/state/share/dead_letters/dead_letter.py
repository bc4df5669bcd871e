"""Records that a share group could not process, on their way to its dead-letter queue (KIP-1191).

They are ARCHIVING meanwhile: no member can have them, and the start offset does not pass them.
"""

from enum import StrEnum
from typing import NamedTuple

from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.topic.topic import Partition


class DeadLetterCause(StrEnum):
    """The reason, in the words of a dead letter's header."""

    CLIENT_REJECT = "Offset rejected by client."
    DELIVERY_COUNT_EXCEEDED = "Offset delivery count exceeded the threshold."


class ArchivingBatch(NamedTuple):
    """Records with one state that is ARCHIVING, until they are dead letters."""

    first_offset: int
    last_offset: int
    state: InFlightState
    cause: DeadLetterCause


class DeadLetters(NamedTuple):
    """Records of a share partition that become dead letters together.

    Kafka's class is `ShareGroupDLQRecordParameter`.
    """

    group_id: str
    source: Partition
    first_offset: int
    last_offset: int
    delivery_count: int
    cause: DeadLetterCause

    @property
    def name(self) -> str:
        """The group, the partition and the offsets."""
        offsets = f"{self.first_offset}-{self.last_offset}"
        return f"{self.group_id} {self.source.topic_partition} {offsets}"

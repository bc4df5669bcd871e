"""Selection of the partitions and producers that rules have to check: most are regular.

A partition is regular if every batch was appended once and acknowledged (or sent with acks=0)
before the next one arrived, each producer's sequences are consecutive, and the log still has all
batches. No rule can have a finding in a regular partition; whether one has a finding in any other
is decided later.
"""

import struct
from bisect import bisect_right
from collections.abc import Mapping
from typing import Final

from mockbroker.audit.log_evidence import Extent
from mockbroker.audit.runs.run import SEQUENCES
from mockbroker.events.produce_outcome import Appended, ResponseOutcome
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.row import COLUMNS, Flag

_OF_PLACES: Final = struct.Struct("<4xIqhii12xBIqiB4xBhI")
"""Partition, producer, sequences, flags, arrival, offset, leader epoch, append, and response."""
_OF_PRODUCERS: Final = struct.Struct("<8xqh21xI12xBI7x")
"""Producer, arrival, whether it was appended, and when."""
assert _OF_PLACES.size == _OF_PRODUCERS.size == COLUMNS.size

_NEVER: Final = 1 << 62
_YES: Final = int(Appended.YES)
_GIVEN: Final = int(ResponseOutcome.GIVEN)
_UNWANTED: Final = int(ResponseOutcome.UNWANTED)
_REPEATED: Final = int(Flag.REPEATED)


class _Place:
    """State of a partition while the rows are read."""

    __slots__ = ("end", "extent", "known_at", "leader_epoch", "next_sequences")

    def __init__(self, extent: Extent) -> None:
        self.extent = extent
        self.known_at = 0
        """The moment at which the client of the last batch got its acknowledgement."""
        self.leader_epoch = -1
        self.end = 0
        """The end of the records of that leader epoch."""
        self.next_sequences: dict[tuple[int, int], int] = {}

    def enter(self, leader_epoch: int) -> None:
        self.leader_epoch = leader_epoch
        self.end = self.extent.epoch_end(leader_epoch)


def suspect_partitions(ledger: Ledger, extents: Mapping[int, Extent]) -> set[int]:
    """Return the irregular ones of the partitions that have an extent."""
    irregular = {number for number in extents if ledger.truncations.get(number)}
    places: list[_Place | None] = [
        _Place(extents[number]) if number in extents and number not in irregular else None
        for number in range(len(ledger.places))
    ]
    for (
        number, producer_id, producer_epoch, base_sequence, count, flags, came_at, base_offset,
        leader_epoch, appended, answer, error_code, answered_at,
    ) in ledger.columns(_OF_PLACES):  # fmt: skip
        place = places[number]
        if place is None:
            continue
        is_acknowledged = answer == _GIVEN and not error_code
        if appended != _YES:
            if is_acknowledged:
                places[number] = None
                irregular.add(number)
            continue
        if leader_epoch != place.leader_epoch:
            place.enter(leader_epoch)
        producer = producer_id, producer_epoch
        if (
            base_offset + count > place.end
            or came_at <= place.known_at
            or flags & _REPEATED
            or (
                producer_id >= 0
                and place.next_sequences.get(producer, base_sequence) != base_sequence
            )
        ):
            places[number] = None
            irregular.add(number)
            continue
        place.known_at = answered_at if is_acknowledged else 0 if answer == _UNWANTED else _NEVER
        if producer_id >= 0:
            place.next_sequences[producer] = (base_sequence + count) % SEQUENCES
    return irregular


def late_producers(ledger: Ledger) -> set[int]:
    """Return producers that wrote after they were replaced, or whose request spans an abort.

    Whether their writes are findings is decided later.
    """
    replaced: dict[tuple[int, int], int] = {}
    for each in ledger.epochs:  # a coordinator that forgets an epoch gives it twice
        previous = each.previous_producer_id, each.previous_producer_epoch
        replaced.setdefault(previous, each.order)
    aborts = [each.order for each in ledger.decisions if not each.is_commit]
    found: set[int] = set()
    if not replaced and not aborts:
        return found
    for producer_id, producer_epoch, came_at, appended, appended_at in ledger.columns(
        _OF_PRODUCERS
    ):
        if producer_id < 0 or appended != _YES:
            continue
        is_replaced = replaced.get((producer_id, producer_epoch), _NEVER) < appended_at
        if is_replaced or bisect_right(aborts, came_at) != bisect_right(aborts, appended_at):
            found.add(producer_id)
    return found

"""Model of a consumer, which reads one partition and checks every response."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse, PartitionData
from mockbroker.protocol.records.batch import batch_spans, parse_batch_header, records_of
from mockbroker.protocol.types import Buffer
from tests.simulation.history import Read
from tests.simulation.model_client import PAUSE_MS, GaveUp, ModelClient
from tests.simulation.steps import Lost, Pause, Steps
from tests.support.requests import fetch

if TYPE_CHECKING:
    from tests.simulation.world import World

_FETCH_VERSION: Final = 12
_ABORT: Final = 0
_MAX_WAIT_MS: Final = 200


class Reader(ModelClient):
    """Reads a partition from its start to its end."""

    def __init__(self, world: "World", name: str, index: int, *, is_committed: bool) -> None:
        super().__init__(world, name)
        self.index = index
        self.is_committed = is_committed
        self.position = 0
        self.seen: list[tuple[int, bytes]] = []
        """Offset and value of all that it was given."""
        self.reads: list[Read] = []
        """The same, with the moments."""

    def run(self) -> Steps[None]:
        """Read until all other clients have finished and no records are left."""
        while True:
            has_read_all, is_at_rest = False, self.world.is_at_rest
            try:
                has_read_all = yield from self._read()
            except GaveUp:
                continue
            except Lost:
                self.forget_leader("orders", self.index)
            if has_read_all:
                if is_at_rest:
                    return
                yield Pause(PAUSE_MS)

    def _read(self) -> Steps[bool]:
        """Read once; return whether there was nothing to read."""
        leader_id = yield from self.leader("orders", self.index)
        request = fetch("orders", self.index, offset=self.position, max_wait_ms=_MAX_WAIT_MS)
        request.isolation_level = int(self.is_committed)
        answer = yield from self.ask(leader_id, request, _FETCH_VERSION, FetchResponse)
        if answer.error_code or not answer.responses:
            return False
        data = answer.responses[0].partitions[0]
        before = self.position
        if data.error_code == ErrorCode.NONE:
            self._take(data)
            return self.position == before
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            self.position = self.world.earliest_offset(self.index, self.position)
        # Also where it is out of range: a broker that is isolated has less than was read elsewhere,
        # and, asked without an epoch, does not say that another one leads.
        self.forget_leader("orders", self.index)
        yield Pause(PAUSE_MS)
        return False

    def _take(self, data: PartitionData) -> None:
        if data.records is None:
            return
        records = bytes(data.records)
        aborted = sorted(
            (each.first_offset, each.producer_id) for each in data.aborted_transactions or []
        )
        aborting: set[int] = set()
        for start, _ in batch_spans(records):
            header = parse_batch_header(records, start)
            while aborted and aborted[0][0] <= header.base_offset + header.last_offset_delta:
                aborting.add(aborted.pop(0)[1])
            if header.is_control:
                if _is_abort(records, start):
                    aborting.discard(header.producer_id)
            elif not (
                self.is_committed and header.is_transactional and header.producer_id in aborting
            ):
                self._see(records, start)
            self.position = max(self.position, header.base_offset + header.last_offset_delta + 1)

    def _see(self, records: Buffer, start: int) -> None:
        moment = self.world.ledger.tick()
        for record in records_of(records, start):
            if record.offset >= self.position:
                assert record.value is not None
                value = bytes(record.value)
                self.seen.append((record.offset, value))
                self.reads.append(
                    Read(self.name, self.is_committed, self.index, record.offset, value, moment)
                )


def _is_abort(records: Buffer, start: int) -> bool:
    (marker,) = records_of(records, start)
    assert marker.key is not None
    return int.from_bytes(marker.key[2:4], "big") == _ABORT

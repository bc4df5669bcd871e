"""Model of an idempotent producer: several batches in flight, retried in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.state.producer.producer_state_entry import MAX_SEQUENCE
from tests.simulation.model_client import (
    PATIENCE,
    PAUSE_MS,
    REQUEST_TIMEOUT_MS,
    RETRIABLE,
    GaveUp,
    ModelClient,
    answer_as,
)
from tests.simulation.steps import Lost, Pause, Receive, Send, Steps

_IN_FLIGHT_MAX: Final = 5
_WRITTEN: Final = frozenset({ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER})
"""Error codes that count as a success; with the second one, the batch is already stored."""


@dataclass(eq=False)
class _Batch:
    values: list[bytes]
    sequence: int
    records: bytes
    code: ErrorCode | None = field(default=None)
    """Error code of the last answer; None before the first one."""


class IdempotentProducer(ModelClient):
    """Writes bursts of batches to partitions of one topic."""

    bursts = 5

    def run(self) -> Steps[None]:
        """Write all bursts; after a fatal error, start again under another producer id."""
        self._producer = (-1, -1)
        self._sequences: dict[int, int] = {}
        for _ in range(self.bursts):
            index = self.random.randrange(self.world.partitions)
            self.is_out_of_time()
            try:
                if self._producer[0] < 0:
                    self._producer = yield from self.init_producer_id(None)
                    self._sequences.clear()
                yield from self._burst(index)
            except GaveUp as why:
                self.note(f"gives up: {why.code.name}")
                self._producer = (-1, -1)
                yield Pause(PAUSE_MS)

    def _burst(self, index: int) -> Steps[None]:
        least = _IN_FLIGHT_MAX if self.world.is_always_full else 1
        count = self.random.randint(least, _IN_FLIGHT_MAX)
        pending = [self._next_batch(index) for _ in range(count)]
        for _ in range(PATIENCE):
            leader_id = yield from self.leader("orders", index)
            self.keep_trying()
            try:
                yield from self._send_all(leader_id, index, pending)
            except Lost:
                self.forget_leader("orders", index)
            told = ", ".join(
                f"{batch.sequence}: {'-' if batch.code is None else batch.code.name}"
                for batch in pending
            )
            self.note(f"wrote as {self._producer} to orders-{index}: {told}")
            for batch in pending:
                if batch.code in _WRITTEN:
                    self.world.ledger.acknowledge(batch.values)
            pending = [batch for batch in pending if batch.code not in _WRITTEN]
            if not pending:
                return
            self._check(pending)
            self.forget_leader("orders", index)
            yield Pause(PAUSE_MS)
        raise GaveUp(ErrorCode.REQUEST_TIMED_OUT)

    def _next_batch(self, index: int) -> _Batch:
        values = [self.value() for _ in range(self.random.choice((1, 1, 1, 3)))]
        sequence = self._sequences.get(index, self.world.first_sequence)
        self._sequences[index] = (sequence + len(values)) & MAX_SEQUENCE
        records = self.batch(values, self._producer, sequence, is_transactional=False)
        self.world.ledger.sent((self.name, self._producer), index, values)
        return _Batch(values, sequence, records)

    def _send_all(self, leader_id: int, index: int, pending: Sequence[_Batch]) -> Steps[None]:
        for batch in pending:
            batch.code = None
        version = self.world.produce_version
        for batch in pending:
            yield Send(leader_id, self.produce_request("orders", index, batch.records), version)
        for batch in pending:
            received = yield Receive(leader_id, REQUEST_TIMEOUT_MS)
            answer = answer_as(ProduceResponse, received)
            batch.code = ErrorCode(answer.responses[0].partition_responses[0].error_code)

    def _check(self, pending: Sequence[_Batch]) -> None:
        """Check whether a refused batch may be retried.

        Raises:
            GaveUp: a batch was refused finally; later batches are not sent again.

        """
        behind_another = False
        for batch in pending:
            code = batch.code
            is_gap = code is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER and behind_another
            if code is not None and code not in RETRIABLE and not is_gap:
                raise GaveUp(code)
            behind_another = True

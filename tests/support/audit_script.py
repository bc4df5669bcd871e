"""Builder of journals for the audit: calls, batches and transactions."""

from typing import Any

from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

COMMIT, ABORT = "COMMIT", "ABORT"


class Script:
    """Appends rows to `entries`; offsets and sequences continue automatically."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.now_ms = 1_000
        self._calls = 0
        self._ends: dict[tuple[str, int], int] = {}
        self._sequences: dict[tuple[str, int, int, int], int] = {}
        self._open: dict[tuple[str, int], dict[int, int]] = {}

    def row(self, kind: str, **columns: Any) -> Entry:
        """Write a row, a millisecond after the one before."""
        self.now_ms += 1
        seq = len(self.entries) + 1
        entry = Entry(seq, kind, self.now_ms * 1_000, self.now_ms, **columns)
        self.entries.append(entry)
        return entry

    def call(self) -> int:
        self._calls += 1
        return self._calls

    def end(self, partition: int, topic: str = "t") -> int:
        return self._ends.get((topic, partition), 0)

    def cut(self, partition: int, end: int, topic: str = "t") -> None:
        """Move the end of a log back."""
        self._ends[topic, partition] = end
        opened = self._open.get((topic, partition), {})
        self._open[topic, partition] = {who: at for who, at in opened.items() if at < end}

    def produce(self, partition: int = 0, *, error: ErrorCode = ErrorCode.NONE, **said: Any) -> int:
        """Write a Produce's three rows, and return its call."""
        batch = self.batch(partition, **said)
        call = self.request(partition, **batch)
        base = self.append(partition, call=call, **batch)
        if batch["acks"]:
            self.answer(partition, call=call, base_offset=base, error=error, **batch)
        return call

    def batch(self, partition: int = 0, **said: Any) -> dict[str, Any]:
        """Return the columns of a batch with the next sequence; `said` overrides them."""
        batch: dict[str, Any] = {
            "topic": "t", "producer_id": 7, "producer_epoch": 0, "record_count": 1,
            "is_transactional": False, "acks": -1, "transactional_id": None, **said,
        }  # fmt: skip
        stream = (batch["topic"], partition, batch["producer_id"], batch["producer_epoch"])
        after = -1 if batch["producer_id"] < 0 else self._sequences.get(stream, 0)
        batch.setdefault("base_sequence", after)
        if batch["producer_id"] >= 0:
            self._sequences[stream] = (batch["base_sequence"] + batch["record_count"]) % (1 << 31)
        return batch

    def request(self, partition: int, *, call: int | None = None, **batch: Any) -> int:
        call = self.call() if call is None else call
        self.row("request", call=call, api=ApiKey.PRODUCE, partition=partition, **batch)
        return call

    def answer(self, partition: int, *, error: ErrorCode = ErrorCode.NONE, **batch: Any) -> None:
        self.row("answer", api=ApiKey.PRODUCE, partition=partition, error=error, **batch)

    def append(
        self, partition: int, *, call: int | None = None, jump: int = 0, **batch: Any
    ) -> int:
        """Write a batch's append, and return its base offset."""
        topic, count = batch["topic"], batch["record_count"]
        base = self.end(partition, topic) + jump
        if batch["is_transactional"]:
            self._open.setdefault((topic, partition), {}).setdefault(batch["producer_id"], base)
        said = {k: v for k, v in batch.items() if k not in {"acks", "transactional_id"}}
        api = None if call is None else ApiKey.PRODUCE
        self.row(
            "append", call=call, api=api, partition=partition, base_offset=base,
            last_offset=base + count - 1, is_duplicate=False,
            **{**said, **self._grown(topic, partition, base + count)},
        )  # fmt: skip
        return base

    def _grown(self, topic: str, partition: int, end: int) -> dict[str, Any]:
        self._ends[topic, partition] = end
        stable = min([end, *self._open.get((topic, partition), {}).values()])
        return {
            "log_end_offset": end, "high_watermark": end, "log_start_offset": 0,
            "last_stable_offset": stable, "leader_epoch": 0, "broker": 1,
        }  # fmt: skip

    def transition(self, before: str, after: str | None, *partitions: int, **said: Any) -> None:
        detail = None
        if partitions:
            names = ",".join(f'"t-{each}"' for each in sorted(partitions))
            detail = f'{{"partitions":[{names}]}}'
        said = {"transactional_id": "tx", "producer_id": 9, "producer_epoch": 0, **said}
        self.row(
            "transaction", state_before=before, state_after=after, coordinator_epoch=0,
            detail=detail, **said,
        )  # fmt: skip

    def marker(self, partition: int, marker: str = COMMIT, **said: Any) -> None:
        who: dict[str, Any] = {
            "producer_id": 9,
            "producer_epoch": 0,
            "coordinator_epoch": 0,
            **said,
        }
        base = self.end(partition)
        self._open.get(("t", partition), {}).pop(who["producer_id"], None)
        grown = self._grown("t", partition, base + 1)
        self.row(
            "marker", topic="t", partition=partition, marker=marker, base_offset=base,
            last_offset=base, **who, **grown,
        )  # fmt: skip

    def transaction(
        self, *partitions: int, before: str = "Empty", marker: str = COMMIT, epoch: int = 0,
        bump: int = 0, batches: int = 1, unwritten: tuple[int, ...] = (),
    ) -> str:  # fmt: skip
        """Write a whole transaction, and return its last state."""
        self.begin(*partitions, *unwritten, before=before, epoch=epoch)
        for partition in partitions * batches:
            self.write(partition, epoch=epoch)
        return self.finish(*partitions, *unwritten, marker=marker, epoch=epoch + bump)

    def begin(self, *partitions: int, before: str = "Empty", epoch: int = 0) -> None:
        call = self.call()
        said = {"producer_epoch": epoch, "call": call, "api": ApiKey.ADD_PARTITIONS_TO_TXN}
        self.transition(before, "Ongoing", *partitions, **said)

    def write(self, partition: int, *, epoch: int = 0, **said: Any) -> int:
        who: dict[str, Any] = {"producer_id": 9, "producer_epoch": epoch, "transactional_id": "tx"}
        return self.produce(partition, is_transactional=True, **{**who, **said})

    def finish(self, *partitions: int, marker: str = COMMIT, epoch: int = 0) -> str:
        """Write the end of a transaction, and return its last state."""
        ending = marker.title()
        call = self.call()
        asked = {"producer_epoch": epoch, "call": call, "api": ApiKey.END_TXN}
        self.transition("Ongoing", f"Prepare{ending}", *partitions, **asked)
        self.row(
            "answer", transactional_id="tx", producer_id=9, marker=marker, error=ErrorCode.NONE,
            **asked,
        )  # fmt: skip
        for partition in partitions:
            self.marker(partition, marker, producer_epoch=epoch)
        self.transition(f"Prepare{ending}", f"Complete{ending}", producer_epoch=epoch)
        return f"Complete{ending}"

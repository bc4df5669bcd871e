"""Names of batches, producers and partitions in the texts of findings."""

from typing import Protocol

from mockbroker.audit.runs.run import Run


class HasProducer(Protocol):
    """Producer of a run or an attempt."""

    @property
    def producer_id(self) -> int | None:
        """Producer id; -1 or None without one."""
        ...

    @property
    def producer_epoch(self) -> int | None:
        """Producer epoch."""
        ...


class HasBatch(HasProducer, Protocol):
    """Batch of a run or an attempt."""

    @property
    def base_offset(self) -> int | None:
        """First offset."""
        ...

    @property
    def last_offset(self) -> int | None:
        """Last offset."""
        ...

    @property
    def record_count(self) -> int | None:
        """Number of records."""
        ...

    @property
    def base_sequence(self) -> int | None:
        """First sequence."""
        ...


def batch_text(run: HasBatch) -> str:
    """Format a batch's offsets, producer and sequences."""
    offsets = f"offset {run.base_offset}"
    count = run.record_count or 1
    if count > 1:
        offsets = f"offsets {run.base_offset}..{run.last_offset}"
    if run.producer_id is None or run.producer_id < 0:
        return offsets
    sequences = f"#{run.base_sequence}"
    if count > 1:
        sequences += f"..{(run.base_sequence or 0) + count - 1}"
    return f"{offsets} ({producer_text(run)} {sequences})"


def offsets_text(first: int, last: int) -> str:
    """Format offsets from the first to the last."""
    return f"offset {first}" if first == last else f"offsets {first} to {last}"


def producer_text(run: HasProducer) -> str:
    """Format a producer."""
    return f"producer {run.producer_id} epoch {run.producer_epoch}"


def place_text(place: tuple[str, int]) -> str:
    """Format a partition in Kafka's notation."""
    return f"{place[0]}-{place[1]}"


def duration_text(duration_ms: int) -> str:
    """Format a duration, in the largest suitable unit."""
    for unit, size_ms in (("h", 3_600_000), ("min", 60_000), ("s", 1_000)):
        if duration_ms >= 2 * size_ms:
            return f"{duration_ms / size_ms:.4g} {unit}"
    return f"{duration_ms} ms"


def marker_text(run: Run) -> str:
    """Format a marker."""
    return "a COMMIT marker" if run.marker == "COMMIT" else "an ABORT marker"

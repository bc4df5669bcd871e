"""How findings name what they are about."""

from typing import Protocol

from mockbroker.audit.runs.run import Run


class HasProducer(Protocol):
    """What names who wrote something, as a run and an attempt have it."""

    @property
    def producer_id(self) -> int | None:
        """-1 or None without one."""
        ...

    @property
    def producer_epoch(self) -> int | None:
        """Its epoch."""
        ...


class HasBatch(HasProducer, Protocol):
    """What names a batch."""

    @property
    def base_offset(self) -> int | None:
        """Its first offset."""
        ...

    @property
    def last_offset(self) -> int | None:
        """Its last offset."""
        ...

    @property
    def record_count(self) -> int | None:
        """How many records it has."""
        ...

    @property
    def base_sequence(self) -> int | None:
        """Its first sequence."""
        ...


def batch_text(run: HasBatch) -> str:
    """Say which batch it is: offsets, producer, sequences."""
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


def producer_text(run: HasProducer) -> str:
    """Say whose a run is."""
    return f"producer {run.producer_id} epoch {run.producer_epoch}"


def place_text(place: tuple[str, int]) -> str:
    """Name a partition as Kafka does."""
    return f"{place[0]}-{place[1]}"


def duration_text(duration_ms: int) -> str:
    """Say how long something took, in the largest unit that shows it."""
    for unit, size_ms in (("h", 3_600_000), ("min", 60_000), ("s", 1_000)):
        if duration_ms >= 2 * size_ms:
            return f"{duration_ms / size_ms:.4g} {unit}"
    return f"{duration_ms} ms"


def marker_text(run: Run) -> str:
    """Name a marker."""
    return "a COMMIT marker" if run.marker == "COMMIT" else "an ABORT marker"

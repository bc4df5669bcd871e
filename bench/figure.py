"""A figure of the bench: its unit, its goals, and how numbers are written."""

from dataclasses import dataclass
from enum import StrEnum


class Unit(StrEnum):
    """Unit of a figure; the text is its heading."""

    REQUESTS_PER_S = "requests/s"
    MESSAGES_PER_S = "messages/s"
    RECORDS_PER_S = "records/s"
    MEGABYTES_PER_S = "MB/s"
    GIGABYTES_PER_S = "GB/s"
    SECONDS = "s"
    MILLISECONDS = "ms"
    MICROSECONDS = "µs"  # noqa: RUF001
    CPU_EACH = "µs a message"  # noqa: RUF001
    MEBIBYTES = "MiB"
    SHARE = "×"
    TIMES_AS_LONG = "× as long"
    TRANSACTIONS_PER_S = "transactions/s"
    BYTES_EACH = "bytes each"

    @property
    def more_is_better(self) -> bool:
        """True if a larger value is better."""
        return self in {
            Unit.REQUESTS_PER_S,
            Unit.MESSAGES_PER_S,
            Unit.RECORDS_PER_S,
            Unit.MEGABYTES_PER_S,
            Unit.GIGABYTES_PER_S,
            Unit.SHARE,
            Unit.TRANSACTIONS_PER_S,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Bound on the ratio of mockbroker's figure to a rival's: a minimum if more is better."""

    rival: str
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table."""

    key: str
    title: str
    unit: Unit
    target: float | None = None
    """Absolute bound of mockbroker's figure: a minimum if more is better, else a maximum."""
    bounds: tuple[Bound, ...] = ()

    def reaches(self, value: float, bound: float) -> bool:
        """Return whether a value satisfies a bound."""
        return value >= bound if self.unit.more_is_better else value <= bound

    def goals(self) -> str:
        """Return the target as text."""
        sign = "≥" if self.unit.more_is_better else "≤"
        goals = [] if self.target is None else [f"{sign} {number(self.target)}"]
        goals += [f"{sign} {bound.ratio:.2g} × {bound.rival}" for bound in self.bounds]
        return ", ".join(goals)


def number(value: float) -> str:
    """Return a value with three significant digits: 251k, 63.1, 1.23, 0.04."""
    for limit, suffix in ((1_000_000, "M"), (10_000, "k")):
        if value >= limit:
            scaled = value / (limit if suffix == "M" else 1000)
            return f"{scaled:.3g}{suffix}" if scaled < 100 else f"{scaled:.0f}{suffix}"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}" if value >= 1 else f"{value:.2f}"

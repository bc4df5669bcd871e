"""What of an input could not be judged: where, why, and what to do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BadInput:
    """One thing that is wrong with what was given; the rest is judged where that is sound."""

    where: str
    """The path or the address."""
    what: str
    """A sentence on what is wrong with it, and on what of the verdict it costs."""
    advice: str
    """What to do."""

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.where}: {self.what} {self.advice}"


class BadInputError(Exception):
    """Nothing of a source can be judged."""

    def __init__(self, bad: BadInput) -> None:
        """Keep what is wrong."""
        super().__init__(str(bad))
        self.bad = bad

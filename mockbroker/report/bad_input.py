"""Input that could not be judged: its location, the reason, and advice."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BadInput:
    """One defect of the input; the rest is judged if that is sound."""

    where: str
    """Path or address."""
    what: str
    """Sentence with the defect, and its effect on the verdict."""
    advice: str
    """Advice for the user."""

    def __str__(self) -> str:
        """Format it as one line."""
        return f"{self.where}: {self.what} {self.advice}"


class BadInputError(Exception):
    """No part of a source can be judged."""

    def __init__(self, bad: BadInput) -> None:
        """Store the defect."""
        super().__init__(str(bad))
        self.bad = bad

"""Result of one situation with one client and one release, and its name."""

from dataclasses import dataclass

from tests.clients.kip_691.template import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What readers of committed records find when all is over."""

    lost: int = 0
    """Orders that are nowhere."""
    duplicated: int = 0
    """Orders that are there more than once."""
    is_hanging: bool = False
    """Whether a transaction is open that no coordinator will end."""
    has_wrong_offset: bool = False
    """Whether the group's offset is not after the last order."""

    def __str__(self) -> str:
        """Name it as the page does."""
        parts = [
            f"{self.lost} lost" if self.lost else "",
            f"{self.duplicated} duplicated" if self.duplicated else "",
            "hanging" if self.is_hanging else "",
            "wrong offset" if self.has_wrong_offset else "",
        ]
        return ", ".join(filter(None, parts)) or "exactly once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What the application saw, and what became of its records."""

    verdict: Verdict
    answered: tuple[str, ...]
    """The errors that the client's calls were answered with."""
    raised: tuple[str, ...]
    """What each call of the application raised, in order."""
    ending: Ending
    findings: tuple[str, ...]
    """The rules of the audit that the journal breaks."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The place of a cell in the table."""

    situation: str
    release: str
    client: str

    @property
    def anchor(self) -> str:
        """The name of the cell in links and commands; it does not change."""
        return f"{self.situation}--{self.release}--{self.client.lower().replace(' ', '-')}"

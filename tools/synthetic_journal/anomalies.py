"""Anomalies that are put into a synthetic journal at known places."""

from typing import NamedTuple

from numpy.random import Generator

from tools.synthetic_journal.numbering import Numbered
from tools.synthetic_journal.scene import Past, Scene


class Injected(NamedTuple):
    """What an audit has to find."""

    rule: str


class Anomalies:
    """Says what goes wrong in each scene."""

    def __init__(self, each: int, scenes: int, past: Past, random: Generator) -> None:
        """Deal out so many of each kind to so many scenes."""

    def put_into(self, scene: Scene, number: int) -> list[Injected]:
        """Change a scene."""
        return []

    def known(self, marks: list[Injected], rows: Numbered) -> list[Injected]:
        """Return what an audit has to find in a scene."""
        return marks

"""Toxics without sockets: a stage, and what it reports."""

from mockbroker.faults.network.toxic import Ending, Piece, Stage, Toxic
from mockbroker.state.random_source import RandomSource


class Watched:
    """A stage of a toxic, and its reported hits."""

    def __init__(self, toxic: Toxic, seed: int = 1) -> None:
        self.struck: list[int] = []
        self.stage: Stage = toxic.stage(RandomSource(seed), self.struck.append)

    def sees(self, data: bytes | Ending, at_s: float) -> list[tuple[bytes | Ending, float]]:
        return [(each.data, round(each.at_s, 6)) for each in self.stage.through(Piece(data, at_s))]

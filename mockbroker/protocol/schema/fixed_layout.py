"""The layout of bytes in which a few numbers differ, and all else stays the same."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

_LETTERS: Final = {1: "b", 2: "h", 4: "i", 8: "q"}


class FixedLayout:
    """Where numbers stand in what a function writes.

    The function writes with 0 and with -1, in which all bytes differ: so the layout is that of the
    codec that it writes with.
    """

    __slots__ = ("constants", "layout")

    def __init__(self, write: Callable[..., bytes], numbers: Sequence[str]) -> None:
        """Find the numbers that `write` takes by these names; they are written in this order."""
        zeros = write(**dict.fromkeys(numbers, 0))
        places = [difference(zeros, write(**{**dict.fromkeys(numbers, 0), n: -1})) for n in numbers]
        borders = [0, *(end for each in places for end in (each.start, each.stop)), len(zeros)]
        assert borders == sorted(borders), (numbers, places)
        self.constants = tuple(zeros[slice(*each)] for each in list(pairwise(borders))[::2])
        """What stands before, between and behind the numbers."""
        letters = [*(_LETTERS[len(each)] for each in places), ""]
        self.layout = ">" + "".join(
            f"{len(constant)}s{letter}"
            for constant, letter in zip(self.constants, letters, strict=True)
        )
        """The layout for `struct`: constants and numbers in turn."""


def difference(first: bytes, second: bytes) -> range:
    """Return where bytes of one size differ, from the first place to the last."""
    places = [n for n, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    return range(places[0], places[-1] + 1)

"""Layout of a message in which only a few numbers vary."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

_LETTERS: Final = {1: "b", 2: "h", 4: "i", 8: "q"}


class FixedLayout:
    """Positions of the numbers in a function's output.

    The function is called with 0 and with -1, which differ in all bytes. So the layout follows from
    the codec that the function uses.
    """

    __slots__ = ("constants", "layout")

    def __init__(self, write: Callable[..., bytes], numbers: Sequence[str]) -> None:
        """Find the named numbers in the output of `write`, which has them in this order."""
        zeros = write(**dict.fromkeys(numbers, 0))
        places = [difference(zeros, write(**{**dict.fromkeys(numbers, 0), n: -1})) for n in numbers]
        borders = [0, *(end for each in places for end in (each.start, each.stop)), len(zeros)]
        assert borders == sorted(borders), (numbers, places)
        self.constants = tuple(zeros[slice(*each)] for each in list(pairwise(borders))[::2])
        """Constant bytes before, between and after the numbers."""
        letters = [*(_LETTERS[len(each)] for each in places), ""]
        self.layout = ">" + "".join(
            f"{len(constant)}s{letter}"
            for constant, letter in zip(self.constants, letters, strict=True)
        )
        """The layout for `struct`: constants and numbers in turn."""


def difference(first: bytes, second: bytes) -> range:
    """Return the range of differing positions of two texts of one size."""
    places = [n for n, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    return range(places[0], places[-1] + 1)

"""Steps of a request: the budget of one slice, and the limits of one request.

A step is about a microsecond of work, counted and not measured: to decode an element, to handle an
item, to encode a part of the response. A request within one slice is handled at once. A larger one
pauses after each slice, so that other connections are served.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, Generic, TypeVar

from mockbroker.protocol.schema.codegen import PacedItems

S = TypeVar("S")
T = TypeVar("T")

SLICE_STEPS: Final = 5_000
ELEMENTS_MAX: Final = 50_000
"""Array elements and tagged fields of one request, nested ones included. Kafka has no such limit:
its requests are limited by `socket.request.max.bytes` only, and take what memory they take."""
RESPONSE_BYTES_MAX: Final = 32 * 1024 * 1024
"""Size of the response to such a request, without records."""
ELEMENT_BYTES: Final = 4096
"""Bytes of a frame that count as an element: hashing names and reading records takes time."""
BYTES_A_STEP: Final = 16
DECODING_STEPS: Final = 2
ENCODING_STEPS: Final = 2


class TooManySteps(Exception):  # noqa: N818 - an outcome: the request is handled in slices
    """Raised while a request is decoded that does not fit into one slice."""


class TooManyElements(Exception):  # noqa: N818 - an outcome: the request is refused
    """Raised while a request is decoded that has more than `ELEMENTS_MAX` elements."""


class Tally:
    """Count of the elements of a request that is to be handled at once."""

    __slots__ = ("left",)

    def __init__(self, frame_bytes: int, steps_per_element: int) -> None:
        """Allow as many elements as can be handled in one slice; a frame's bytes count, too."""
        self.left = SLICE_STEPS // steps_per_element - frame_bytes // ELEMENT_BYTES

    def elements(self, count: int) -> range:
        """Return the indexes of an array's elements.

        Raises:
            TooManySteps: there are more elements than one slice can handle.

        """
        self.left -= count
        if self.left < 0:
            raise TooManySteps
        return range(count)


class Pace:
    """Pauses of a large request."""

    __slots__ = ("_elements_left", "_pause", "_steps_left", "steps_per_item")

    def __init__(self, pause: Callable[[], None]) -> None:
        """Call `pause` after each slice."""
        self.steps_per_item = 1
        """Steps to handle an item, which depend on the API."""
        self._pause = pause
        self._steps_left = SLICE_STEPS
        self._elements_left = ELEMENTS_MAX

    def weigh(self, frame_bytes: int, steps_per_element: int) -> None:
        """Set the steps of an item, when all of a frame's elements are decoded."""
        elements = ELEMENTS_MAX - self._elements_left
        self.steps_per_item = steps_per_element + frame_bytes // (elements or 1) // BYTES_A_STEP

    def spend(self, steps: int) -> None:
        """Count steps that were taken, and pause if the slice is used up."""
        self._steps_left -= steps
        if self._steps_left <= 0:
            self._steps_left = SLICE_STEPS
            self._pause()

    def elements(self, count: int) -> Iterable[int]:
        """Yield the indexes of an array's elements that are being decoded.

        Raises:
            TooManyElements: the request has more than `ELEMENTS_MAX`.

        """
        self._elements_left -= count
        if self._elements_left < 0:
            raise TooManyElements
        return self._each(range(count), DECODING_STEPS)

    def items(self, items: Iterable[T]) -> Iterator[T]:
        """Yield items to handle."""
        return self._each(items, self.steps_per_item)

    def encoded(self, after_slice: Callable[[], None]) -> PacedItems:
        """Return a function that yields the elements of a response that are being encoded.

        `after_slice` is called about once in each slice.
        """
        left = elements_of_a_slice = SLICE_STEPS // ENCODING_STEPS

        def each(items: Iterable[T]) -> Iterator[T]:
            nonlocal left
            for item in items:
                yield item
                left -= 1
                if left == 0:
                    left = elements_of_a_slice
                    after_slice()
                self.spend(ENCODING_STEPS)

        return each

    def _each(self, items: Iterable[T], steps: int) -> Iterator[T]:
        for item in items:
            yield item
            self.spend(steps)


class Lazily(Generic[S, T]):
    """Array of a response whose elements are made when they are encoded."""

    __slots__ = ("_items", "_make", "_pace")

    def __init__(self, make: Callable[[T], S], items: Collection[T], pace: Pace) -> None:
        """Make an element of each item."""
        self._make = make
        self._items = items
        self._pace = pace

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self._items)

    def __iter__(self) -> Iterator[S]:
        """Make the elements."""
        return map(self._make, self._pace.items(self._items))

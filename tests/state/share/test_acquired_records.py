"""Neighbours are joined."""

from mockbroker.state.share.acquired_records import AcquiredRecords as A
from mockbroker.state.share.acquired_records import joined


def test_only_neighbours_with_equal_counts_are_joined() -> None:
    assert joined([A(0, 0, 1), A(1, 1, 1), A(2, 2, 2), A(4, 4, 2), A(5, 6, 2)]) == [
        A(0, 1, 1),
        A(2, 2, 2),
        A(4, 6, 2),
    ]
    assert joined([]) == []

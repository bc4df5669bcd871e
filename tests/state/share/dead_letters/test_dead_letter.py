"""Names of dead letters."""

from mockbroker.state.share.dead_letters.dead_letter import DeadLetterCause, DeadLetters
from tests.state.share.coordinator_clusters import coordinating


def test_dead_letters_are_named_by_group_partition_and_offsets() -> None:
    source = coordinating().partition("t", 1)
    assert source is not None
    letters = DeadLetters("g", source, 3, 5, 1, DeadLetterCause.CLIENT_REJECT)
    assert letters.name == "g t-1 3-5"

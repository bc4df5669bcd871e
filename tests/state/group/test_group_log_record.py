"""A committed offset."""

from uuid import UUID

from mockbroker.state.group.group_log_record import OffsetAndMetadata


def test_the_text_of_an_offset_shows_all_of_it() -> None:
    offset = OffsetAndMetadata(5, 3, "m", 1_000, 2_000, UUID(int=7), 42)
    assert offset.as_text() == (
        "offset 5 epoch 3 'm' committed 1000 expires 2000 topic"
        " 00000000-0000-0000-0000-000000000007 at 42"
    )

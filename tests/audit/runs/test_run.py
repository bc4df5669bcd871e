import pytest

from mockbroker.audit.runs.run import (
    COLUMNS,
    SEQUENCES,
    Run,
    Stream,
    StreamKey,
    sort_key,
    stream_key,
)

_RUN = Run("event", "append", 3, 3, 10, 10, topic="a", partition=1, producer_id=7)


def test_the_columns_are_scalars_in_order() -> None:
    assert tuple(column.name for column in COLUMNS) == Run._fields
    kinds = {column.name: column.kind for column in COLUMNS}
    assert (kinds["topic"], kinds["first_seq"]) == ("string", "int64")
    assert (kinds["producer_id"], kinds["is_duplicate"]) == ("int64", "bool")


def test_sequences_wrap_after_the_largest() -> None:
    run = _RUN._replace(base_sequence=SEQUENCES - 1, record_count=3)
    assert run.sequence_after == 2
    assert run._replace(base_sequence=-1).sequence_after == -1
    assert run._replace(next_sequence=7).sequence_after == 7


def test_only_a_single_event_is_not_folded() -> None:
    assert not _RUN.is_folded
    assert _RUN._replace(stream=Stream.LOG).is_folded


def test_runs_are_ordered_by_their_first_events() -> None:
    later = _RUN._replace(first_seq=4, last_seq=4)
    other = _RUN._replace(partition=0)
    assert sorted([later, _RUN, other], key=sort_key) == [other, _RUN, later]
    log = _RUN._replace(stream=Stream.LOG, last_seq=9)
    producer = _RUN._replace(stream=Stream.PRODUCER, last_seq=5)
    assert sorted([producer, log], key=sort_key) == [log, producer]


@pytest.mark.parametrize(
    ("stream", "key"),
    [
        (Stream.LOG, StreamKey("log", "a", 1)),
        (Stream.PRODUCER, StreamKey("producer", "a", 1, 7)),
        (Stream.TRANSACTION, StreamKey("transaction", producer_id=7)),
        (Stream.READ, StreamKey("read", "a", 1, client_id="c")),
    ],
)
def test_the_key_of_a_stream_depends_on_its_kind(stream: Stream, key: StreamKey) -> None:
    assert stream_key(_RUN._replace(stream=stream, client_id="c")) == key


def test_a_run_without_a_partition_has_no_place() -> None:
    assert _RUN.place == ("a", 1)
    with pytest.raises(AssertionError):
        _ = _RUN._replace(topic=None).place

import pytest

from mockbroker.audit.runs.run import COLUMNS, SEQUENCES, Run, exact_kind, sort_key

_RUN = Run("append", 3, 10, topic="a", partition=1, producer_id=7)


def test_the_columns_are_scalars_in_order() -> None:
    assert tuple(column.name for column in COLUMNS) == Run._fields
    kinds = {column.name: column.kind for column in COLUMNS}
    assert (kinds["topic"], kinds["seq"]) == ("string", "int64")
    assert (kinds["producer_id"], kinds["is_duplicate"]) == ("int64", "bool")


def test_sequences_wrap_after_the_largest() -> None:
    run = _RUN._replace(base_sequence=SEQUENCES - 1, record_count=3)
    assert run.sequence_after == 2
    assert run._replace(base_sequence=-1).sequence_after == -1


def test_runs_are_ordered_by_their_numbers() -> None:
    later = _RUN._replace(seq=4)
    other = _RUN._replace(partition=0)
    assert sorted([later, _RUN, other], key=sort_key) == [other, _RUN, later]


def test_a_run_without_a_partition_has_no_place() -> None:
    assert _RUN.place == ("a", 1)
    with pytest.raises(AssertionError):
        _ = _RUN._replace(topic=None).place


def test_the_exact_kind_of_a_call_has_its_api_and_that_of_an_event_its_name() -> None:
    assert exact_kind(_RUN) == "append"
    assert exact_kind(_RUN._replace(kind="request", api="Produce")) == "request Produce"
    event = _RUN._replace(kind="event", detail='{"event":"reset"}')
    assert exact_kind(event) == "event reset"
    assert exact_kind(event._replace(detail=None)) == "event None"

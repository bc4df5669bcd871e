"""Tables as text."""

from mockbroker.cli.text_columns import columns


def test_each_column_is_as_wide_as_it_has_to_be() -> None:
    assert list(columns([("a", "long", "c"), ("bcd", "x", "")])) == ["a    long  c", "bcd  x"]


def test_a_column_is_set_to_the_right_on_request() -> None:
    assert list(columns([("1", "a"), ("22", "b")], right=frozenset({0}))) == [" 1  a", "22  b"]


def test_a_table_without_rows_has_no_lines() -> None:
    assert not list(columns([]))

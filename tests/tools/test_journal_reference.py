"""The page of the journal's schema is generated from its declaration, and is complete."""

from mockbroker.journal.entry import COLUMNS, KINDS, Entry
from tools.journal_reference import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


def test_every_column_of_an_entry_is_declared_in_its_order() -> None:
    assert tuple(column.name for column in COLUMNS) == Entry._fields
    assert {column.kind for column in COLUMNS} == {"int64", "int32", "int16", "bool", "string"}


def test_every_kind_and_column_has_its_line() -> None:
    text = page()
    assert all(f"\n| `{kind}` | " in text for kind in KINDS)
    assert all(f"\n| `{column.name}` | {column.kind} | " in text for column in COLUMNS)

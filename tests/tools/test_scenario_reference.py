"""The page about scenario files and their schema are made from the code."""

from tools.scenario_reference import PAGE, SCHEMA, page, schema


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


def test_the_schema_is_up_to_date() -> None:
    assert SCHEMA.read_text("utf-8") == schema(), "run `make docs`"

"""The page of errors is made from the tables of the command."""

from tools.errors_reference import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"

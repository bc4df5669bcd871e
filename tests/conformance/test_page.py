"""The page on conformance agrees with the code."""

from tools.conformance import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"

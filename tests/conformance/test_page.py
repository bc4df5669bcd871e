"""The page on conformance says what the code says."""

from tools.conformance import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"

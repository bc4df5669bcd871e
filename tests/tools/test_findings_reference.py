"""The page of an audit's findings is generated from their declarations."""

from tools.findings_reference import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"

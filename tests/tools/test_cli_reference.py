"""The page on the command line matches the help of the commands."""

from mockbroker.cli.commands import COMMANDS
from tests.tidy.repository import ROOT
from tools.cli_reference import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / PAGE).read_text("utf-8") == page(), "run `make docs`"


def test_every_command_has_a_section() -> None:
    text = page()
    for name in COMMANDS:
        assert f"## mockbroker {name}\n" in text
    assert "### mockbroker faults add\n" in text

"""Options of a journal: off, in memory, in a folder, or explicit."""

from pathlib import Path
from typing import Any

import pytest

from mockbroker.journal.options import JournalOptions, journal_options


def test_each_value_of_the_journal_setting_becomes_options() -> None:
    exact = JournalOptions(entries_max=5)
    assert journal_options(None) is None
    assert journal_options(False) is None
    assert journal_options(True) == JournalOptions()
    assert journal_options("out") == JournalOptions(path="out")
    assert journal_options(Path("out")) == JournalOptions(path=Path("out"))
    assert journal_options(exact) is exact


@pytest.mark.parametrize("wrong", [{"format": "csv"}, {"entries_max": 0}])
def test_invalid_options_are_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        JournalOptions(**wrong)

"""A journal is off, in memory, in a folder, or exactly as one says."""

from pathlib import Path
from typing import Any

import pytest

from mockbroker.journal.options import JournalOptions, journal_options


def test_a_setting_is_short_for_options() -> None:
    exact = JournalOptions(entries_max=5)
    assert journal_options(None) is None
    assert journal_options(False) is None
    assert journal_options(True) == JournalOptions()
    assert journal_options("out") == JournalOptions(path="out")
    assert journal_options(Path("out")) == JournalOptions(path=Path("out"))
    assert journal_options(exact) is exact


@pytest.mark.parametrize("wrong", [{"format": "csv"}, {"entries_max": 0}])
def test_what_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        JournalOptions(**wrong)

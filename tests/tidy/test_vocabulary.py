"""The source and the documentation use Kafka's terms and the field's, not words of their own."""

import re

import pytest

from tests.tidy.repository import Sources, refuse, sources

PRIVATE = re.compile(
    r"(?<![A-Za-z])("
    r"happenings?|fell[ _]due|falls? due|wakefulness|under glass|lots|hears?|heard"
    r"|the journal's ear|narrow[ _]way|wide[ _]way|doors?|doorman|parked|parking|uninitialised"
    r"|strangers?|knocks?|spoken|taps?|a law|laws|nobody's|in vain|kinder"
    r")(?![A-Za-z])",
    re.IGNORECASE,
)
"""Words that a reader who knows Kafka and pytest would have to learn."""

FORMER_NAMES = re.compile(r"fell_due")
"""A name of the HTTP API and of Python that stays accepted."""


def private_words(files: Sources) -> list[str]:
    return [
        f"{path}:{number}: {found.group()}"
        for path, text in files.items()
        if path.startswith(("mockbroker/", "docs/", "README.md"))
        and path.endswith((".py", ".md"))
        and not path.startswith("docs/decisions/")
        for number, line in enumerate(text.splitlines(), 1)
        for found in PRIVATE.finditer(FORMER_NAMES.sub("", line))
    ]


@pytest.mark.slow
def test_no_private_word_is_used() -> None:
    refuse(private_words(sources()))


@pytest.mark.parametrize(
    ("path", "line", "word"),
    [
        ("mockbroker/a.py", '"""Tell what falls due."""', "falls due"),
        ("mockbroker/a.py", "def narrow_way(): ...", "narrow_way"),
        ("mockbroker/a.py", "self.parked = []", "parked"),
        ("docs/a.md", "Lots are drawn from the seed.", "Lots"),
        ("README.md", "One more door to the cluster.", "door"),
    ],
)
def test_a_private_word_is_detected(path: str, line: str, word: str) -> None:
    assert private_words({path: f"\n{line}\n"}) == [f"{path}:2: {word}"]


def test_other_words_and_former_names_are_allowed() -> None:
    allowed = 'field(name="fell_due")  # plots, outdoors, and records that are kept\n'
    assert not private_words({"mockbroker/a.py": allowed})

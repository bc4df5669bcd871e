"""Each page opens with when a reader wants it and what it needs installed."""

import re
from collections.abc import Mapping
from typing import Final

import pytest

from tests.docs.test_pages import imported, python_blocks
from tests.tidy.repository import Sources, refuse, sources

OPENING: Final = re.compile(
    r"(?:<!--.*-->\n\n)?# .+\n\n(?:<!--.*-->\n\n)?"
    r"\*\*You want it when\*\* (?:(?!\n\n)[^*])+\.[ \n]"
    r"\*\*It needs\*\* (?P<needs>(?:(?!\n\n)[^*])+)\.\n\n"
)
"""The comment of a tool, the title, and a paragraph of two lines or more."""

NEEDED: Final[Mapping[str, str]] = {
    "aiokafka": "aiokafka",
    "confluent_kafka": "confluent-kafka",
    "cryptography": "`jwt`",
    "jwt": "`jwt`",
    "kafka": "kafka-python",
    "pyspark": "`spark`",
}
"""The word for a package that a page's programs import."""

ARGUMENTS: Final[Mapping[str, str]] = {
    "admin_port=": "`http`",
    "mockbroker_spark": "`spark`",
    "tls=True": "`tls`",
}
"""The extra for something in a page's programs."""


def pages(files: Sources) -> dict[str, str]:
    """Return the pages that open like this: all but the index and the records of decisions."""
    return {
        path: text
        for path, text in files.items()
        if re.fullmatch(r"docs/(?!decisions/\d).+\.md", path) and path != "docs/index.md"
    }


def wrong_openings(files: Sources) -> list[str]:
    """Name the pages that open otherwise, or whose opening lacks what their programs use."""
    wrong: list[str] = []
    for path, text in pages(files).items():
        opening = OPENING.match(text)
        if opening is None:
            wrong.append(f"{path}: does not open with **You want it when** … and **It needs** …")
            continue
        wrong += [
            f"{path}: its programs use {word}, which **It needs** does not name"
            for word in used(text)
            if word not in opening["needs"]
        ]
    return wrong


def used(text: str) -> list[str]:
    """Name the packages and extras that the programs of a page use."""
    programs = python_blocks(text)
    names = set[str]().union(*map(imported, programs))
    return sorted(
        {word for name, word in NEEDED.items() if name in names}
        | {word for part, word in ARGUMENTS.items() if any(part in each for each in programs)}
    )


def test_each_page_opens_with_when_it_is_wanted_and_what_it_needs() -> None:
    assert len(pages(sources())) > 60
    refuse(wrong_openings(sources()))


GOOD: Final = "# A\n\n**You want it when** it rains.\n**It needs** nothing but x.\n\nMore.\n"


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\nMore.\n",
        "# A\n\nFirst.\n\n**You want it when** it rains.\n**It needs** x.\n\nMore.\n",
        "# A\n\n**You want it when** it rains.\n\nMore.\n",
        "# A\n\n**You want it when**\n**It needs** x.\n\nMore.\n",
        GOOD + "```python\nimport kafka\n```\n",
        GOOD + "```python\nCluster(tls=True)\n```\n",
    ],
)
def test_another_opening_is_wrong(text: str) -> None:
    assert len(wrong_openings({"docs/a.md": text})) == 1


@pytest.mark.parametrize("path", ["docs/a.md", "docs/index.md", "docs/decisions/0001-a.md"])
def test_an_opening_is_right(path: str) -> None:
    text = GOOD if path == "docs/a.md" else "# A\n\nMore.\n"
    assert not wrong_openings({path: text, "README.md": "# A\n"})


def test_an_opening_may_follow_the_comment_of_a_tool() -> None:
    head, _, rest = GOOD.partition("\n\n")
    assert not wrong_openings({"docs/a.md": f"<!-- Made by x. -->\n\n{GOOD}"})
    assert not wrong_openings({"docs/a.md": f"{head}\n\n<!-- Made by x. -->\n\n{rest}"})

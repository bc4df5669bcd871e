"""Links in the documentation lead somewhere."""

import re
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest

from tests.tidy.repository import Sources, refuse, sources

FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Return the anchors that a page's headings get."""
    headings = (re.sub(r"[`*_]", "", heading) for heading in HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(files: Sources) -> list[str]:
    known = set(files) | {folder for path in files for folder in folders_of(path)}
    found: list[str] = []
    for path, text in files.items():
        if not path.endswith(".md"):
            continue
        for inline, reference in LINK.findall(FENCED.sub("", text)):
            target, _, anchor = unquote(inline or reference).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            page = normpath(join(dirname(path), target)) if target else path
            if page not in known or (anchor and anchor not in anchors(files.get(page, ""))):
                found.append(f"{path}: {inline or reference}")
    return found


def folders_of(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def test_every_link_leads_somewhere() -> None:
    refuse(dead_links(sources()))


@pytest.mark.parametrize("link", ["[x](gone.md)", "[x](b.md#gone)", "[x](#gone)", "[x]: ../gone\n"])
def test_a_dead_link_is_seen(link: str) -> None:
    assert len(dead_links({"docs/a.md": f"# A\n\n{link}\n", "docs/b.md": "# B\n"})) == 1


@pytest.mark.parametrize(
    "link",
    [
        "[x](b.md#the-rules-of-b)",
        "[x](../tools/x.py)",
        "[x](../tools)",
        "[x](https://example.org/gone)",
        "```\n[x](gone.md)\n```",
    ],
)
def test_a_link_that_leads_somewhere_is_allowed(link: str) -> None:
    files = {"docs/a.md": f"{link}\n", "docs/b.md": "## The *rules* of `b`\n", "tools/x.py": ""}
    assert not dead_links(files)

"""Pages of the documentation are linked, narrow and short."""

import re
from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath
from typing import Final
from urllib.parse import unquote

import pytest

from tests.tidy.repository import ROOT, Sources, refuse, sources

FENCED = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$", re.MULTILINE)

COLUMNS_MAX: Final = 120
PAGE_LINES_MAX: Final[Mapping[str, int]] = {"README.md": 120, "docs/ARCHITECTURE.md": 150}
FIRST_TEST_LINES_MAX: Final = 25
TABLE_ROWS_MAX: Final[Mapping[str, int]] = {"docs/ARCHITECTURE.md": 12, "docs/glossary.md": 30}
TABLE_HEAD_ROWS: Final = 2


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
    binary = {f"docs/pictures/{path.name}": "" for path in (ROOT / "docs/pictures").glob("*.png")}
    refuse(dead_links({**sources(), **binary}))


@pytest.mark.parametrize("link", ["[x](gone.md)", "[x](b.md#gone)", "[x](#gone)", "[x]: ../gone\n"])
def test_a_dead_link_is_detected(link: str) -> None:
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


def installs_from_an_index(files: Sources) -> list[str]:
    """Return the lines that install mockbroker from an index, on which it is not."""
    return [
        f"{path}:{number}: {line.strip()}"
        for path, text in files.items()
        if path.endswith((".md", ".py")) and not path.startswith("tests/tidy/")
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(r"(pip|uv) (install|add)\b[^`]*[ '\"]mockbroker\b", line)
    ]


def test_pages_and_errors_name_an_install_that_works() -> None:
    refuse(installs_from_an_index(sources()))


@pytest.mark.parametrize("package", ["mockbroker", "'mockbroker[tls]'", "-q pytest mockbroker"])
def test_an_install_from_an_index_is_detected(package: str) -> None:
    assert installs_from_an_index({"docs/a.md": f"$ pip install {package}\n"})
    assert not installs_from_an_index({"docs/a.md": "$ pip install '.[tls]'\n"})


def unreachable_pages(files: Sources) -> list[str]:
    """Return the pages under docs/ that no chain of links from README.md leads to."""
    reached = {"README.md"}
    following = ["README.md"]
    while following:
        path = following.pop()
        new = {page for page in linked_pages(path, files[path]) if page in files} - reached
        reached |= new
        following += new
    pages = (path for path in files if path.startswith("docs/") and path.endswith(".md"))
    return [f"{path}: no link leads here from README.md" for path in pages if path not in reached]


def linked_pages(path: str, text: str) -> Iterator[str]:
    for inline, reference in LINK.findall(FENCED.sub("", text)):
        target = unquote(inline or reference).partition("#")[0]
        if target.endswith(".md") and not re.match(r"[a-z]+:", target):
            yield normpath(join(dirname(path), target))


def wide_lines(files: Sources) -> list[str]:
    """Return the lines of prose that are too wide; tables and code cannot break."""
    return [
        f"{path}:{number}: {len(line)} columns"
        for path, text in files.items()
        if path.endswith(".md")
        for number, line in enumerate(FENCED.sub(as_blank_lines, text).splitlines(), 1)
        if len(line) > COLUMNS_MAX and line.lstrip()[:1] != "|" and " " in breakable(line)
    ]


def as_blank_lines(fenced: re.Match[str]) -> str:
    return "\n" * fenced.group().count("\n")


def breakable(line: str) -> str:
    """Return a line without its list mark, with a letter for each link and piece of code."""
    bare = re.sub(r"^\s*(?:[-*>]|\d+\.)\s+", "", line)
    return re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)", "x", bare).strip()


def long_pages(files: Sources) -> list[str]:
    return [
        f"{path}: {lines} lines"
        for path, most in PAGE_LINES_MAX.items()
        if (lines := len(files[path].splitlines())) > most
    ]


def long_tables(files: Sources) -> list[str]:
    return [
        f"{path}: {rows} rows"
        for path, most in TABLE_ROWS_MAX.items()
        if (rows := len(re.findall(r"^\|", files[path], re.MULTILINE)) - TABLE_HEAD_ROWS) > most
    ]


def late_first_test(readme: str) -> list[str]:
    """Require that the first program of README.md is a whole test of few lines."""
    first = re.search(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    if first is None or "def test_" not in first.group(1):
        return ["README.md: its first program is no test"]
    lines = len(first.group(1).splitlines())
    return [f"README.md: its first test has {lines} lines"] if lines > FIRST_TEST_LINES_MAX else []


def test_every_page_is_reachable_from_the_readme() -> None:
    refuse(unreachable_pages(sources()))


def test_a_page_without_a_link_is_detected() -> None:
    files = {
        "README.md": "[index](docs/index.md)\n",
        "docs/index.md": "[a](a.md#part)\n```\n[b](b.md)\n```\n",
        "docs/a.md": "[c](<deep/c.md>)\n",
        "docs/deep/c.md": "",
    }
    assert not unreachable_pages(files)
    found = unreachable_pages({**files, "docs/b.md": "[itself](b.md)\n"})
    assert found == ["docs/b.md: no link leads here from README.md"]


def test_no_line_of_prose_is_too_wide() -> None:
    refuse(wide_lines(sources()))


@pytest.mark.parametrize("line", ["word " * 25, "- " + "word " * 25, "[x](y.md) " * 20])
def test_a_wide_line_is_detected(line: str) -> None:
    assert len(wide_lines({"docs/a.md": f"# A\n\n{line}\n"})) == 1


@pytest.mark.parametrize(
    "line",
    [
        "w" * COLUMNS_MAX,
        "| a | " + "word " * 40 + "|",
        "```text\n" + "word " * 40 + "\n```",
        "- [a title of several words](" + "x" * COLUMNS_MAX + ".md)",
    ],
)
def test_a_wide_line_that_cannot_break_is_allowed(line: str) -> None:
    assert not wide_lines({"docs/a.md": f"{line}\n", "a.py": "word " * 40})


def test_readme_and_architecture_are_short() -> None:
    refuse(long_pages(sources()))


@pytest.mark.parametrize("path", sorted(PAGE_LINES_MAX))
def test_one_line_too_many_in_a_page_is_detected(path: str) -> None:
    files = dict.fromkeys(PAGE_LINES_MAX, "")
    most = PAGE_LINES_MAX[path]
    assert not long_pages({**files, path: "x\n" * most})
    assert long_pages({**files, path: "x\n" * (most + 1)}) == [f"{path}: {most + 1} lines"]


def test_the_tables_of_additions_and_of_words_are_short() -> None:
    refuse(long_tables(sources()))


@pytest.mark.parametrize("path", sorted(TABLE_ROWS_MAX))
def test_one_row_too_many_in_a_table_is_detected(path: str) -> None:
    files = dict.fromkeys(TABLE_ROWS_MAX, "")
    full = "| a |\n| --- |\n" + "| b |\n" * TABLE_ROWS_MAX[path]
    assert not long_tables({**files, path: full})
    assert len(long_tables({**files, path: f"{full}| c |\n"})) == 1


def test_the_readme_begins_with_a_short_test() -> None:
    refuse(late_first_test(sources()["README.md"]))


@pytest.mark.parametrize("program", ["x = 1\n", "def test_x():\n" + "    x = 1\n" * 25])
def test_a_first_program_that_is_long_or_no_test_is_detected(program: str) -> None:
    assert (
        len(late_first_test(f"# A\n```python\n{program}```\n```python\ndef test_y(): ...\n```\n"))
        == 1
    )

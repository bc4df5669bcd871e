"""The pictures of the documentation show what mockbroker prints, and pages show the pictures."""

import html
import re
from typing import Final

from tests.support.fenced_blocks import texts_of
from tests.tidy.repository import sources
from tools.pictures import FAILURE, OVERVIEW, PICTURES, REPORT, TIMELINE, failure, timeline

REPORT_BYTES_MAX: Final = 150_000
SHOWN: Final = re.compile(r"!\[[^\]]{30,}\]\([\w./]*pictures/([\w.]+)\)")
PRINTED: Final = """\
\x1b[31m> assert x\x1b[0m
mockbroker = <Cluster object at 0x7f1>
--- Captured stderr call ---
{"ts": "2026-11-27"}
\x1b[1m--- mockbroker timeline ---
+0.512s  orders-0 <- (1 record): call 12 of 'shop'
--- mockbroker journal (last 40) ---
#1 21:45:44.847
"""


def words(svg: str) -> str:
    """Return the text of a picture without its blanks, which are many."""
    text = "".join(re.findall(r"<text [^>]*>([^<]*)</text>", svg))
    return "".join(html.unescape(text).split())


def test_a_failure_is_drawn_up_to_its_timeline_without_what_varies() -> None:
    drawn = failure(PRINTED)
    assert words(drawn) == (
        "pytest"
        ">assertx"
        "mockbroker=<Clusterobjectat…>"
        "---mockbrokertimeline---"
        "+…sorders-0<-(1record):call…of'shop'"
    )
    assert drawn == failure(PRINTED.replace("0x7f1", "0xabc").replace("0.512", "1.3"))


def test_a_picture_needs_no_other_file() -> None:
    assert "url(" not in re.sub(r"url\(#[\w-]+\)", "", failure(PRINTED))


def test_the_failure_is_that_of_the_readme() -> None:
    drawn = words(FAILURE.read_text("utf-8"))
    for part in (*texts_of("README.md", "python fails"), *texts_of("README.md", "text")):
        for line in part.splitlines():
            if line.startswith((" ", "assert_", "What")):
                assert "".join(line.split()) in drawn, "run `python -m tools.pictures`"


def test_the_partition_is_drawn_as_it_is_today() -> None:
    assert TIMELINE.read_text("utf-8") == timeline(), "run `python -m tools.pictures timeline`"


def test_the_reports_are_small_pictures() -> None:
    for picture in (REPORT, OVERVIEW):
        assert picture.read_bytes()[:4] == b"\x89PNG"
        assert picture.stat().st_size <= REPORT_BYTES_MAX


def test_a_page_shows_each_picture_and_says_what_is_on_it() -> None:
    shown = {
        name
        for path, text in sources().items()
        if path.endswith(".md")
        for name in SHOWN.findall(text)
    }
    made = {FAILURE.name, OVERVIEW.name, REPORT.name, TIMELINE.name}
    assert shown == {path.name for path in PICTURES.iterdir()} == made

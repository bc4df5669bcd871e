"""Drawing of an overview."""

import re
from xml.etree import ElementTree as ET

from mockbroker.audit.finding import Finding, Severity
from mockbroker.timeline.findings_overview import NumberedFinding, findings_overview
from mockbroker.timeline.overview_svg import overview_svg


def drawing(*findings: Finding) -> str:
    numbered = [NumberedFinding(number, each) for number, each in enumerate(findings, 1)]
    return overview_svg(findings_overview(numbered), "The <findings>")


def finding(severity: Severity, time_ms: int | None = 1_900_000_000_000) -> Finding:
    return Finding("R", severity, "", topic="a<b", partition=0, virtual_time_ms=time_ms)


def test_every_mark_is_a_link_with_a_title() -> None:
    svg = drawing(*(finding(each, 1_900_000_000_000 + 60_000 * each.rank) for each in Severity))
    root = ET.fromstring(svg)
    assert root.get("aria-label") == "The <findings>"
    links = root.findall("a")
    assert [each.get("href") for each in links] == ["#finding-1", "#finding-2", "#finding-3"]
    titles = [each.findtext("title") for each in links]
    assert titles == ["a<b-0: 1 finding: 1 R"] * 3
    shapes = [each.find("*[@class='shape']") for each in links]
    assert [None if each is None else each.tag for each in shapes] == ["circle", "path", "rect"]
    assert [each.text for each in root.findall("text")][:6:5] == ["17:46:40.000", "17:48:40.000"]


def test_a_mark_of_several_findings_has_their_number() -> None:
    assert re.findall(r">(\d+k?)</text></a>", drawing(*[finding(Severity.INFO)] * 12)) == ["12"]
    assert ">1k</text></a>" in drawing(*[finding(Severity.INFO)] * 1_500)


def test_findings_without_a_time_need_no_axis() -> None:
    svg = drawing(finding(Severity.ERROR, None))
    assert "no time" in svg
    assert int(ET.fromstring(svg).get("width", "")) < 300

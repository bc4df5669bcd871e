"""The picture of a timeline."""

from xml.etree import ElementTree as ET

from mockbroker.spark.report.timeline import timeline_of
from mockbroker.spark.report.timeline_svg import timeline_svg
from tests.support.verdicts import GAP
from tests.support.written_journals import produced


def drawn(topic: str = "orders") -> ET.Element:
    appends = [entry for entry in produced(6, partitions=1) if entry.kind == "append"]
    entries = [entry._replace(topic=topic) for entry in appends]
    finding = GAP._replace(evidence=(entries[2].seq,))
    return ET.fromstring(timeline_svg(timeline_of(finding, entries), 'around "1" & more'))


def classes(picture: ET.Element) -> list[str]:
    return [each.get("class", "") for each in picture.iter()]


def test_a_drawing_is_valid_svg_with_a_box_for_each_batch() -> None:
    picture = drawn()
    assert picture.get("aria-label") == 'around "1" & more'
    boxes = [name for name in classes(picture) if name.startswith("cell")]
    assert boxes == ["cell append"] * 2 + ["cell append proven"] + ["cell append"] * 3
    assert classes(picture).count("proof") == 1


def test_a_drawing_is_as_large_as_its_contents() -> None:
    picture = drawn()
    width = int(picture.get("width", "0"))
    boxes = [each for each in picture.iter() if each.tag == "rect"]
    assert all(int(box.get("x", "0")) + int(box.get("width", "0")) <= width for box in boxes)


def test_levels_are_drawn_as_steps() -> None:
    names = classes(drawn())
    assert {"level end", "level watermark", "level stable"} <= set(names)


def test_names_are_escaped() -> None:
    picture = drawn(topic="a&b<c")
    tips = [each.text or "" for each in picture.iter() if each.tag == "title"]
    assert any("a&b<c" in tip for tip in tips)

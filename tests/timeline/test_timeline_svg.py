"""The picture of a timeline."""

from xml.etree import ElementTree as ET

import pytest

from mockbroker.timeline.finding_timeline import finding_timeline
from mockbroker.timeline.timeline import (
    LEGEND,
    Beyond,
    CellKind,
    OffsetLine,
    Timeline,
    TimelineCell,
    TimelineColumn,
    TimelineLane,
)
from mockbroker.timeline.timeline_svg import timeline_svg
from tests.support.verdicts import GAP
from tests.support.written_journals import produced

NOW_MS = 1_900_000_000_250
DAY_MS = 86_400_000
HOSTILE = "</title><script>alert(1)</script> \"'&\x00\ud800"


def around_a_finding() -> ET.Element:
    entries = [entry for entry in produced(6, partitions=1) if entry.kind == "append"]
    finding = GAP._replace(evidence=(entries[2].seq,))
    drawn = timeline_svg(finding_timeline(finding, entries), 'around "1" & more')
    return ET.fromstring(drawn)


def of_cells(*cells: TimelineCell, **changes: object) -> Timeline:
    count = max((int(cell.start) for cell in cells), default=-1) + 1
    parts: dict[str, object] = {
        "title": "orders-0",
        "columns": tuple(TimelineColumn(f"{each}", NOW_MS, None) for each in range(count)),
        "lanes": (TimelineLane("producer 7", "payments"),),
        "cells": cells,
    }
    return Timeline(**{**parts, **changes})  # type: ignore[arg-type]


def classes(picture: ET.Element) -> list[str]:
    return [each.get("class", "") for each in picture.iter()]


def texts(picture: ET.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter() if tag(each) == "text"]


def tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def test_a_drawing_is_valid_svg_with_a_box_for_each_batch() -> None:
    picture = around_a_finding()
    assert picture.get("role") == "img"
    assert picture.get("aria-label") == 'around "1" & more'
    boxes = [each.get("class") for each in picture.iter() if each.get("data-seq")]
    assert boxes == ["cell batch"] * 2 + ["cell batch evidence"] + ["cell batch"] * 3
    assert classes(picture).count("proof") == 1


def test_a_drawing_is_as_large_as_its_contents() -> None:
    picture = around_a_finding()
    width, height = int(picture.get("width", "0")), int(picture.get("height", "0"))
    boxes = [each for each in picture.iter() if tag(each) == "rect"]
    assert all(int(box.get("x", "0")) + int(box.get("width", "0")) <= width for box in boxes)
    assert all(int(box.get("y", "0")) + int(box.get("height", "0")) <= height for box in boxes)


def test_levels_are_drawn_as_steps() -> None:
    names = classes(around_a_finding())
    assert {"level log-end", "level watermark", "level stable"} <= set(names)


def test_hostile_names_are_texts_in_every_place() -> None:
    cell = TimelineCell(0, 0, CellKind.BATCH, HOSTILE[:8], HOSTILE[:8], HOSTILE)
    drawn = timeline_svg(
        of_cells(
            cell,
            title=HOSTILE,
            lanes=(TimelineLane(HOSTILE, HOSTILE),),
            columns=(TimelineColumn(HOSTILE, None, None),),
            lines=(OffsetLine(0, 0, (HOSTILE,)),),
            notes=(HOSTILE,),
            wall_clock=HOSTILE,
        ),
        HOSTILE,
    )
    picture = ET.fromstring(drawn)
    assert {tag(each) for each in picture.iter()} <= {
        *("svg", "style", "rect", "g", "title", "text", "path", "tspan"),
    }
    shown = HOSTILE.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert picture.get("aria-label") == shown
    tips = [each.text for each in picture.iter() if tag(each) == "title"]
    assert tips.count(shown) == 2
    assert "<script" not in drawn


def test_only_a_standalone_drawing_has_a_style_and_a_namespace() -> None:
    timeline = of_cells(TimelineCell(0, 0, CellKind.BATCH, "1 record"))
    alone, part = timeline_svg(timeline), timeline_svg(timeline, is_standalone=False)
    assert "prefers-color-scheme:dark" in alone
    assert "xmlns" in alone
    assert "<style" not in part
    assert "xmlns" not in part
    assert "style=" not in part


def test_a_cell_names_its_offsets_and_event_for_a_page() -> None:
    cell = TimelineCell(
        0, 0, CellKind.COMMITTED, "seq 0", first_offset=0, last_offset=4, seq=17, tip="all of it"
    )
    picture = ET.fromstring(timeline_svg(of_cells(cell)))
    (group,) = [each for each in picture.iter() if each.get("data-seq")]
    assert (group.get("data-first-offset"), group.get("data-last-offset")) == ("0", "4")
    assert group[0].text == "all of it"


def test_the_legend_has_the_kinds_that_occur() -> None:
    cells = [TimelineCell(0, at, kind, "x") for at, kind in enumerate(LEGEND)]
    everything = texts(ET.fromstring(timeline_svg(of_cells(*cells))))
    assert set(LEGEND.values()) <= set(everything)
    one = texts(ET.fromstring(timeline_svg(of_cells(cells[0]))))
    assert set(one) & set(LEGEND.values()) == {LEGEND[cells[0].kind]}
    assert timeline_svg(of_cells()).count("<rect") == 1


def test_both_clocks_are_above_each_column() -> None:
    columns = (TimelineColumn("#1", NOW_MS + 7 * DAY_MS, NOW_MS), TimelineColumn("#2", None, None))
    shown = texts(ET.fromstring(timeline_svg(of_cells(columns=columns))))
    assert {"cluster clock", "wall clock", "17:46:40.250"} <= set(shown)
    assert shown.count("17:46:40.250") == 2


def test_equal_offsets_share_a_line_and_labels_do_not_touch() -> None:
    lines = (
        OffsetLine(1, 7, ("last stable offset",)),
        OffsetLine(1.2, 8, ("high watermark", "log end")),
    )
    cells = [TimelineCell(0, at, CellKind.BATCH, "x") for at in range(2)]
    picture = ET.fromstring(timeline_svg(of_cells(*cells, lines=lines)))
    labels = [each for each in picture.iter() if each.get("class") == "bound-name mid"]
    assert [each.text for each in labels] == [
        "last stable offset 7",
        "high watermark = log end 8",
    ]
    assert len({each.get("y") for each in labels}) == 2
    assert {"bound stable", "bound watermark"} <= set(classes(picture))


@pytest.mark.parametrize(
    ("beyond", "words"),
    [
        (Beyond(3, 0), "not shown: 3 before"),
        (Beyond(0, 1200), "not shown: 1,200 after"),
        (Beyond(1, 2), "not shown: 1 before, 2 after"),
    ],
)
def test_what_is_beyond_the_view_is_counted(beyond: Beyond, words: str) -> None:
    title, *_ = texts(ET.fromstring(timeline_svg(of_cells(beyond=beyond))))
    assert title == f"orders-0{words}"


def test_long_texts_are_cut_and_whole_in_the_tooltip() -> None:
    cell = TimelineCell(0, 0, CellKind.BATCH, "a" * 99, "b" * 99)
    narrow = TimelineCell(0, 0, CellKind.REPLICA, "up to 12", width=0.2)
    picture = ET.fromstring(timeline_svg(of_cells(cell, narrow)))
    assert all(len(each) < 40 for each in texts(picture))
    assert any(each.text == f"{'a' * 99} {'b' * 99}" for each in picture.iter())
    assert not any(each.startswith("up") for each in texts(picture))


def test_notes_are_below_the_lanes() -> None:
    shown = texts(ET.fromstring(timeline_svg(of_cells(notes=("waits for a marker",)))))
    assert "waits for a marker" in "".join(shown)

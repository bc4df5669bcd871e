"""The page with filters: one file with all cells, whose filter shows what was chosen."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.clients.situations.recording import read
from tests.clients.support.programs import output_of
from tools.client_situations.shown import shown_cells
from tools.client_situations.web_page import FOLDER, WEB_PAGE, web_page


class Page(HTMLParser):
    """Rows, options, links and tags of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, str]] = []
        self.texts: list[str] = []
        self.links: list[str] = []
        self.options: dict[str, list[str]] = {}
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        self.attributes += [(tag, name, value) for name, value in given.items()]
        if tag == "tr" and "id" in given:
            self.rows.append(given)
            self.texts.append("")
        if tag == "a":
            self.links.append(given["href"])
        if tag == "select":
            self._select = given["name"]

    def handle_data(self, data: str) -> None:
        if self.lasttag == "option" and data.strip():
            self.options.setdefault(self._select, []).append(data)
        elif self.rows and self.lasttag in {"td", "th", "a"}:
            self.texts[-1] += data


@cache
def page() -> Page:
    parsed = Page()
    parsed.feed(WEB_PAGE.read_text("utf-8"))
    return parsed


def test_the_page_is_up_to_date() -> None:
    assert WEB_PAGE.read_text("utf-8") == web_page(), "run `make docs`"


def test_it_has_a_row_and_a_link_for_each_cell() -> None:
    anchors = [row["id"] for row in page().rows]
    assert anchors == [cell.place.anchor for cell in shown_cells(read())]
    assert len(set(anchors)) == len(anchors)
    assert {f"#{anchor}" for anchor in anchors} <= set(page().links)


def test_it_needs_no_other_file() -> None:
    assert not page().tags & {"link", "img", "iframe", "object"}
    assert ("script", "src") not in {(tag, name) for tag, name, _ in page().attributes}
    assert not re.search(r"https?:|@import|url\(", WEB_PAGE.read_text("utf-8"))


def test_no_attribute_has_a_script() -> None:
    assert not [name for _, name, _ in page().attributes if name.startswith("on")]


def test_every_field_of_the_form_has_a_label() -> None:
    text = WEB_PAGE.read_text("utf-8")
    assert len(re.findall(r"<label>\w+ <(?:select|input)", text)) == len(
        re.findall(r"<(?:select|input)", text)
    )


def test_an_option_of_a_filter_is_a_value_of_some_row() -> None:
    for name, options in page().options.items():
        values = {value for row in page().rows for value in row[f"data-{name}"].split("|")}
        assert set(options) - {"all"} == values - {""}


def test_names_of_errors_are_escaped() -> None:
    text = WEB_PAGE.read_text("utf-8")
    assert "KafkaException &lt; " in text
    assert "KafkaException < " not in text


def shown(chosen: dict[str, str], folder: Path) -> list[str]:
    """Return the anchors of the rows that the page's own filter shows."""
    rows = [
        {"id": row["id"], "text": text, **{key[5:]: row[key] for key in row if key != "id"}}
        for row, text in zip(page().rows, page().texts, strict=True)
    ]
    given = folder / "rows.json"
    given.write_text(json.dumps([rows, chosen]), "utf-8")
    script = (
        f"const {{ isShown }} = require({json.dumps(str(FOLDER / 'filter.js'))});"
        f"const [rows, chosen] = require({json.dumps(str(given))});"
        "const shown = rows.filter((row) => isShown(row, row.text, chosen));"
        "console.log(JSON.stringify(shown.map((row) => row.id)));"
    )
    return list(json.loads(output_of(["node", "-e", script])))


@pytest.mark.node
@pytest.mark.parametrize(
    "chosen",
    [
        {"client": "Java 4.4.0", "release": "4.4", "ending": "lost"},
        {"situation": "lost-end-txn", "reaction": "fatal"},
        {"release": "3.9", "ending": "", "client": ""},
    ],
)
def test_the_filter_shows_the_chosen_cells(chosen: dict[str, str], tmp_path: Path) -> None:
    expected = [
        row["id"]
        for row in page().rows
        if all(
            not value or value in row[f"data-{name}"].split("|") for name, value in chosen.items()
        )
    ]
    assert expected
    assert shown(chosen, tmp_path) == expected


@pytest.mark.node
def test_the_filter_finds_text_in_either_case(tmp_path: Path) -> None:
    expected = [
        row["id"]
        for row, text in zip(page().rows, page().texts, strict=True)
        if "producerfenced" in text.lower()
    ]
    assert expected
    assert shown({"text": "ProducerFENCED"}, tmp_path) == expected


@pytest.mark.node
def test_a_link_keeps_the_choice() -> None:
    script = (
        f"const page = require({json.dumps(str(FOLDER / 'filter.js'))});"
        'const names = ["client", "release", "text"];'
        'const chosen = { client: "Java 4.4.0", release: "", text: "a&b" };'
        "const query = page.queryOf(chosen);"
        "console.log(query, JSON.stringify(page.choiceOf(query, names)));"
        "console.log(JSON.stringify(page.queryOf({ client: '' })));"
    )
    first, second = output_of(["node", "-e", script]).splitlines()
    query, _, choice = first.partition(" ")
    assert query == "?client=Java+4.4.0&text=a%26b"
    assert json.loads(choice) == {"client": "Java 4.4.0", "release": "", "text": "a&b"}
    assert json.loads(second) == ""

"""Files of the page: complete, of this port only, and without inline scripts."""

import re
from posixpath import dirname, normpath

from mockbroker.web.static_files import PAGE, static_files

TEXTS = {name: file.content.decode() for name, file in static_files().items()}


def test_the_page_is_there_with_its_scripts_and_styles() -> None:
    page = TEXTS[PAGE]
    named = re.findall(r'(?:src|href)="web/([^"]+)"', page)
    assert {"app.js", "app.css", "theme.js"} <= set(named) <= {*TEXTS, "timeline.css"}


def test_modules_import_only_files_of_the_page() -> None:
    imported = {
        normpath(f"{dirname(of)}/{name}".lstrip("/"))
        for of, text in TEXTS.items()
        for name in re.findall(r'^(?:import|export)[^;]*? from "([^"]+)"', text, re.MULTILINE)
    }
    assert {"dom.js", "commands/command.js"} <= imported
    assert imported <= set(TEXTS)


def test_nothing_comes_from_another_site() -> None:
    for name, text in TEXTS.items():
        assert not re.findall(r'(?:src|href|url|import)[=( ]*"https?://', text), name


def test_texts_become_nodes_and_never_markup() -> None:
    for name, text in TEXTS.items():
        assert not re.findall(r"\.outerHTML|insertAdjacentHTML|document\.write|\beval\(", text), (
            name
        )


def test_media_types_are_those_of_browsers() -> None:
    files = static_files()
    assert files["app.js"].media_type.startswith("text/javascript")
    assert files["app.css"].media_type.startswith("text/css")

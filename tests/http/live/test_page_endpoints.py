"""The page over HTTP: its files, and the headers that protect it."""

import re

import pytest

from mockbroker.http.live.page_endpoints import themed
from mockbroker.timeline.timeline_style import TIMELINE_STYLE
from tests.support.http import Http


def test_the_page_is_served_at_the_root(http: Http) -> None:
    answer = http.ask("GET", "//")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"<title>mockbroker</title>" in answer.body


@pytest.mark.parametrize("path", ["//", "//web/app.js", "//web/app.css"])
def test_scripts_of_other_places_do_not_run(http: Http, path: str) -> None:
    headers = http.ask("GET", path).headers
    policy = dict(
        each.strip().partition(" ")[::2] for each in headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_files_in_folders_are_served(http: Http) -> None:
    answer = http.ask("GET", "//web/commands/command.js")
    assert answer.headers["Content-Type"].startswith("text/javascript")


@pytest.mark.parametrize("name", ["ap.js", "..%2Fguard.py", "static_files.py", "commands"])
def test_only_files_of_the_page_are_served(http: Http, name: str) -> None:
    assert http.ask("GET", f"//web/{name}").status == 404


def test_a_similar_file_is_named(http: Http) -> None:
    assert "app.js" in http.refused("GET", "//web/ap.js")["near"]


def test_timelines_follow_the_theme_that_a_reader_has_chosen(http: Http) -> None:
    style = http.ask("GET", "//web/timeline.css").body.decode()
    assert style == themed(TIMELINE_STYLE)
    _, light = style.split(':root[data-theme="light"] .mockbroker-timeline{')
    light, dark = light.split(':root[data-theme="dark"] .mockbroker-timeline{')
    assert "--ground:#fff;" in light
    assert "--ground:#fff;" not in dark
    assert set(names_of(light)) == set(names_of(dark))


def names_of(colours: str) -> list[str]:
    return re.findall(r"--[\w-]+(?=:)", colours)

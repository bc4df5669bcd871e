"""Page docs/reference/client-situations.md: a table for each situation."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from mockbroker.state.release.options import SUPPORTED_RELEASES
from tests.clients.situations.recording import Recording, read
from tests.clients.situations.situation import Situation
from tests.clients.situations.situations import SITUATIONS
from tools.client_situations.shown import NOT_POSSIBLE, Shown, shown_cells
from tools.paragraph import paragraph

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "reference" / "client-situations.md"


def with_tables(text: str) -> str:
    """Return the text of the page with new generated parts.

    Raises: ValueError if the text has no place for them.
    """
    recording = read()
    text = _with(text, "recorded", _recorded(recording))
    return _with(text, "tables", tables(recording))


def _with(text: str, name: str, lines: Iterator[str]) -> str:
    begin = f"<!-- {name}: made by `make docs` (tools/client_situations) -->\n"
    end = f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return before + begin + "\n" + "\n".join(lines).strip() + "\n\n" + end + after


def _recorded(recording: Recording) -> Iterator[str]:
    clients = dict.fromkeys(place.client for place in recording)
    found = {place.release for place in recording}
    releases = [release for release in SUPPORTED_RELEASES if release in found]
    yield paragraph(f"- {len(clients)} clients: {', '.join(clients)}")
    yield paragraph(f"- {len(releases)} releases of brokers: {', '.join(releases)}")
    missing = [release for release in SUPPORTED_RELEASES if release not in found]
    if missing:
        yield paragraph(f"- not measured yet: {', '.join(missing)}")
    yield f"- {len(SITUATIONS)} situations, {len(recording)} measured cells"


def tables(recording: Recording) -> Iterator[str]:
    """Return the lines of the tables of all situations."""
    cells = list(shown_cells(recording))
    for situation in SITUATIONS:
        yield from _about(situation)
        yield "| client | brokers | reaction | first error | in the end |"
        yield "| --- | --- | --- | --- | --- |"
        of_it = [cell for cell in cells if cell.place.situation == situation.slug]
        for group in _same_results(of_it):
            yield _line(group)
        yield ""


def _about(situation: Situation) -> Iterator[str]:
    yield f"### {situation.slug}\n"
    story = f" [The story](../stories/{situation.story}.md)." if situation.story else ""
    yield paragraph(f"{situation.title} It happens {situation.moment.value}.{story}") + "\n"
    if situation.line not in {"pass", ""}:
        yield f"```text\n{situation.line}\n```\n"


def _same_results(cells: list[Shown]) -> Iterator[list[Shown]]:
    """Group what a client does in the same way with consecutive releases, without a gap."""
    for _, same in groupby(cells, key=lambda cell: (cell.place.client, cell.result)):
        numbered = [(SUPPORTED_RELEASES.index(cell.place.release), cell) for cell in same]
        # consecutive releases differ from their places in the list by the same number
        for _, group in groupby(enumerate(numbered), key=lambda each: each[1][0] - each[0]):
            yield [cell for _, (_, cell) in group]


def _line(cells: list[Shown]) -> str:
    """Return one line for a result, with the first and the last of its releases."""
    client = cells[0].place.client
    releases = [cell.place.release for cell in cells]
    span = releases[0] if len(releases) == 1 else f"{releases[0]} – {releases[-1]}"
    cell = cells[0]
    error = f"`{cell.error}`" if cell.error else ""
    call = f" by `{cell.call}`" if cell.call else ""
    ending = cell.ending if cell.ending in {"exactly once", ""} else f"**{cell.ending}**"
    if cell.reaction == NOT_POSSIBLE:
        ending = "–"
    return f"| {client} | {span} | {cell.reaction} | {error}{call} | {ending} |"

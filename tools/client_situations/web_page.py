"""Page docs/reference/client-situations.html: all cells, with filters, in one file."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from tests.clients.situations.recording import read
from tests.clients.situations.situations import SITUATIONS
from tools.client_situations.page import ROOT
from tools.client_situations.shown import Shown, shown_cells

WEB_PAGE: Final = ROOT / "docs" / "reference" / "client-situations.html"
FOLDER: Final = Path(__file__).parent
COMMAND: Final = "python -m tests.clients.situations.record --again"
_ENDINGS: Final = ("exactly once", "lost", "duplicated", "hanging", "wrong offset")
_FILTERS: Final = ("situation", "client", "release", "reaction", "ending")


def web_page() -> str:
    """Return the page; it needs no other file and no network."""
    cells = list(shown_cells(read()))
    return Template((FOLDER / "page.html").read_text("utf-8")).substitute(
        style=(FOLDER / "style.css").read_text("utf-8").strip(),
        script=(FOLDER / "filter.js").read_text("utf-8").strip(),
        command=escape(COMMAND),
        filters="\n".join(_filters(cells)),
        situations="\n".join(_situations()),
        rows="\n".join(map(_row, cells)),
        count=len(cells),
    )


def _filters(cells: Iterable[Shown]) -> Iterator[str]:
    facts = [_facts(cell) for cell in cells]
    for name in _FILTERS:
        values = dict.fromkeys(value for each in facts for value in each[name].split("|") if value)
        options = "".join(f"<option>{escape(value)}</option>" for value in values)
        yield (
            f'<label>{name} <select name="{name}"><option value="">all</option>{options}'
            "</select></label>"
        )


def _situations() -> Iterator[str]:
    for situation in SITUATIONS:
        yield f"<dt>{escape(situation.slug)}</dt><dd>{escape(situation.title)}</dd>"


def _facts(cell: Shown) -> dict[str, str]:
    """Return the values that filters compare; several are separated by `|`."""
    return {
        "situation": cell.place.situation,
        "client": cell.place.client,
        "release": cell.place.release,
        "reaction": cell.reaction,
        "ending": "|".join(ending for ending in _ENDINGS if ending in cell.ending),
    }


def _row(cell: Shown) -> str:
    anchor = escape(cell.place.anchor, quote=True)
    data = " ".join(
        f'data-{name}="{escape(value, quote=True)}"' for name, value in _facts(cell).items()
    )
    texts = (
        cell.place.client,
        cell.place.release,
        cell.reaction,
        f"{cell.error} by {cell.call}" if cell.call else "",
        cell.answered,
        cell.ending,
        cell.findings,
    )
    columns = "".join(f"<td>{escape(text)}</td>" for text in texts)
    head = f'<th scope="row"><a href="#{anchor}">{escape(cell.place.situation)}</a></th>'
    return f'<tr id="{anchor}" {data}>{head}{columns}</tr>'

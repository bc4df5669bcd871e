"""Shell of a self-contained page: style, pictures, and one script if it has any, are in it."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from typing import Final

from mockbroker.report.report_style import STYLE
from mockbroker.timeline.overview_svg import OVERVIEW_STYLE
from mockbroker.timeline.timeline import Timeline
from mockbroker.timeline.timeline_style import TIMELINE_STYLE
from mockbroker.timeline.timeline_svg import timeline_svg
from mockbroker.version import __version__

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Content security policy: the page can load nothing and run its own script only, whatever is in
its texts."""


def html_page(title: str, body: Iterable[str], *, made_by: str, script: str = "") -> str:
    """Return a page with a title, which is escaped here, and a body of HTML."""
    lines = "\n".join(body)
    policy = _POLICY
    if script:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{STYLE}{TIMELINE_STYLE}{OVERVIEW_STYLE}</style></head><body><main>\n"
        f"{lines}\n<footer>mockbroker {escape(__version__)} · {escape(made_by)}</footer>"
        f"\n</main>{f'<script>{script}</script>' if script else ''}</body></html>\n"
    )


def picture(timeline: Timeline, label: str = "") -> str:
    """Return the drawing of a timeline, in a box that scrolls."""
    drawing = timeline_svg(timeline, label, is_standalone=False)
    return f'<div class="scroll" tabindex="0">{drawing}</div>'

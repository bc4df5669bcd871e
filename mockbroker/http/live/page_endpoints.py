"""The live page: its HTML at `/`, and its static files."""

import re
from typing import Final

from starlette.responses import Response

from mockbroker.http.endpoint import ApiRequest, Endpoint, Nothing
from mockbroker.http.missing import missing
from mockbroker.timeline.timeline_style import TIMELINE_STYLE
from mockbroker.timeline.timeline_svg import CLASS
from mockbroker.web.static_files import PAGE, static_files

HTML: Final = "text/html"
_COLOURS: Final = re.compile(rf"\.{CLASS}\{{[^}}]*?(--ground:[^}}]*?--good:#\w+)")
"""The colours of a theme: of light, then of dark."""
_HEADERS: Final = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Scripts and styles come from files of this port only, and no other page may embed it."""


def get_page(_request: ApiRequest[Nothing]) -> Response:
    """Show the live page."""
    return _file(PAGE)


def get_page_file(request: ApiRequest[Nothing]) -> Response:
    """Show a file of the live page: a style sheet or a script."""
    return _file(request.names["file"])


def get_timeline_style(_request: ApiRequest[Nothing]) -> Response:
    """Show the style sheet of timelines, which follows the theme that a reader has chosen."""
    return Response(themed(TIMELINE_STYLE), media_type="text/css; charset=utf-8", headers=_HEADERS)


def themed(style: str) -> str:
    """Add rules for a chosen theme to a style sheet that follows the system's theme."""
    light, dark = _COLOURS.findall(style)
    chosen = [
        f':root[data-theme="{name}"] .{CLASS}{{{colours}}}'
        for name, colours in (("light", light), ("dark", dark))
    ]
    return "\n".join([style, *chosen])


def _file(name: str) -> Response:
    """Answer with a static file.

    Raises:
        Problem: there is no such file.

    """
    files = static_files()
    if name not in files:
        raise missing("file", name, files)
    return Response(files[name].content, media_type=files[name].media_type, headers=_HEADERS)


PAGES: Final = [
    Endpoint(method="GET", path="/", handle=get_page, media_type=HTML),
    Endpoint(
        method="GET",
        path="/web/timeline.css",
        handle=get_timeline_style,
        media_type="text/css",
    ),
    Endpoint(method="GET", path="/web/{file}", handle=get_page_file, media_type="*/*"),
]

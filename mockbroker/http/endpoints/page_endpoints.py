"""The live page: its HTML at `/`, and its static files."""

from typing import Final

from starlette.responses import Response

from mockbroker.http.endpoint import ApiRequest, Endpoint, Nothing
from mockbroker.http.missing import missing
from mockbroker.web.static_files import PAGE, static_files

HTML: Final = "text/html"
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
    Endpoint(method="GET", path="/web/{file}", handle=get_page_file, media_type="*/*"),
]

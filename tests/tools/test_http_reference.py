"""The page of the HTTP API matches the endpoints."""

from mockbroker.http.application import ENDPOINTS
from tests.tidy.repository import ROOT
from tools.http_reference import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / PAGE).read_text("utf-8") == page(), "run make docs"


def test_every_endpoint_is_on_it() -> None:
    text = page()
    for endpoint in ENDPOINTS:
        assert f"| `{endpoint.method} {endpoint.path}` |" in text

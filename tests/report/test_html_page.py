"""Shell of a page: it runs its own script only, and none if it has none."""

from base64 import b64encode
from hashlib import sha256

from mockbroker.report.html_page import html_page
from tests.support.balanced_html import balanced


def test_a_page_without_a_script_runs_none() -> None:
    page = html_page("A <title>", ["<p>text</p>"], made_by="tests")
    assert balanced(page).tags.count("p") == 1
    assert "A &lt;title&gt;" in page
    assert "script" not in page


def test_a_page_runs_its_own_script_only() -> None:
    page = html_page("title", [], made_by="tests", script="1 < 2")
    allowed = f"script-src 'sha256-{b64encode(sha256(b'1 < 2').digest()).decode()}'"
    assert f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {allowed}" in page
    assert page.endswith("</main><script>1 < 2</script></body></html>\n")

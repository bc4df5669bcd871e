"""A browser that looks at the live page of a cluster."""

import json
import os
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect, sync_playwright

from mockbroker import Cluster
from tests.support.chromium import CHROMIUM

SCREENSHOTS: Final = "SCREENSHOTS"
"""The folder in which screenshots are kept, as artefacts of a run."""
PATIENCE_MS: Final = 20_000
"""For how long a page on a busy machine may take to show what has changed."""
WIDE: Final = (1440, 960)
NARROW: Final = (390, 844)
_FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def started_browser() -> Generator[Browser]:
    """Start Chromium with an empty profile."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Looker:
    """A person who looks at the page of a cluster; errors of its scripts fail the test."""

    def __init__(self, page: Page, cluster: Cluster | str) -> None:
        """Begin with the overview."""
        self.page = page
        self.url = cluster if isinstance(cluster, str) else cluster.admin_url
        self.errors: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._on_console)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def open(self, view: str = "") -> "Looker":
        """Open a view by its address, and wait until it is shown instead of the one before."""
        self.page.goto(f"{self.url}/#/{view}")
        address = json.dumps(self.page.evaluate("location.hash"))
        self.page.locator(f"main[data-shown={address}] h1").wait_for()
        return self

    def live(self) -> "Looker":
        """Wait until the page follows what changes."""
        self.page.get_by_role("button", name="Live: pause").wait_for()
        return self

    def heading(self) -> str:
        """Read the heading of the view."""
        return self.page.locator("main h1").inner_text()

    def row(self, card: str, text: str) -> Locator:
        """Return the row of a card's table that contains a text."""
        return self.page.locator(f"#{card} tbody tr").filter(has_text=text)

    def command(self, button: str, *, of: str | None = None, last: bool = False) -> Locator:
        """Open the dialog of a command, `of` something from its menu of further commands."""
        scope: Page | Locator = self.page
        role: Literal["button", "menuitem"] = "button"
        if of is not None:
            name = f"More commands of {of}"
            self.page.get_by_role("button", name=name, exact=True).first.click()
            scope, role = self.page.get_by_role("menu"), "menuitem"
        found = scope.get_by_role(role, name=button, exact=True)
        (found.last if last else found.first).click()
        return self.page.locator("dialog")

    def run(
        self,
        button: str,
        values: Mapping[str, str] | None = None,
        *,
        of: str | None = None,
        last: bool = False,
    ) -> str:
        """Run a command in its dialog, and return the Python that it shows."""
        dialog = self.command(button, of=of, last=last)
        self.fill(dialog, values or {})
        code = dialog.locator("pre").first.inner_text()
        dialog.locator("button.primary").click()
        dialog.wait_for(state="detached")
        return code

    def fill(self, dialog: Locator, values: Mapping[str, str]) -> None:
        """Fill fields of a dialog, by their names and in this order."""
        for name, value in values.items():
            field = dialog.locator(f"[name='{name}']")
            if field.evaluate("each => each.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)

    def violations(self) -> list[str]:
        """Return what axe finds wrong for people with disabilities."""
        # Where axe sees an image behind a text, it does not check the text's contrast.
        self.page.locator(".scroll, .picture").evaluate_all(
            "all => all.forEach(each => { each.style.backgroundImage = 'none'; })"
        )
        # Rows of a table are alike, and the check of each one takes a tenth of a second.
        self.page.locator("tbody tr:nth-child(n + 11)").evaluate_all(
            "all => all.forEach(each => { each.hidden = true; })"
        )
        found = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {node['html'][:160]} ({node.get('failureSummary', '')[:200]})"
            for each in found
            for node in each["nodes"]
        ]

    def keep(self, name: str) -> None:
        """Keep a screenshot, if a folder is set."""
        if folder := os.environ.get(SCREENSHOTS):
            Path(folder).mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^\w-]+", "-", name)
            self.page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)


@contextmanager
def looking(
    browser: Browser,
    cluster: Cluster | str,
    *,
    size: tuple[int, int] = WIDE,
    dark: bool = False,
) -> Generator[Looker]:
    """Open a window with the page of a cluster; at the end, its scripts must have had no error."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    try:
        looker = Looker(context.new_page(), cluster)
        yield looker
        assert not looker.errors, looker.errors
    finally:
        context.close()

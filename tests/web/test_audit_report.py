"""The report of an audit in a browser: marks, filters and keys, without any server."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import NARROW, WIDE
from tests.support.many_findings import page_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OPENED_MS_MAX = 5_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports of 30 and of 5,000 findings."""
    made = tmp_path_factory.mktemp("reports")
    (made / "30.html").write_text(page_of(30), "utf-8")
    (made / "5000.html").write_text(page_of(5_000, partitions=700), "utf-8")
    return made


def opened(
    browser: Browser, path: Path, size: tuple[int, int] = WIDE, *, dark: bool = False
) -> Page:
    """Open a report; an error of its script fails the test."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    page.set_default_timeout(10_000)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    assert errors == []
    return page


def test_a_mark_leads_to_its_finding(browser: Browser, folder: Path) -> None:
    page = opened(browser, folder / "30.html")
    mark = page.locator('.mark[href="#finding-8"]')
    expect(mark.locator("title")).to_have_text("orders-1: 1 finding: 1 LOST_ACKED")
    mark.click()
    expect(page.locator(".finding:target")).to_contain_text("finding 7:")
    expect(page.locator("#finding-8")).to_be_in_viewport()
    page.close()


def test_filters_leave_findings_and_marks_out(browser: Browser, folder: Path) -> None:
    page = opened(browser, folder / "30.html")
    count = page.locator(".filters output")
    expect(count).to_have_text("30 of 30 findings")
    page.get_by_label("rule", exact=True).select_option("=LSO_STUCK")
    expect(count).to_have_text("10 of 30 findings")
    expect(page.locator(".finding:visible")).to_have_count(10)
    page.get_by_label("partition", exact=True).select_option("topic orders")
    expect(count).to_have_text("4 of 30 findings")
    expect(page.locator(".mark:not(.off)")).to_have_count(4)
    page.get_by_label("transactional id", exact=True).select_option("=payments-0")
    expect(page.get_by_text("No finding is of this kind.")).to_be_visible()
    page.get_by_role("button", name="show all").click()
    expect(count).to_have_text("30 of 30 findings")
    expect(page.locator(".mark.off")).to_have_count(0)
    page.close()


def test_keys_reach_every_mark(browser: Browser, folder: Path) -> None:
    page = opened(browser, folder / "30.html")
    page.keyboard.press("Tab")
    focused = page.locator(".mark:focus")
    expect(focused).to_have_attribute("data-row", "0")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_attribute("data-row", "1")
    href = focused.get_attribute("href")
    page.keyboard.press("ArrowRight")
    expect(focused).not_to_have_attribute("href", href or "")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(".finding:target")).to_have_id((href or "").removeprefix("#"))
    expect(page.locator(".finding:focus")).to_have_id((href or "").removeprefix("#"))
    page.close()


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_wrong_in_a_report(browser: Browser, folder: Path, *, dark: bool) -> None:
    page = opened(browser, folder / "30.html", dark=dark)
    axe: Any = Axe()
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    page.close()


def test_many_findings_are_shown_soon_and_filtered_at_once(browser: Browser, folder: Path) -> None:
    page = opened(browser, folder / "5000.html", NARROW)
    shown_ms = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert shown_ms < OPENED_MS_MAX
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    page.get_by_label("producer", exact=True).select_option("=102")
    expect(page.locator(".filters output")).to_have_text("1,250 of 5,000 findings")
    page.close()

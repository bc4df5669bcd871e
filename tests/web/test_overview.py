"""The overview in a real browser: what is there, what is wrong, and what changes."""

import threading
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from mockbroker import API, Cluster
from mockbroker.events.event_bus import EventSource, Subscriber, subscribe
from mockbroker.events.event_types import Event
from mockbroker.http.live.changes import Changes
from tests.support.browser import NARROW, Looker, looking
from tests.support.seen_cluster import HANGING_OFFSET, commit

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_overview_shows_everything_of_a_cluster(looker: Looker) -> None:
    looker.open().live()
    expect(looker.page).to_have_title("Overview · mockbroker")
    for card, text in [
        ("topics", "orders"),
        ("transactions", "billing"),
        ("groups", "readers"),
        ("faults", "lost-ack"),
        ("brokers", "controller"),
        ("events", "Produce"),
    ]:
        expect(looker.row(card, text).first).to_be_visible()
    looker.keep("overview-light")


def test_hanging_transactions_come_first_and_are_marked(looker: Looker) -> None:
    looker.open()
    first = looker.page.locator("#transactions tbody tr").first
    expect(first).to_contain_text("Hanging")
    expect(first).to_have_class("hanging")
    banner = looker.page.get_by_role("alert")
    expect(banner).to_contain_text("1 hanging transaction")
    expect(banner).to_contain_text(f"orders-0 offset {HANGING_OFFSET}")


def test_what_clients_do_is_seen_at_once(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        looker.open().live()
        expect(looker.page.locator("#transactions")).to_contain_text("No transactional id")
        commit(cluster, "billing")
        expect(looker.row("transactions", "billing")).to_contain_text("CompleteCommit")
        expect(looker.row("topics", "orders")).to_contain_text("2")
        cluster.fault(API.FETCH, name="slow").delay("1ms")
        expect(looker.row("faults", "slow")).to_be_visible()


def test_a_pause_freezes_the_page_until_it_continues(looker: Looker, cluster: Cluster) -> None:
    looker.open().live()
    looker.page.keyboard.press("p")
    paused = looker.page.get_by_role("button", name="Paused: continue")
    expect(paused).to_have_attribute("aria-pressed", "true")
    commit(cluster, "unseen")
    assert cluster.transaction("unseen").state == "CompleteCommit"
    expect(looker.row("transactions", "unseen")).to_have_count(0)
    paused.click()
    expect(looker.row("transactions", "unseen")).to_be_visible()


def test_nothing_is_computed_while_nobody_looks(
    browser: Browser, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    left = threading.Event()
    on_event = Changes.on_event

    def count(self: Changes, event: Event) -> None:
        seen.append(event)
        on_event(self, event)

    def watched(service: EventSource, subscriber: Subscriber) -> Callable[[], None]:
        unsubscribe = subscribe(service, subscriber)

        def leave() -> None:
            unsubscribe()
            left.set()

        return leave

    monkeypatch.setattr(Changes, "on_event", count)
    monkeypatch.setattr("mockbroker.http.live.view_endpoints.subscribe", watched)
    commit(cluster, "before")
    assert seen == []
    with looking(browser, cluster) as looker:
        looker.open().live()
        commit(cluster, "looked-at")
        expect(looker.row("transactions", "looked-at")).to_be_visible()
        assert seen
        looker.page.keyboard.press("p")
        assert left.wait(10)
        seen.clear()
        asked: list[str] = []
        looker.page.on("request", lambda request: asked.append(request.url))
        commit(cluster, "unseen")
        expect(looker.row("transactions", "unseen")).to_have_count(0)
        assert (seen, asked) == ([], [])


def test_a_journal_that_is_off_is_turned_on_with_a_click(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        looker.open().live()
        looker.page.get_by_role("button", name="Record events").click()
        expect(looker.page.locator("#toasts")).to_contain_text("records events from now on")
        commit(cluster, "billing")
        expect(looker.row("events", "billing").first).to_be_visible()


def test_events_are_read_while_the_journal_is_off(browser: Browser) -> None:
    with Cluster(admin_port=0) as cluster, looking(browser, cluster) as looker:
        looker.open("events").live()
        expect(looker.page.locator("main")).to_contain_text("The journal is off")


def test_every_list_is_reached_by_the_keyboard(looker: Looker) -> None:
    looker.open().live()
    for key, heading in [
        ("t", "Topics"),
        ("x", "Transactions"),
        ("g", "Groups"),
        ("f", "Faults"),
        ("b", "Brokers and connections"),
        ("e", "Events"),
        ("o", "Overview"),
    ]:
        looker.page.keyboard.press(key)
        expect(looker.page.locator("main h1")).to_have_text(heading)
    looker.page.keyboard.press("/")
    expect(looker.page.get_by_role("searchbox", name="Search keys")).to_be_focused()


def test_the_theme_is_that_of_the_system_until_it_is_chosen(
    browser: Browser, cluster: Cluster
) -> None:
    with looking(browser, cluster, dark=True) as looker:
        looker.open().live()
        looker.keep("overview-dark")
        assert ground(looker) == "rgb(15, 17, 23)"
        looker.page.keyboard.press("d")
        assert ground(looker) == "rgb(246, 247, 249)"
        looker.page.reload()
        assert ground(looker) == "rgb(246, 247, 249)"


def ground(looker: Looker) -> str:
    return str(looker.page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_a_narrow_window_scrolls_tables_and_not_the_page(
    browser: Browser, cluster: Cluster
) -> None:
    with looking(browser, cluster, size=NARROW) as looker:
        looker.open().live()
        looker.keep("overview-narrow")
        width = looker.page.evaluate("document.documentElement.scrollWidth")
        assert width <= NARROW[0]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_wrong(browser: Browser, cluster: Cluster, *, dark: bool) -> None:
    with looking(browser, cluster, dark=dark) as looker:
        for view in ("", "topics", "transactions", "groups", "faults", "brokers", "events"):
            looker.open(view)
            assert looker.violations() == [], view


def test_a_lost_cluster_is_shown_as_offline(browser: Browser) -> None:
    with looking(browser, "") as looker:
        with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
            looker.url = cluster.admin_url
            looker.open().live()
        expect(looker.page.get_by_role("button", name="Offline")).to_be_visible()
        looker.errors.clear()


@pytest.mark.parametrize("width", [1280, 1440])
def test_the_overview_fits_into_the_window_of_a_laptop(
    browser: Browser, cluster: Cluster, width: int
) -> None:
    with looking(browser, cluster, size=(width, 800)) as looker:
        looker.open().live()
        cut = looker.page.locator(".scroll").evaluate_all(
            "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.ariaLabel)"
        )
        assert cut == []


def test_an_address_that_is_not_encoded_is_not_found(looker: Looker) -> None:
    looker.open("%/%")
    expect(looker.page.locator("main h1")).to_have_text("There is no such view")

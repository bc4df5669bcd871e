"""A transactional id in a real browser, watched while a real client uses it."""

import pytest
from confluent_kafka import Producer
from playwright.sync_api import Browser, expect

from mockbroker import Cluster
from tests.support.browser import Looker, looking

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_transaction_of_a_real_client_is_watched_live(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        config = cluster.client_config("confluent", **{"transactional.id": "billing"})
        producer = Producer(config)
        producer.init_transactions(10)
        looker.open().live()
        looker.row("transactions", "billing").get_by_role("link", name="billing").click()
        state = looker.page.locator(".title .badge").first
        expect(state).to_have_text("Empty")
        producer.begin_transaction()
        producer.produce("orders", b"order-1", b"customer-7")
        producer.flush(10)
        expect(state).to_have_text("Ongoing")
        waits = looker.page.get_by_role("list", name="What it waits for")
        expect(waits).to_contain_text("open in orders-0")
        cluster.transaction("billing").hold_ending()
        producer.commit_transaction(10)
        expect(state).to_have_text("PrepareCommit")
        expect(waits).to_contain_text("waits for the markers in orders-0")
        looker.keep("transaction-held")
        cluster.transaction("billing").release()
        expect(state).to_have_text("CompleteCommit")
        states = looker.page.locator("#states .picture")
        for text in ("Ongoing", "PrepareCommit", "CompleteCommit", "orders-0", "EndTxn"):
            expect(states).to_contain_text(text)
        assert states.evaluate("each => each.scrollLeft + each.clientWidth >= each.scrollWidth - 4")


def test_a_hanging_transaction_leads_to_its_partition(looker: Looker) -> None:
    looker.open("transactions/lost").live()
    banner = looker.page.get_by_role("alert")
    expect(banner).to_contain_text("orders-0 since offset 7")
    banner.get_by_role("link").click()
    expect(looker.page.locator("main h1")).to_have_text("orders-0")


def test_states_need_the_journal(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        settings = {"transactional.id": "a/b c"}
        producer = Producer(cluster.client_config("confluent", **settings))
        producer.init_transactions(10)
        looker.open("transactions/a%2Fb%20c").live()
        expect(looker.page.locator("main h1")).to_have_text("a/b c")
        expect(looker.page.locator("#states")).to_contain_text("The journal is off")
        looker.page.get_by_role("button", name="Record events").click()
        expect(looker.page.locator("#states .picture")).to_be_visible()


def test_axe_finds_nothing_wrong_in_a_transaction(looker: Looker) -> None:
    looker.open("transactions/lost")
    assert looker.violations() == []


def test_names_of_lanes_stay_while_the_picture_scrolls(looker: Looker) -> None:
    looker.open("transactions/lost").live()
    frame = looker.page.locator("#states .picture")
    assert frame.evaluate("frame => frame.scrollLeft") > 0
    names = frame.locator(".names")
    note = frame.locator(".note")
    left = "each => each.getBoundingClientRect().left"
    at_the_end, note_at_the_end = names.evaluate(left), note.evaluate(left)
    frame.evaluate("frame => { frame.scrollLeft = 0; }")
    expect(frame.locator("svg")).to_have_attribute("style", "--scrolled: 0px;")
    assert abs(names.evaluate(left) - at_the_end) < 1
    assert abs(note.evaluate(left) - note_at_the_end) < 1

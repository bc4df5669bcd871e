"""The search in a real browser."""

import pytest
from confluent_kafka import Producer
from playwright.sync_api import expect

from mockbroker import API, Cluster
from tests.support.browser import Looker

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def search(looker: Looker, text: str) -> None:
    looker.page.keyboard.press("/")
    looker.page.keyboard.type(text)
    looker.page.keyboard.press("Enter")
    expect(looker.page.locator("main h1")).to_have_text(f"Search for {text}")
    looker.page.locator("main").focus()
    looker.page.locator("#query").fill("")
    looker.page.locator("main").focus()


def test_keys_ids_and_error_codes_are_found(looker: Looker, cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE, topic="orders").answer("NOT_ENOUGH_REPLICAS").once()
    producer = Producer(cluster.client_config("confluent"))
    producer.produce("orders", b"value", b"customer-7", partition=1)
    assert producer.flush(10) == 0
    looker.open().live()
    search(looker, "customer")
    expect(looker.row("records", "customer-7")).to_contain_text("orders-1")
    search(looker, "not_enough")
    expect(looker.row("errors", "NOT_ENOUGH_REPLICAS").first).to_contain_text("Produce")
    search(looker, "bill")
    looker.page.locator("#transactions").get_by_role("link", name="billing").click()
    expect(looker.page.locator("main h1")).to_have_text("billing")
    search(looker, "read")
    expect(looker.page.locator("#groups")).to_contain_text("readers")
    assert looker.violations() == []
    looker.keep("search")


def test_a_found_key_leads_to_its_decoded_batch(looker: Looker, cluster: Cluster) -> None:
    producer = Producer(cluster.client_config("confluent"))
    producer.produce("orders", b"paid", b"invoice-3", partition=1)
    assert producer.flush(10) == 0
    looker.open("search?text=invoice-3")
    looker.row("records", "invoice-3").get_by_role("link").click()
    expect(looker.page.locator("#batch")).to_contain_text("paid")

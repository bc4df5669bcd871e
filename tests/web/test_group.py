"""A group in a real browser, with a real consumer in it."""

import pytest
from confluent_kafka import Consumer, Producer
from playwright.sync_api import Browser, expect

from mockbroker import Cluster
from tests.support.browser import Looker, looking

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_members_offsets_and_lag_of_a_real_consumer_are_shown(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 2}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        producer = Producer(cluster.client_config("confluent"))
        for number in range(3):
            producer.produce("orders", f"order-{number}", partition=0)
        assert producer.flush(10) == 0
        settings = {"group.id": "billing", "auto.offset.reset": "earliest", "client.id": "till"}
        consumer = Consumer(cluster.client_config("confluent", **settings))
        consumer.subscribe(["orders"])
        (message,) = consumer.consume(1, timeout=20)
        consumer.commit(message=message, asynchronous=False)
        looker.open("groups/billing").live()
        expect(looker.row("members", "till")).to_contain_text("orders-0, orders-1")
        expect(looker.page.locator("#now")).to_contain_text("2 records")
        offset = looker.row("offsets", "orders-0")
        expect(offset.locator("td").nth(0)).to_have_text("1")
        expect(offset.locator("td").nth(2)).to_have_text("2")
        producer.produce("orders", "order-3", partition=0)
        assert producer.flush(10) == 0
        expect(looker.page.locator("#now")).to_contain_text("3 records")
        looker.keep("group")
        consumer.close()
        expect(looker.page.locator("#members h2")).to_have_text("0 members")


def test_axe_finds_nothing_wrong_in_a_group(looker: Looker) -> None:
    looker.open("groups/readers")
    assert looker.violations() == []

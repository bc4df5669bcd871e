"""Updates of the page in place: what a reader has selected stays, and names of any kind open."""

import pytest
from confluent_kafka import Consumer, TopicPartition
from playwright.sync_api import Browser, expect

from mockbroker import Cluster
from tests.support.browser import Looker, looking
from tests.support.seen_cluster import commit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SELECT = """each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
}"""


def test_selected_text_stays_selected_while_events_arrive(looker: Looker, cluster: Cluster) -> None:
    looker.open("events").live()
    rows = looker.page.locator("#journal tbody tr")
    chosen = rows.nth(2).locator("td").last
    text = chosen.inner_text()
    assert text
    chosen.evaluate(SELECT)
    newest = rows.first.locator("th").inner_text()
    commit(cluster, "billing")
    expect(rows.first.locator("th")).not_to_have_text(newest)
    expect(looker.row("journal", "billing").first).to_be_visible()
    assert looker.page.evaluate("getSelection().toString()") == text


def test_selected_text_stays_selected_while_a_row_before_it_goes(
    looker: Looker, cluster: Cluster
) -> None:
    looker.open("faults").live()
    looker.row("faults", "slow-heart").locator("th").evaluate(SELECT)
    cluster.faults[0].remove()
    expect(looker.row("faults", "lost-ack")).to_have_count(0)
    assert looker.page.evaluate("getSelection().toString()") == "slow-heart"


@pytest.mark.parametrize("name", [".", "..", "a/share"])
def test_names_that_browsers_change_in_paths_open_and_take_commands(
    browser: Browser, name: str
) -> None:
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        commit(cluster, name)
        consumer = Consumer(cluster.client_config("confluent", **{"group.id": name}))
        consumer.commit(offsets=[TopicPartition("orders", 0, 1)], asynchronous=False)
        consumer.close()
        cluster.fault("Fetch", name=name).delay("1ms")
        looker.open().live()
        for card in ("transactions", "groups"):
            looker.page.keyboard.press("o")
            looker.page.locator(f"#{card}").get_by_role("link", name=name, exact=True).click()
            expect(looker.page.locator("main h1")).to_have_text(name)
            expect(looker.page.locator("#now")).to_be_visible()
        looker.run("Hold assignments")
        assert cluster.group(name).is_held
        looker.open(f"transactions/{name.replace('/', '%2F')}")
        looker.run("Hold the end")
        commit(cluster, name)
        assert cluster.transaction(name).state == "PrepareCommit"
        looker.open("faults")
        looker.run("Remove")
        assert not cluster.faults

"""A topic in a real browser: timelines, zoom, both clocks, and decoded records."""

import re
from urllib.parse import quote

import pytest
from confluent_kafka import Consumer, TopicPartition
from playwright.sync_api import Browser, expect

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.support.browser import Looker, looking
from tests.support.seen_cluster import commit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = (
    '<img src=x onerror="document.title=`owned`">&"\'</svg><script>document.title="owned"</script>'
)


def one_topic() -> Cluster:
    return Cluster(topics={"orders": 1}, admin_port=0)


def write(cluster: Cluster, batches: int) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        for number in range(batches):
            producer.produce("orders", f"order-{number}".encode(), base_sequence=number)


def test_a_hanging_transaction_is_found_within_three_clicks(looker: Looker) -> None:
    looker.open().live()
    clicks = 0
    looker.page.get_by_role("link", name="Show the partition").click()
    clicks += 1
    expect(looker.page.locator("main h1")).to_have_text("orders-0")
    expect(looker.page.get_by_role("alert")).to_contain_text("no coordinator will end it")
    hanging = looker.page.locator(".picture .open[data-first-offset]")
    expect(hanging).to_contain_text("HANGING")
    hanging.click()
    clicks += 1
    expect(looker.page.locator("#batch")).to_contain_text("late")
    assert clicks <= 3
    looker.keep("hanging-partition")


def test_a_topic_has_a_timeline_for_each_partition(looker: Looker) -> None:
    looker.open("topics/orders").live()
    expect(looker.page.locator(".picture svg")).to_have_count(3)
    first = looker.page.locator("#partition-0 .picture")
    for text in ("producer 0", "billing", "COMMIT", "ABORT", "last stable offset 7", "broker 3"):
        expect(first).to_contain_text(text)
    looker.keep("topic")


def test_records_are_decoded_on_a_click_and_by_the_keyboard(looker: Looker) -> None:
    looker.open("topics/orders/0").live()
    looker.page.locator('[data-first-offset="1"]').first.click()
    expect(looker.page.locator("#batch h2")).to_have_text("Batch at offset 1")
    expect(looker.page.locator("#batch")).to_contain_text("billing-1")
    decode = looker.page.get_by_role("button", name="Decode 1 record at offset 3")
    decode.focus()
    looker.page.keyboard.press("Enter")
    expect(looker.page.locator("#batch")).to_contain_text("shipping-0")
    looker.page.get_by_role("button", name="Close").click()
    expect(looker.page.locator("#batch")).to_have_count(0)


def test_a_view_is_zoomed_and_moved(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        write(cluster, 200)
        looker.open("topics/orders/0").live()
        shown = looker.page.locator(".zoom .muted")
        folded = looker.page.locator(".picture .folded")
        expect(folded).not_to_have_count(0)
        looker.page.goto(f"{looker.url}/#/topics/orders/0?from=40&to=80")
        expect(shown).to_contain_text("offsets 40 to 79")
        expect(shown).to_contain_text("40 batches before, 120 after")
        picture = looker.page.locator(".picture")
        picture.focus()
        for key, view in [("+", "50 to 69"), ("ArrowRight", "60 to 79"), ("-", "50 to 89")]:
            picture.press(key)
            expect(shown).to_contain_text(f"offsets {view}")
        looker.page.get_by_role("button", name="The whole partition").click()
        expect(shown).to_contain_text("offsets 0 to 199")
        folded.first.click()
        expect(looker.page).to_have_url(re.compile("from=.*to="))
        looker.keep("topic-zoomed")


def test_both_clocks_are_shown_after_a_jump(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        cluster.clock.advance("7d")
        write(cluster, 1)
        looker.open("topics/orders/0").live()
        expect(looker.page.locator("#clock")).to_contain_text("state 7 d ahead")
        expect(looker.page.locator(".picture")).to_contain_text("cluster clock")
        expect(looker.page.locator(".picture")).to_contain_text("client clock")


def test_new_batches_appear_while_one_looks(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        looker.open("topics/orders/0").live()
        expect(looker.page.locator(".picture")).to_contain_text("no record has been written yet")
        commit(cluster, "billing")
        expect(looker.page.locator(".picture .commit[data-first-offset]")).to_have_count(1)


def test_a_partition_stays_in_view_when_the_batch_below_it_is_deleted(
    looker: Looker, cluster: Cluster
) -> None:
    looker.open("topics/orders/0?batch=0").live()
    expect(looker.page.locator("#batch")).to_contain_text("billing-0")
    cluster.partition("orders", 0).delete_records(2)
    expect(looker.page.locator("#batch")).to_have_count(0)
    expect(looker.page.locator(".zoom .muted")).to_contain_text("offsets 2 to 7")
    looker.errors.clear()  # browsers log a 404


def test_hostile_names_and_records_stay_text(browser: Browser) -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True, admin_port=0) as cluster,
        looking(browser, cluster) as looker,
    ):
        commit(cluster, HOSTILE)
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.produce("orders", HOSTILE.encode(), base_sequence=0)
        settings = {"group.id": HOSTILE}
        consumer = Consumer(cluster.client_config("confluent", **settings))
        consumer.commit(offsets=[TopicPartition("orders", 0, 1)], asynchronous=False)
        consumer.close()
        cluster.fault("Fetch", client_id=HOSTILE, name="<b>bold</b>").delay("1ms")
        looker.open().live()
        expect(looker.row("transactions", HOSTILE)).to_be_visible()
        expect(looker.row("groups", HOSTILE)).to_be_visible()
        expect(looker.row("faults", "<b>bold</b>")).to_be_visible()
        looker.open("topics/orders/0?batch=2")
        expect(looker.page.locator("#batch code.wrap")).to_have_text(HOSTILE)
        name = quote(HOSTILE, safe="")
        for view in (
            "events",
            "topics/orders/0",
            f"groups/{name}",
            f"transactions/{name}",
            "faults",
        ):
            looker.open(view)
            assert looker.page.locator("main img, main script, main b b").count() == 0
            assert looker.page.title().endswith("· mockbroker")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing_wrong_in_a_topic(
    browser: Browser, cluster: Cluster, *, dark: bool
) -> None:
    with looking(browser, cluster, dark=dark) as looker:
        for view in ("topics/orders", "topics/orders/0?batch=0"):
            looker.open(view)
            assert looker.violations() == [], view


def test_an_unknown_topic_is_named(looker: Looker) -> None:
    looker.open("topics/ordes")
    expect(looker.page.locator("main")).to_contain_text("did you mean orders?")
    looker.errors.clear()  # browsers log a 404

"""Views of a large cluster: bounded bytes and nodes, and soon there."""

from collections.abc import Generator
from typing import Final

import pytest
from playwright.sync_api import Browser, Response, expect

from mockbroker import Cluster
from mockbroker.protocol.records.batch import build_batch, parse_batch_header, stamp
from mockbroker.protocol.records.record import Record
from mockbroker.state.cluster_state import ClusterState
from tests.support.browser import looking

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOPICS: Final = 100
PARTITIONS: Final = 50
BATCHES: Final = 100_000
EVENTS: Final = 300
NODES_MAX: Final = 2_500
BYTES_MAX: Final = 120_000
LONG: Final = "topic-000"
VIEWS: Final = (
    "",
    "topics",
    f"topics/{LONG}",
    f"topics/{LONG}/0",
    f"topics/{LONG}/0?from=50000&to=50040&batch=50000",
    "transactions",
    "groups",
    "faults",
    "brokers",
    "events",
    "search?text=key-9",
)


@pytest.fixture(scope="module")
def large() -> Generator[Cluster]:
    """A cluster with 5,000 partitions, one of which has 100,000 batches."""
    topics = {f"topic-{number:03}": PARTITIONS for number in range(TOPICS)}
    with Cluster(topics=topics, journal=True, admin_port=0) as cluster:
        cluster.look(fill)
        for _ in range(EVENTS):
            cluster.clock.advance("1ms")
        yield cluster


def fill(state: ClusterState, now_ms: int) -> None:
    log = state.log_of(state.topics.by_name[LONG].partitions[0], now_ms)
    data = bytearray(build_batch([Record(key=b"key-9", value=b"x", timestamp=now_ms)]))
    header = parse_batch_header(data)
    for offset in range(BATCHES):
        copy = bytearray(data)
        stamp(copy, 0, offset, 0)
        log.append_checked(header, copy, 0, now_ms, 0)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_a_large_cluster_is_bounded(browser: Browser, large: Cluster, view: str) -> None:
    with looking(browser, large) as looker:
        sizes: dict[str, int] = {}

        def on_response(answer: Response) -> None:
            size = answer.headers.get("content-length")
            if "/api/v1/" in answer.url and size is not None:
                sizes[answer.url] = int(size)

        looker.page.on("response", on_response)
        looker.open(view).live()
        assert sizes
        received = sum(sizes.values())
        nodes = looker.page.evaluate("document.getElementsByTagName('*').length")
        assert received < BYTES_MAX, (view, received)
        assert nodes < NODES_MAX, (view, nodes)


def test_a_long_log_is_zoomed_into_from_its_overview(browser: Browser, large: Cluster) -> None:
    with looking(browser, large) as looker:
        looker.open(f"topics/{LONG}/0").live()
        shown = looker.page.locator(".zoom .muted")
        expect(shown).to_contain_text("offsets 0 to 99,999")
        looker.page.locator(".picture .folded[data-first-offset]").first.click()
        expect(shown).not_to_contain_text("offsets 0 to 99,999")
        looker.keep("long-log")


def test_a_list_of_many_topics_has_pages_and_a_filter(browser: Browser, large: Cluster) -> None:
    with looking(browser, large) as looker:
        looker.open("topics").live()
        expect(looker.page.locator("#topics tbody tr")).to_have_count(50)
        looker.page.get_by_role("link", name="Next").click()
        expect(looker.row("topics", "topic-050")).to_be_visible()
        looker.page.get_by_role("searchbox", name="Filter topics").fill("-07")
        expect(looker.page.locator("#topics tbody tr")).to_have_count(10)
        assert looker.violations() == []

"""A share group in a real browser: records in flight, their locks, and dead letters."""

from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from tests.support.browser import looking
from tests.support.share_members import (
    CREATES_DEAD_LETTERS,
    HAS_DEAD_LETTERS,
    REJECT,
    SHARERS,
    joined,
    set_up,
    store,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GROUP: Final = f'cluster.group("{SHARERS}")'


def test_records_in_flight_are_seen_released_and_archived(browser: Browser) -> None:
    with (
        Cluster(
            brokers=3,
            topics={"orders": 1},
            config=CREATES_DEAD_LETTERS,
            clock="manual",
            admin_port=0,
        ) as cluster,
        looking(browser, cluster) as looker,
    ):
        set_up(cluster, HAS_DEAD_LETTERS)
        store(cluster, 3)
        group = cluster.group(SHARERS)
        with joined(cluster) as member:
            member.fetch()
            looker.open(f"groups/{SHARERS}").live()
            row = looker.row("in-flight", "orders-0")
            expect(row).to_contain_text("0–2")
            expect(row).to_contain_text("ACQUIRED")
            code = looker.run("Expire locks", {"topic": "orders", "partition": "0", "member": "a"})
            assert code == f'{GROUP}.expire_locks(topic="orders", partition=0, member_id="a")'
            expect(row).to_contain_text("AVAILABLE")
            assert looker.run("Hold dead letters") == f"{GROUP}.hold_dead_letters()"
            member.fetch()
            for offset in (0, 1, 2):
                assert member.acknowledge(offset, offset, (REJECT,)) is ErrorCode.NONE
            # The page may be drawn between two acknowledgements, with a row for each state.
            expect(looker.page.locator("#dead-letters h2")).to_have_text("3 dead letters held")
            expect(row).to_contain_text("ARCHIVING")
            looker.keep("share-group")
            assert looker.violations() == []
            assert looker.run("Step a dead letter") == f"{GROUP}.step_dead_letters()"
            assert len(group.held_dead_letters) == 3  # the first one waits for its topic
            assert looker.run("Release dead letters") == f"{GROUP}.release_dead_letters()"
            expect(looker.page.locator("#in-flight")).to_contain_text("No record is in flight")
            assert group.share_partitions["orders", 0].start_offset == 3
            code = looker.run("Move its coordinator", {"to": "2"})
            assert code == f'{GROUP}.move_share_coordinator("orders", 0, 2)'
            assert group.share_partitions["orders", 0].share_coordinator == 2

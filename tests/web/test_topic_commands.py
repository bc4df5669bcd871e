"""Commands of topics, partitions and replicas in a real browser, and the Python that they show."""

from typing import Final

import pytest
from playwright.sync_api import expect

from mockbroker import Cluster
from tests.support.browser import Looker

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PARTITION: Final = 'cluster.partition("orders", 1)'


def append(cluster: Cluster, records: int) -> None:
    for number in range(records):
        cluster.append("orders", f"order-{number}", partition=1)


def test_a_topic_is_created_filled_and_recreated(looker: Looker, cluster: Cluster) -> None:
    looker.open("topics").live()
    values = {"name": "refunds", "partitions": "2", "config": "cleanup.policy=compact"}
    code = looker.run("Create a topic", values)
    assert code == 'cluster.create_topic("refunds", 2, config={"cleanup.policy": "compact"})'
    looker.row("topics", "refunds").get_by_role("link").click()
    expect(looker.page.locator("main h1")).to_have_text("refunds")
    looker.command("Append a record")
    looker.keep("append-a-record")
    assert looker.violations() == []
    looker.page.get_by_role("button", name="Cancel").click()
    values = {"key": "customer-7", "value": "3 €", "headers": "trace: a:b", "partition": "1"}
    code = looker.run("Append a record", values)
    assert code == (
        'cluster.append("refunds", "3 €", key="customer-7", headers=[("trace", "a:b")],'
        " partition=1)"
    )
    looker.run("Append a record", {"key": "customer-7", "kind": "null", "partition": "1"})
    expect(looker.page.locator("#toasts")).to_contain_text("at offset 1 of refunds-1")
    paid, deleted = cluster.records("refunds", 1)
    assert (paid.key, paid.value, paid.headers) == (
        b"customer-7",
        "3 €".encode(),
        (("trace", b"a:b"),),
    )
    assert deleted.value is None
    code = looker.run("Compact", of="refunds-1")
    assert code == 'cluster.partition("refunds", 1).compact()'
    assert [each.value for each in cluster.records("refunds", 1)] == [None]
    code = looker.run("Recreate", {"partitions": "1", "start": "100"}, of="refunds")
    assert code == 'cluster.recreate_topic("refunds", partitions=1, start_offset=100)'
    assert cluster.partition("refunds", 0).log_start_offset == 100


def test_records_of_a_partition_are_lost_and_deleted(looker: Looker, cluster: Cluster) -> None:
    append(cluster, 5)
    partition = cluster.partition("orders", 1)
    looker.open("topics/orders/1").live()
    code = looker.run("Append a record", {"value": "more"}, of="orders-1")
    assert code == 'cluster.append("orders", "more", partition=1)'
    code = looker.run("Lose the tail", {"records": "2"}, of="orders-1")
    assert (code, partition.log_end_offset) == (f"{PARTITION}.lose_tail(2)", 4)
    code = looker.run("Move the log start", {"to": "1"}, of="orders-1")
    assert (code, partition.log_start_offset) == (f"{PARTITION}.move_log_start(1)", 1)
    code = looker.run("Delete records", {"before": "3"}, of="orders-1")
    assert (code, partition.log_start_offset) == (f"{PARTITION}.delete_records(3)", 3)
    code = looker.run("Delete records", of="orders-1")
    assert (code, partition.log_start_offset) == (f"{PARTITION}.delete_records()", 4)
    code = looker.run("Forget a producer", {"producer": "0"}, of="orders-1")
    assert code == f"{PARTITION}.forget_producer(0)"


def test_a_replica_that_lags_is_elected_and_loses_records(looker: Looker, cluster: Cluster) -> None:
    partition = cluster.partition("orders", 1)
    leader, follower, _ = partition.replicas
    append(cluster, 2)
    looker.open("topics/orders/1").live()
    row = looker.page.locator("#replicas tbody tr").nth(1)
    row.get_by_role("button", name="Lag").click()
    looker.page.locator("dialog button.primary").click()
    expect(row).to_contain_text("does not fetch")
    append(cluster, 3)
    expect(row).to_contain_text("\N{MINUS SIGN}3")
    of = f"the replica of broker {follower}"
    code = looker.run("Lose from the in-sync replicas", of=of)
    assert code == f"{PARTITION}.lose_replica({follower})"
    expect(row).to_contain_text("not in sync")
    looker.keep("replicas")
    choice = looker.command("Elect a leader").locator(f"[name='to'] option[value='{follower}']")
    assert choice.inner_text() == f"broker {follower}, not in sync"
    looker.keep("election")
    assert looker.violations() == []
    looker.page.get_by_role("button", name="Cancel").click()
    code = looker.run("Elect a leader", {"to": str(follower)})
    assert code == f"{PARTITION}.elect({follower})"
    assert (partition.leader, partition.log_end_offset) == (follower, 2)
    values = {"to": str(leader), "state": "none", "log": "truncate", "end": "1", "readable": "0"}
    code = looker.run("Elect a leader", values)
    assert code == (
        f'{PARTITION}.elect({leader}, producer_state="none", log="truncate", log_end_offset=1,'
        " high_watermark=0)"
    )
    assert (partition.leader, partition.log_end_offset) == (leader, 1)
    assert (partition.high_watermark, partition.replica(leader).producers) == (0, [])
    assert looker.run("Catch up all", of="orders-1") == f"{PARTITION}.catch_up()"
    assert partition.high_watermark == 1


def test_one_replica_differs_from_the_others(looker: Looker, cluster: Cluster) -> None:
    partition = cluster.partition("orders", 0)
    leader, follower, _ = partition.replicas
    replica = f'cluster.partition("orders", 0).replica({follower})'
    of = f"the replica of broker {follower}"
    looker.open("topics/orders/0").live()
    assert looker.run("Hold its offsets", of=of) == f"{replica}.hold_offsets()"
    row = looker.row("replicas", "offsets held")
    expect(row).to_have_count(1)
    cluster.append("orders", "later", partition=0)
    assert partition.replica(follower).high_watermark == partition.high_watermark - 1
    assert looker.run("Release its offsets", of=of) == f"{replica}.release_offsets()"
    expect(row).to_have_count(0)
    code = looker.run("Move its log start", {"to": "2"}, of=of)
    assert code == f"{replica}.move_log_start(2)"
    assert partition.replica(follower).log_start_offset == 2
    first = partition.replica(follower).producers[0].producer_id
    code = looker.run("Forget a producer", {"producer": str(first)}, of=of)
    assert code == f"{replica}.forget_producer({first})"
    assert first not in {each.producer_id for each in partition.replica(follower).producers}
    code = looker.run("Reload its producers", {"snapshot": "none"}, of=of)
    assert code == f'{replica}.reload_producers("none")'
    assert not partition.replica(follower).producers
    assert partition.replica(leader).producers

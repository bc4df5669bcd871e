"""Forms of handles: on one line, with rich, and in a notebook."""

import threading
from io import StringIO

import pytest
from rich.console import Console

from mockbroker import Cluster


def printed(value: object) -> str:
    console = Console(file=StringIO(), width=400)
    console.print(value)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().strip()


def test_a_cluster_that_does_not_run_shows_that() -> None:
    cluster = Cluster()
    assert repr(cluster) == "<Cluster: state=not started>"
    with cluster:
        partition = cluster.partition("orders", 0)
    assert repr(cluster) == "<Cluster: state=stopped>"
    assert printed(cluster) == "<Cluster state='stopped'>"
    assert "<td>stopped</td>" in cluster._repr_html_()
    assert "the cluster is not running" in repr(partition)


def test_handles_show_the_present_state() -> None:
    with Cluster(topics=["orders"]) as cluster:
        orders = cluster.partition("orders", 0)
        nothing = "log_start_offset=0, last_stable_offset=0, high_watermark=0, log_end_offset=0"
        assert repr(orders) == (
            "<PartitionHandle orders-0: leader=1, leader_epoch=0, replicas=[1],"
            f" in_sync_replicas=[1], {nothing}>"
        )
        assert cluster.look(lambda state, _now_ms: not state.logs), "a look opens no log"
        transaction = cluster.begin_transaction("svc")
        transaction.append("orders", "x")
        assert "last_stable_offset=0, high_watermark=1" in repr(orders)
        assert repr(cluster.transaction("svc")) == (
            "<TransactionHandle 'svc': state=Ongoing, producer_id=0, producer_epoch=0,"
            " partitions=['orders-0']>"
        )
        assert printed(orders).startswith("<PartitionHandle 'orders-0' leader=1 leader_epoch=0 ")
        assert "no coordinator" in repr(cluster.group("readers"))
        assert repr(orders.replica(1)) == (
            "<ReplicaHandle orders-0 of broker 1: is_in_sync=True, log_start_offset=0,"
            " log_end_offset=1>"
        )


def test_a_notebook_gets_escaped_names() -> None:
    with Cluster() as cluster:
        table = cluster.transaction("<script>")._repr_html_()
    assert "<script>" not in table
    assert "<caption>TransactionHandle &#x27;&lt;script&gt;&#x27;</caption>" in table


def test_a_form_does_not_wait_for_a_blocked_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockbroker.control.handles.shown.LOOK_S", 0.01)
    with Cluster() as cluster:
        blocks, goes_on = threading.Event(), threading.Event()

        def block(*_: object) -> None:
            blocks.set()
            goes_on.wait(20)

        blocker = threading.Thread(target=cluster.look, args=(block,))
        blocker.start()
        blocks.wait(20)
        assert "the cluster's event loop did not answer within 0.01 s" in repr(cluster)
        goes_on.set()
        blocker.join()
        assert "kafka=4.4" in repr(cluster)

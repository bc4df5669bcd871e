"""The audit of a running cluster's journal."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.audit import local
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.journal.options import JournalOptions
from mockbroker.wire import WireProducer


class Seen(NamedTuple):
    """A record that a reader found."""

    record_id: str
    offset: int
    topic: str = "orders"
    partition: int = 0


def write_twice(cluster: Cluster) -> None:
    """Let a producer without idempotence retry a stored record after an error."""
    cluster.fault(API.PRODUCE).apply_then_answer(ERR.REQUEST_TIMED_OUT)
    with WireProducer(cluster.bootstrap_servers) as producer:
        for _ in range(2):
            producer.produce("orders", b"a", base_sequence=-1, timestamp_ms=1_700_000_000_000)


def test_an_audit_uses_the_journal_in_memory() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        assert cluster.audit(identity="off").is_clean
        assert not cluster.audit().is_clean, "duplicates by identity are not judged"
        write_twice(cluster)
        (finding,) = cluster.audit().findings
        assert (finding.rule, finding.first_offset) == ("DUPLICATE_PAYLOAD", 1)
        entries = {entry.seq: entry for entry in cluster.journal}
        assert {entries[seq].topic for seq in finding.evidence} == {"orders"}
    assert cluster.audit().findings == (finding,), "it can be judged when the cluster has stopped"


@pytest.mark.slow
def test_a_long_journal_gets_the_same_verdict_from_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="tables need the extra spark")
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        write_twice(cluster)
    of_entries = cluster.audit()
    monkeypatch.setattr(local, "ARROW_FROM", 1)
    of_table = cluster.audit()
    assert cluster.journal.table().num_rows == len(cluster.journal.entries())
    assert of_table == of_entries
    assert len(of_table.findings) == 1


def test_ids_of_records_are_joined() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        (finding,) = cluster.audit(found=[Seen("a", 0), Seen("a", 3)]).findings
        assert (finding.rule, finding.first_offset) == ("DUPLICATE_PAYLOAD", 3)


def test_ids_may_be_in_a_column_of_what_readers_found() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        rows = [{"topic": "orders", "partition": 0, "offset": at, "order_id": 7} for at in range(2)]
        verdict = cluster.audit(identity="column:order_id", found=rows)
        assert (verdict.identity, verdict.findings[0].first_offset) == ("column:order_id", 1)
        with pytest.raises(ValueError, match="column:order_id is a column of the records that"):
            cluster.audit(identity="column:order_id")


def test_a_journal_with_identities_is_judged_by_them_also_when_the_cluster_has_stopped(
    tmp_path: Path,
) -> None:
    options = JournalOptions(path=tmp_path / "journal", identity="value", entries_max=2)
    with Cluster(topics={"orders": 1}, journal=options) as cluster:
        cluster.append("orders", "a")
        cluster.append("orders", "a")
    verdict = cluster.audit()
    assert (verdict.identity, len(verdict.findings)) == ("value", 1)
    assert cluster.audit(identity="off").is_clean


def test_records_from_before_the_journal_began_are_compared_in_the_running_cluster() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        cluster.append("orders", "a")
        cluster.journal.start(JournalOptions(identity="value"))
        assert cluster.audit().is_clean
        cluster.append("orders", "a")
        (finding,) = cluster.audit().findings
        assert (finding.rule, finding.copied_offset) == ("DUPLICATE_PAYLOAD", 0)


def test_records_behind_an_open_transaction_are_unknown() -> None:
    with (
        Cluster(topics={"orders": 1}, journal=True) as cluster,
        WireProducer(cluster.bootstrap_servers, "payments") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"open", base_sequence=0)
        for _ in range(2):
            cluster.append("orders", "a")
        verdict = cluster.audit(identity="value")
        assert verdict.findings == ()
        assert any(
            "behind an open transaction are stored twice" in each for each in verdict.unknown
        )
        producer.commit()
        assert len(cluster.audit(identity="value").findings) == 1


def test_entries_dropped_from_memory_are_read_from_the_finished_folder(tmp_path: Path) -> None:
    options = JournalOptions(path=tmp_path / "journal", entries_max=3)
    with Cluster(topics={"orders": 1}, journal=options) as cluster:
        write_twice(cluster)
        told = cluster.audit()
        assert told.findings == ()
        assert "memory dropped" in told.unknown[0]
        cluster.journal.stop()
        (finding,) = cluster.audit().findings
        assert finding.rule == "DUPLICATE_PAYLOAD"


def test_an_audit_needs_a_running_cluster_with_a_journal() -> None:
    cluster = Cluster()
    with pytest.raises(RuntimeError, match="not running"):
        cluster.audit()
    with cluster, pytest.raises(RuntimeError, match="the journal is off"):
        cluster.audit()


# Assertions and audit are one implementation: what the ledger proves, the journal proves.


def doubled(cluster: Cluster, producer: WireProducer) -> None:
    cluster.fault(API.PRODUCE).duplicate().once()
    producer.produce("orders", b"a", base_sequence=-1)


def cut_off(cluster: Cluster, producer: WireProducer) -> None:
    for _ in range(2):
        producer.produce("orders", b"a", base_sequence=-1)
    cluster.partition("orders", 0).elect(log="truncate", log_end_offset=1)


def never_stored(cluster: Cluster, producer: WireProducer) -> None:
    cluster.fault(API.PRODUCE).answer(ERR.NONE)
    producer.produce("orders", b"a", base_sequence=-1)


def shown(cluster: Cluster, producer: WireProducer) -> None:
    producer.init_producer_id()
    producer.add_partition("orders")
    producer.produce("orders", b"a", base_sequence=0)
    cluster.partition("orders", 0).elect(producer_state="none")
    producer.abort()


def fenced(cluster: Cluster, producer: WireProducer) -> None:
    producer.init_producer_id()
    with WireProducer(cluster.bootstrap_servers, "svc") as owner:
        owner.init_producer_id()
    producer.produce("orders", b"a", base_sequence=0)


def hanging(_cluster: Cluster, producer: WireProducer) -> None:
    producer.init_producer_id()
    producer.add_partition("orders")
    producer.produce("orders", b"a", base_sequence=0)
    producer.abort()
    producer.produce("orders", b"late", base_sequence=1)


def clean(_cluster: Cluster, producer: WireProducer) -> None:
    producer.init_producer_id()
    for commit in (True, False):
        producer.add_partition("orders")
        producer.produce("orders", b"a", base_sequence=0 if commit else 1)
        assert (producer.commit() if commit else producer.abort()) is ERR.NONE


@pytest.mark.parametrize(
    ("story", "rules"),
    [
        (doubled, {"DUPLICATE_PAYLOAD"}),
        (cut_off, {"ACKED_NOT_DURABLE"}),
        (never_stored, {"LOST_ACKED"}),
        (shown, {"ABORTED_VISIBLE"}),
        (fenced, {"ZOMBIE_WRITE_ACCEPTED", "HANGING_TXN"}),
        (hanging, {"HANGING_TXN"}),
        (clean, set[str]()),
    ],
)
def test_the_journal_and_the_ledger_give_the_same_findings(
    story: Callable[[Cluster, WireProducer], None], rules: set[str]
) -> None:
    with (
        Cluster(topics={"orders": 1}, brokers=2, kafka="2.8", journal=True) as cluster,
        WireProducer(
            cluster.bootstrap_servers, None if story in {doubled, cut_off, never_stored} else "svc"
        ) as producer,
    ):
        story(cluster, producer)
        found = cluster.audit().findings
        assert {rule for each in found for rule in each.rules} == rules
        if not rules:
            cluster.assert_exactly_once()
            return
        with pytest.raises(ClusterAssertionError) as failure:
            cluster.assert_exactly_once()
        told = {finding.text for finding in failure.value.findings}
        followed = (each for finding in found for each in finding.consequences)
        said = {f"orders-0: {each.partition(': ')[2]}" for each in followed}
        assert told == {each.text for each in found} | said

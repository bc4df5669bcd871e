"""The audit of a running cluster's journal."""

from pathlib import Path
from typing import NamedTuple

import pytest

from mockbroker import API, ERR, Cluster
from mockbroker.journal.options import JournalOptions
from mockbroker.wire import WireProducer


class Seen(NamedTuple):
    """A record that a reader found."""

    record_id: str
    offset: int
    topic: str = "orders"
    partition: int = 0


def write_twice(cluster: Cluster) -> None:
    """Have a plain producer send again what it was not told is stored."""
    cluster.fault(API.PRODUCE).apply_then_answer(ERR.REQUEST_TIMED_OUT)
    with WireProducer(cluster.bootstrap_servers) as producer:
        for _ in range(2):
            producer.produce("orders", b"a", base_sequence=-1, timestamp_ms=1_700_000_000_000)


def test_a_verdict_comes_of_the_journal_in_memory() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        assert cluster.audit().is_clean
        write_twice(cluster)
        (finding,) = cluster.audit().findings
        assert (finding.rule, finding.first_offset) == ("DUPLICATE_PAYLOAD", 1)
        entries = {entry.seq: entry for entry in cluster.journal}
        assert {entries[seq].topic for seq in finding.evidence} == {"orders"}
    assert cluster.audit().findings == (finding,), "it can be judged when the cluster has stopped"


def test_ids_of_records_are_joined() -> None:
    with Cluster(topics={"orders": 1}, journal=True) as cluster:
        (finding,) = cluster.audit(found=[Seen("a", 0), Seen("a", 3)]).findings
        assert (finding.rule, finding.first_offset) == ("DUPLICATE_PAYLOAD", 3)


def test_what_memory_has_dropped_is_in_the_folder_or_unknown(tmp_path: Path) -> None:
    options = JournalOptions(path=tmp_path / "journal", entries_max=3)
    with Cluster(topics={"orders": 1}, journal=options) as cluster:
        write_twice(cluster)
        told = cluster.audit()
        assert told.findings == ()
        assert "memory dropped" in told.unknown[0]
        cluster.journal.stop()
        (finding,) = cluster.audit().findings
        assert finding.rule == "DUPLICATE_PAYLOAD"


def test_without_a_journal_there_is_nothing_to_judge() -> None:
    cluster = Cluster()
    with pytest.raises(RuntimeError, match="not running"):
        cluster.audit()
    with cluster, pytest.raises(RuntimeError, match="the journal is off"):
        cluster.audit()

"""Ids of records in a journal, and which of them readers could see."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from mockbroker import Cluster
from mockbroker.audit.identity.recorded_ids import (
    LAST,
    RecordedId,
    by_life,
    ids_among,
    present_spans,
    span_of,
    with_recorded_ids,
)
from mockbroker.audit.local import audit_folder
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.folder import read_journal
from mockbroker.journal.options import JournalFormat, JournalOptions
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireProducer
from tests.support.requests import batch_of, produce
from tests.support.verdicts import verdict_of
from tests.support.wire import broker_client


@dataclass
class Rows:
    """Rows of a journal, each with the next number."""

    rows: list[Entry] = field(default_factory=list[Entry])

    def add(self, kind: str, **columns: Any) -> "Rows":
        place: dict[str, Any] = {"topic": "orders", "partition": 0} | columns
        self.rows.append(Entry(len(self.rows) + 1, kind, 0, 0, **place))
        return self

    def append(self, offset: int, record_ids: str, **columns: Any) -> "Rows":
        return self.add("append", base_offset=offset, record_ids=record_ids, **columns)

    def found(self) -> list[tuple[int, str]]:
        return [(each.offset, each.record_id) for each in ids_among(self.rows)]


def test_records_without_an_id_and_retries_do_not_count() -> None:
    rows = Rows().append(3, '["a",null,"b"]').append(3, '["a"]', is_duplicate=True)
    rows.append(6, "[null]").add("append", base_offset=7)
    assert rows.found() == [(3, "a"), (5, "b")]
    assert ids_among(rows.rows)[1] == RecordedId("orders", 0, 5, "b", 1, -1)


def test_records_of_a_transaction_count_if_it_is_committed() -> None:
    open_one = {"producer_id": 1, "is_transactional": True}
    rows = Rows().append(0, '["a"]', **open_one).append(1, '["b"]', producer_id=2)
    assert rows.found() == [(1, "b")], "the transaction is open"
    rows.add("marker", producer_id=1, marker="ABORT").append(3, '["a"]', **open_one)
    rows.add("marker", producer_id=1, marker="COMMIT", partition=1)
    assert rows.found() == [(1, "b")], "the marker is in another partition"
    rows.add("marker", producer_id=1, marker="COMMIT")
    assert rows.found() == [(1, "b"), (3, "a")]


@pytest.mark.parametrize(
    ("removal", "kept"),
    [
        (("truncation", {"log_end_offset": 1}), ["a", "c"]),
        (("truncation", {"log_end_offset": 1, "leader_epoch": 4}), ["a", "c"]),
        (("truncation", {"log_end_offset": 1, "leader_epoch": 3}), ["a", "b", "c"]),
        (("truncation", {"log_end_offset": 1, "partition": 1}), ["a", "b", "c"]),
        (("topic_deleted", {"partition": None}), ["c"]),
        (("topic_deleted", {"partition": None, "topic": "payments"}), ["a", "b", "c"]),
    ],
)
def test_records_that_were_removed_before_the_next_one_do_not_count(
    removal: tuple[str, dict[str, Any]], kept: list[str]
) -> None:
    rows = Rows().append(0, '["a"]', leader_epoch=4).append(1, '["b"]', leader_epoch=4)
    rows.add(removal[0], **removal[1]).append(1, '["c"]', leader_epoch=5)
    assert [record_id for _, record_id in rows.found()] == kept


def test_records_of_an_isolated_broker_have_their_own_ids() -> None:
    def write(broker: int, value: str) -> None:
        with broker_client(cluster, broker) as client:
            request = produce(records=batch_of(value.encode()), acks=1)
            answer = client.ask(request, 9, ProduceResponse)
            assert not answer.responses[0].partition_responses[0].error_code

    options = JournalOptions(identity="value")
    with Cluster(brokers=3, topics={"orders": 1}, journal=options, clock="manual") as cluster:
        alone = cluster.partition("orders", 0).leader
        cluster.isolate(alone)
        for number in range(2):
            write(alone, f"lost-{number}")
        for number in range(2, 4):
            write(cluster.partition("orders", 0).leader, f"kept-{number}")
        write(alone, "lost-4")
        entries = cluster.journal.entries()
        cluster.rejoin(alone)
        rejoined = cluster.journal.entries()
    stored = [each.record_ids for each in entries if each.kind == "append"]
    assert stored == ['["lost-0"]', '["lost-1"]', '["kept-2"]', '["kept-3"]', '["lost-4"]']
    for rows in (entries, rejoined):
        assert [each.record_id for each in ids_among(rows)] == ["kept-2", "kept-3"]


def test_records_of_a_topic_that_was_created_again_are_not_those_of_an_old_leader() -> None:
    rows = Rows().add("leader", broker=2, leader_epoch=5).append(0, '["lost"]', leader_epoch=4)
    rows.add("leader", broker=-1, leader_epoch=6).append(1, '["kept"]', leader_epoch=5)
    assert rows.found() == [(1, "kept")]
    rows.add("topic_deleted", partition=None).append(0, '["new"]', leader_epoch=0)
    assert rows.found() == [(0, "new")]


def test_a_reset_begins_another_life_with_other_records() -> None:
    open_one = {"producer_id": 1, "is_transactional": True}
    rows = Rows().add("leader", broker=1, leader_epoch=5).append(0, '["a"]', leader_epoch=5)
    rows.append(1, '["never"]', **open_one)
    rows.add("event", topic=None, partition=None, detail='{"event":"reset"}')
    rows.append(0, '["a"]', leader_epoch=0).append(1, '["b"]', leader_epoch=0, **open_one)
    rows.add("truncation", log_end_offset=5).add("marker", producer_id=1, marker="COMMIT")
    first, second = by_life(ids_among(rows.rows))
    assert [(each.record_id, each.life) for each in first] == [("a", 0)]
    assert [(each.record_id, each.life) for each in second] == [("a", 1), ("b", 1)]
    assert span_of(second) == (5, 6)
    assert by_life([]) == [[]]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_ids_are_compared_in_each_life_of_a_cluster(tmp_path: Path, format: str) -> None:  # noqa: A002
    if format == "parquet":
        pytest.importorskip("pyarrow")
    options = JournalOptions(
        path=tmp_path / "j", format=cast("JournalFormat", format), identity="value"
    )
    with Cluster(topics={"orders": 1}, journal=options, clock="manual") as cluster:
        for values in (["a", "b", "b"], ["a"], ["c", "c"]):
            for value in values:
                cluster.append("orders", value)
            cluster.reset()
    verdict = with_recorded_ids(audit_folder(tmp_path / "j"), tmp_path / "j", [None], "value")
    appended = [each.seq for each in read_journal(tmp_path / "j") if each.kind == "append"]
    assert [each.rule for each in verdict.findings] == ["DUPLICATE_PAYLOAD"] * 2
    assert sorted(each.evidence for each in verdict.findings) == [
        (appended[1], appended[2]), (appended[4], appended[5]),
    ]  # fmt: skip


@pytest.fixture(params=["jsonl", "parquet"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Write a journal of one topic with `a` at two offsets, once more aborted, and a retry."""
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    written: JournalFormat = request.param
    options = JournalOptions(path=tmp_path / "journal", format=written, identity="value")
    with Cluster(topics={"orders": 1}, journal=options) as cluster:
        with WireProducer(cluster.bootstrap_servers, "t") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"a", base_sequence=0)
            producer.abort()
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.produce("orders", b"a", base_sequence=0)
            producer.produce("orders", b"a", base_sequence=0)
            producer.produce("orders", b"b", base_sequence=1)
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.produce("orders", b"a", base_sequence=0)
    return tmp_path / "journal"


def test_a_journal_on_disk_is_judged_by_the_ids_in_it(journal: Path) -> None:
    verdict = with_recorded_ids(audit_folder(journal), journal, [None], "value")
    (finding,) = verdict.findings
    assert finding.rule == "DUPLICATE_PAYLOAD"
    assert "it is 'a', which is also in orders-0 at offset 2" in finding.text
    assert "wrote the first copy, and producer " in finding.text
    assert len(finding.evidence) == 2, "the rows of both copies"
    assert verdict.identity == "value"


def test_a_duplicate_before_a_reset_does_not_hide_one_at_the_same_offset_after_it(
    tmp_path: Path,
) -> None:
    options = JournalOptions(path=tmp_path / "journal", identity="value")
    with Cluster(topics={"orders": 1}, journal=options) as cluster:
        for value in ("a", "a"):
            cluster.append("orders", value)
        cluster.reset()
        for value in ("b", "b"):
            cluster.append("orders", value)
    path = tmp_path / "journal"
    findings = with_recorded_ids(audit_folder(path), path, [None], "value").findings
    assert [each.first_offset for each in findings] == [1, 1]
    assert "it is 'a'" in findings[0].text
    assert "it is 'b'" in findings[1].text


def test_rows_about_a_topic_as_it_is_now_begin_at_its_deletion_or_a_reset() -> None:
    rows = Rows().append(0, '["a"]').append(0, '["a"]', topic="kept").add("topic_deleted")
    assert present_spans(rows.rows) == {"orders": (3, LAST)}
    reset = Entry(4, "event", 0, 0, detail='{"event":"reset"}')
    assert present_spans([*rows.rows, reset]) == {"orders": (4, LAST), "kept": (4, LAST)}


def test_without_a_repeated_id_a_journal_is_clean(tmp_path: Path) -> None:
    options = JournalOptions(path=tmp_path / "journal", identity="json:id")
    with Cluster(topics={"orders": 1, "copy": 1}, journal=options) as cluster:
        for topic in ("orders", "copy"):
            cluster.append(topic, '{"id": 7}')
    path = tmp_path / "journal"
    assert with_recorded_ids(verdict_of(), path, [None], "json:id").is_clean
    across = with_recorded_ids(verdict_of(), path, [None], "json:id", across_topics=True)
    assert len(across.findings) == 1


def test_an_identity_that_no_record_has_judges_nothing(tmp_path: Path) -> None:
    options = JournalOptions(path=tmp_path / "journal", identity="header:id")
    with Cluster(topics={"orders": 1}, journal=options) as cluster:
        cluster.append("orders", "a")
    for verdict in (
        with_recorded_ids(verdict_of(), tmp_path / "journal", [None], "header:id"),
        cluster.audit(),
    ):
        assert (verdict.identity, verdict.is_clean) == (None, False)
        assert verdict.unknown[-1] == (
            "whether records are stored twice: no visible record has the identity header:id"
        )

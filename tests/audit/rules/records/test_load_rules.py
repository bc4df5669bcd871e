"""Rules on a load by the ids of its records."""

from typing import Any, NamedTuple

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.records.load_rules import judge_load
from mockbroker.audit.rules.rule_table import TOPIC
from mockbroker.audit.source import Source
from mockbroker.audit.verdict import CountedNames, Verdict

CLEAN = judge([])


class Row(NamedTuple):
    """A row of a ledger."""

    record_id: str
    offset: int | None = 0
    topic: str = "orders"
    partition: int = 0
    outcome: str = "acked"
    transaction_outcome: str = "none"
    task: int = 2
    attempt: int = 0
    client: str = "confluent"
    transactional_id: str | None = None


class Seen(NamedTuple):
    """A record that was found."""

    record_id: str
    offset: int
    partition: int = 0
    topic: str = "orders"


def found(
    rows: list[Row] | None, seen: list[Seen] | None, verdict: Verdict = CLEAN
) -> list[Finding]:
    return [*judge_load(verdict, rows, seen).findings]


def known(rule: str, first_offset: int, last_offset: int) -> Verdict:
    """Return a verdict with a finding at some offsets."""
    finding = Finding(
        rule, Severity.ERROR, "told", "", topic="orders", partition=0,
        first_offset=first_offset, last_offset=last_offset,
    )  # fmt: skip
    return CLEAN._replace(findings=(finding,))


def test_records_acknowledged_and_found_once_are_clean() -> None:
    rows = [Row("a", 0), Row("b", 1), Row("c", None, outcome="failed")]
    assert found(rows, [Seen("a", 0), Seen("b", 1)]) == []
    assert found(rows, [Seen("a", 0), Seen("b", 1), Seen("c", 2)]) == [], "it was unknown"


def test_consecutive_duplicates_are_one_finding() -> None:
    rows = [Row(each, offset) for offset, each in enumerate("abc")]
    rows += [Row(each, 10 + offset, attempt=1) for offset, each in enumerate("abc")]
    seen = [Seen(row.record_id, row.offset or 0) for row in rows]
    (finding,) = found(rows, seen)
    assert finding.rule == "DUPLICATE_PAYLOAD"
    assert (finding.first_offset, finding.last_offset) == (10, 12)
    assert finding.text == (
        "orders-0: 3 records (offsets 10..12), sent by task 2, attempt 1 (confluent) are "
        "stored again: the first is 'a', which is also in orders-0 at offset 0"
    )
    (without,) = found(None, seen)
    assert without.text == (
        "orders-0: 3 records (offsets 10..12) are stored again: the first is 'a', which is also in "
        "orders-0 at offset 0"
    )


def test_a_record_repeated_in_another_partition_is_a_duplicate() -> None:
    (finding,) = found([Row("a", 5)], [Seen("a", 5), Seen("a", 0, partition=1)])
    assert finding.text == (
        "orders-1: 1 record (offset 0) is stored again: it is 'a', which is also in orders-0 at "
        "offset 5"
    )


def test_a_finding_of_the_journal_is_not_repeated() -> None:
    seen = [Seen("a", 0), Seen("a", 4)]
    for rule in ("DUPLICATE_APPEND", "DUPLICATE_PAYLOAD"):
        assert len(found([Row("a", 0)], seen, known(rule, 4, 4))) == 1
    assert len(found([Row("a", 0)], seen, known("DUPLICATE_APPEND", 5, 9))) == 2
    assert len(found([Row("a", 3)], [], known("ACKED_NOT_DURABLE", 0, 9))) == 1


def test_acknowledged_records_that_readers_do_not_find_are_lost() -> None:
    rows = [Row("a", 3), Row("b", 4), Row("c", 9), Row("d", None)]
    one, two, three = found(rows, [])
    assert {each.rule for each in (one, two, three)} == {"LOST_ACKED"}
    assert (one.first_offset, two.first_offset, three.first_offset) == (None, 3, 9)
    assert two.text == (
        "orders-0: 2 records (offsets 3..4) acknowledged to task 2, attempt 0 (confluent), but "
        "readers do not find them: the first is 'a'"
    )
    assert "offset unknown" in one.text


def test_records_beyond_the_last_stable_offset_are_not_lost() -> None:
    rows = [Row("a", 3), Row("b", 4), Row("c", None), Row("d", 9, partition=1)]
    verdict = judge_load(CLEAN, rows, [], {("orders", 0): 4})
    assert [(each.partition, each.first_offset) for each in verdict.findings] == [(0, 3), (1, 9)]
    other = judge_load(CLEAN, rows[2:3], [], {("payments", 0): 0})
    assert len(other.findings) == 1


def test_topics_without_the_identity_are_named() -> None:
    names = CountedNames(partitions=frozenset({("orders", 0), ("paid", 1), ("__offsets", 0)}))
    verdict = CLEAN._replace(names=names)
    told = judge_load(verdict, None, [Seen("a", 0)], identity="key").unknown
    assert told == ("whether records of paid are stored twice: none that is visible has key",)
    both = [Seen("a", 0), Seen("a", 0, topic="paid")]
    assert judge_load(verdict, None, both, identity="key").unknown == ()
    assert judge_load(verdict, None, [Seen("a", 0)]).unknown == (), "the ids are those of a load"
    many = CountedNames(partitions=frozenset((f"t{each:02}", 0) for each in range(22)))
    (said,) = judge_load(verdict._replace(names=many), None, both, identity="key").unknown
    assert "t18, t19 and 2 more are stored twice" in said


def test_what_is_behind_an_open_transaction_is_unknown() -> None:
    said = "whether records behind an open transaction are stored twice: orders-0 from offset 4 on"
    assert judge_load(CLEAN, None, [], {("orders", 0): 4}).unknown == (said,)
    many = judge_load(CLEAN, None, [], {("orders", each): each for each in range(25)})
    assert many.unknown[0].endswith("orders-19 from offset 19 on, and 5 more")
    assert judge_load(CLEAN, [Row("a", 3)], None, {("orders", 0): 4}).unknown == ()


def test_a_finding_of_other_rows_covers_no_duplicate_of_a_topic_created_again() -> None:
    before = known("DUPLICATE_APPEND", 1, 1)
    before = before._replace(findings=(before.findings[0]._replace(evidence=(4, 7)),))
    seen = [Seen("a", 0), Seen("a", 1)]
    covered = judge_load(before, None, seen, spans={"orders": (7, 9)})
    assert covered.findings == before.findings
    for span in ((8, 9), (1, 3)):
        assert len(judge_load(before, None, seen, spans={"orders": span}).findings) == 2


def test_only_acknowledged_and_committed_records_are_lost() -> None:
    def row(**changes: Any) -> Row:
        return Row("a", 3)._replace(**changes)

    for promised in (row(), row(transaction_outcome="committed")):
        assert len(found([promised], [])) == 1
        assert found([promised], [Seen("a", 7)]) == [], "it is there, somewhere"
    for changes in (
        {"outcome": "unknown"},
        {"outcome": "failed"},
        {"transaction_outcome": "aborted"},
        {"transaction_outcome": "unknown"},
    ):
        assert found([row(**changes)], []) == []


def test_records_aborted_and_sent_again_are_clean() -> None:
    rows = [
        Row("a", 3, transaction_outcome="aborted", transactional_id="svc"),
        Row("a", 8, transaction_outcome="committed", transactional_id="svc"),
    ]
    assert found(rows, [Seen("a", 8)]) == []
    (lost,) = found(rows, [])
    assert (lost.first_offset, lost.transactional_id) == (8, "svc")


def test_aborted_records_that_readers_find_are_visible() -> None:
    aborted = Row("a", 3, transaction_outcome="aborted", transactional_id="svc")
    (finding,) = found([aborted], [Seen("a", 3)])
    assert (finding.rule, finding.transactional_id) == ("ABORTED_VISIBLE", "svc")
    assert "get 1 record (offset 3) of a transaction that task 2, attempt 0" in finding.text
    (unknown,) = found([aborted._replace(outcome="unknown", offset=None)], [Seen("a", 3)])
    assert unknown.first_offset == 3
    assert found([aborted], [Seen("a", 3)], known("ABORTED_VISIBLE", 3, 3))[0].text == "told"


def test_without_readers_only_the_ledger_is_checked() -> None:
    rows = [Row("a", 3), Row("a", 7)]
    (finding,) = found(rows, None)
    assert (finding.rule, finding.first_offset) == ("DUPLICATE_PAYLOAD", 7)
    assert len(found(rows, None, known("ACKED_NOT_DURABLE", 7, 7))) == 1, "one of them is gone"
    assert found([Row("a", 3)], None) == []


def test_rules_that_ids_alone_cannot_judge_name_the_reason() -> None:
    topic = judge([], Source(facts=TOPIC, name="a topic"))
    by_ids = {each.rule: each for each in judge_load(topic, None, [Seen("a", 0)]).rules}
    assert by_ids["DUPLICATE_PAYLOAD"].is_judged
    assert not by_ids["LOST_ACKED"].is_judged
    assert by_ids["LOST_ACKED"].reason.endswith("and there is no ledger of the sent records")
    joined = {each.rule: each for each in judge_load(topic, [Row("a")], []).rules}
    assert joined["LOST_ACKED"] == ("LOST_ACKED", True, "", 1, 0)
    assert not joined["ACKED_NOT_DURABLE"].is_judged


def test_an_id_is_compared_within_its_topic_unless_asked_across() -> None:
    seen = [Seen("a", 5), Seen("a", 2, topic="billed"), Seen("a", 9, topic="billed")]
    (finding,) = found(None, seen)
    assert (finding.topic, finding.first_offset, finding.copied_offset) == ("billed", 9, 2)
    across = judge_load(CLEAN, None, seen, across_topics=True).findings
    assert [(each.topic, each.first_offset) for each in across] == [("billed", 9), ("orders", 5)]
    assert (across[1].copied_place, across[1].copied_offset) == (("billed", 0), 2)


def test_the_verdict_names_the_identity() -> None:
    assert judge_load(CLEAN, None, []).identity == "given ids"
    assert judge_load(CLEAN, None, [], identity="key").identity == "key"

"""Choice of the findings that have a timeline, and of the rows in it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mockbroker.audit.finding import Finding
from mockbroker.journal.entry import Entry
from mockbroker.spark.audit.audited import Placed
from mockbroker.spark.journal.picked_rows import Window

DRAWN_MAX: Final = 50
"""Maximum number of findings with a timeline: the first ones of each rule."""
ROWS_MAX: Final = 24
"""Maximum number of rows in a timeline: the proving rows, and then the nearest ones."""
PROOF_MAX: Final = 12
"""Maximum number of proving rows in a timeline: the first and the last ones."""
READ_MAX: Final = 200_000
"""Maximum number of rows read in total."""
REACH: Final = 100
"""Search distance on each side, in rows of a log with one partition."""

OF_A_LOG: Final = (
    *("append", "marker", "leader", "truncation", "log_start", "high_watermark"),
    *("topic_created", "topic_deleted", "producer_expired"),
)
"""Kinds of the rows of a partition's log."""


def drawn(findings: Sequence[Placed]) -> list[Placed]:
    """Choose the findings that have a timeline: one of each rule in turn."""
    by_rule: defaultdict[str, list[Placed]] = defaultdict(list)
    for each in findings:
        by_rule[each.finding.rule].append(each)
    turns = sorted(
        ((place, each) for of_rule in by_rule.values() for place, each in enumerate(of_rule)),
        key=lambda turn: (turn[0], turn[1].number),
    )
    return sorted((each for _, each in turns[:DRAWN_MAX]), key=lambda each: each.number)


def proof_of(finding: Finding) -> tuple[int, ...]:
    """Return the proving rows that are shown: the first and the last ones, if there are many."""
    seqs = finding.evidence
    half = PROOF_MAX // 2
    return seqs if len(seqs) <= PROOF_MAX else (*seqs[:half], *seqs[-half:])


def nearest(finding: Finding, entries: Iterable[Entry]) -> list[Entry]:
    """Choose the rows of a timeline, in their order."""
    proof = frozenset(proof_of(finding))
    seqs = sorted(proof)

    def distance(entry: Entry) -> int:
        if seqs:
            return min(abs(entry.seq - seq) for seq in seqs)
        return abs((entry.base_offset or 0) - (finding.first_offset or 0))

    there = [entry for entry in entries if entry.seq in proof or _is_beside(entry, finding)]
    there = [entry for entry in there if _is_of_log(entry, finding) or entry.seq in proof]
    there.sort(key=lambda entry: (distance(entry), entry.seq))
    return sorted(there[:ROWS_MAX], key=lambda entry: (entry.seq, entry.partition or 0))


def _is_of_log(entry: Entry, finding: Finding) -> bool:
    return entry.kind in OF_A_LOG or (
        entry.kind == "transaction" and entry.transactional_id == finding.transactional_id
    )


def _is_beside(entry: Entry, finding: Finding) -> bool:
    if entry.kind == "transaction":
        return entry.transactional_id == finding.transactional_id
    if finding.topic is None:
        return entry.producer_id == finding.producer_id
    return (entry.topic, entry.partition) == (finding.topic, finding.partition)


def windows(finding: Finding, reach: int) -> Iterator[Window]:
    """Yield filters for the rows around a finding: around its first and its last proving row."""
    seqs = finding.evidence
    for seq in sorted({seqs[0], seqs[-1]}):
        here = Window(seq - reach, seq + reach, OF_A_LOG)
        if finding.topic is not None:
            yield here._replace(topic=finding.topic, partition=finding.partition)
        elif finding.producer_id is not None:
            yield here._replace(kinds=("append", "marker"), producer_id=finding.producer_id)
        if finding.transactional_id is not None:
            yield here._replace(kinds=("transaction",), transactional_id=finding.transactional_id)

"""Choice of the findings that have a timeline, and of the rows in it."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from typing import Final

from mockbroker.audit.finding import Finding
from mockbroker.journal.entry import Entry
from mockbroker.report.audited import Placed

DRAWN_MAX: Final = 50
"""Maximum number of findings with a timeline: the first ones of each rule."""
ROWS_MAX: Final = 24
"""Maximum number of rows in a timeline: the proving rows, and then the nearest ones."""
BEFORE_MAX: Final = 2
"""Maximum number of rows before the first proving row: a timeline begins at the proof."""
BESIDE_MAX: Final = 4
"""Maximum number of rows on each side of any other proving row."""
PROOF_MAX: Final = 12
"""Maximum number of proving rows in a timeline: the first and the last ones."""
READ_MAX: Final = 200_000
"""Maximum number of rows read in total."""
REACH: Final = 100
"""Search distance on each side, in rows of a log with one partition."""

_REACH_IN_MEMORY: Final = 2_000
"""The same, in rows of a journal in memory, whatever they are."""

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

    beside = sorted(
        (
            entry
            for entry in entries
            if _proves(entry, finding, proof)
            or (_is_beside(entry, finding) and _is_of_log(entry, finding))
        ),
        key=_order,
    )
    there = _around_proof(beside, [_proves(each, finding, proof) for each in beside])
    there.sort(key=lambda entry: (distance(entry), entry.seq))
    return sorted(there[:ROWS_MAX], key=_order)


def _order(entry: Entry) -> tuple[int, int]:
    return entry.seq, entry.partition or 0


def _around_proof(entries: Sequence[Entry], proves: Sequence[bool]) -> list[Entry]:
    """Leave out the rows that are far from all proving rows, or long before the first one."""
    places = [place for place, is_proof in enumerate(proves) if is_proof]
    if not places:
        return list(entries)
    chosen = {
        place
        for proof in places
        for place in range(proof - BESIDE_MAX, proof + BESIDE_MAX + 1)
        if place >= places[0] - BEFORE_MAX
    }
    return [entry for place, entry in enumerate(entries) if place in chosen]


def _proves(entry: Entry, finding: Finding, proof: Container[int]) -> bool:
    """Return whether a row proves a finding; in topics, `seq` counts within a partition."""
    if entry.seq not in proof:
        return False
    if finding.topic is None or entry.kind not in {"append", "marker"}:
        return True
    place = entry.topic, entry.partition
    copied = finding.copied_place if finding.copied_offset is not None else place
    return place in {(finding.topic, finding.partition), copied}


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


def rows_in_memory(findings: Sequence[Placed], entries: Sequence[Entry]) -> dict[int, list[Entry]]:
    """Choose the rows of the timelines among entries in order of `seq`, by the findings' numbers.

    Rows far from the evidence are not searched: the first and the last proving row have neighbours.
    """
    seqs = [entry.seq for entry in entries]
    return {
        each.number: nearest(each.finding, _near(each.finding, entries, seqs))
        for each in drawn(findings)
    }


def _near(finding: Finding, entries: Sequence[Entry], seqs: Sequence[int]) -> Sequence[Entry]:
    proof = proof_of(finding)
    if not proof:
        return entries[-_REACH_IN_MEMORY:]
    places = {
        place
        for seq in proof
        for place in range(
            max(bisect_left(seqs, seq) - _REACH_IN_MEMORY, 0),
            bisect_right(seqs, seq) + _REACH_IN_MEMORY,
        )
    }
    return [entries[place] for place in sorted(places) if place < len(entries)]

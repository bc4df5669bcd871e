"""Result of an audit: findings, judged rules, and facts that could not be judged."""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from mockbroker.audit.finding import Finding, Severity, sort_key


class RuleVerdict(NamedTuple):
    """Result for one rule: judged or not, and the reason."""

    rule: str
    is_judged: bool
    reason: str = ""
    """Why it was not."""
    findings: int = 0
    consequences: int = 0
    """Number of findings of other rules from which a breach of this one follows."""


class Counts(NamedTuple):
    """Numbers of judged events, partitions and producers."""

    events: int = 0
    """Rows of the evidence."""
    appends: int = 0
    """Batches and markers that were appended."""
    producers: int = 0
    """Different producer ids."""
    partitions: int = 0
    """Different partitions that were written to."""
    transactional_ids: int = 0
    first_time_ms: int | None = None
    last_time_ms: int | None = None


class CountedNames(NamedTuple):
    """What the counts are of, so that several pieces of evidence can be counted together."""

    producers: frozenset[int] = frozenset()
    partitions: frozenset[tuple[str, int]] = frozenset()
    transactional_ids: frozenset[str] = frozenset()


class Verdict(NamedTuple):
    """Judgement of all rules on one source of evidence."""

    findings: tuple[Finding, ...]
    """In the order of `finding.sort_key`."""
    rules: tuple[RuleVerdict, ...]
    """One for each rule of the table, in its order."""
    counts: Counts
    unknown: tuple[str, ...] = ()
    """Facts that the evidence lacks, as sentences: `orders-0: producer 7 began before …`."""
    open_transactions: tuple[str, ...] = ()
    """Whose transactions are not over where the evidence ends: `payments (Ongoing, producer 7)`."""
    broken: tuple[str, ...] = ()
    """Descriptions of unreadable input; the reader of the input sets it."""
    names: CountedNames = CountedNames()
    """The producers, partitions and transactional ids of the counts."""
    identity: str | None = None
    """The identity of records by which duplicates were judged, such as `header:order-id`; `off` if
    the user says that records have none; None if they were not judged."""

    @property
    def is_clean(self) -> bool:
        """True if there are no findings, all input was readable, and duplicates were judged.

        Applications and restarted clients write a record again as a new batch, which only the
        record's identity shows: see `identity`.
        """
        is_complete = not self.broken and self.identity is not None
        return is_complete and not self.findings

    def worst(self) -> Severity | None:
        """Return the severity of the worst finding."""
        return self.findings[0].severity if self.findings else None

    def of_rule(self, rule: str) -> tuple[Finding, ...]:
        """Return the findings of a rule."""
        return tuple(each for each in self.findings if each.rule == rule)


def merged(verdicts: Sequence[Verdict]) -> Verdict:
    """Merge the verdicts on the pieces of one journal, or on the topics of one source."""
    if len(verdicts) == 1:
        return verdicts[0]
    names = reduce(_together, (each.names for each in verdicts))
    return Verdict(
        findings=tuple(sorted((each for one in verdicts for each in one.findings), key=sort_key)),
        rules=tuple(map(_ruled, zip(*(each.rules for each in verdicts), strict=True))),
        counts=_counts([each.counts for each in verdicts], names),
        unknown=tuple(dict.fromkeys(each for one in verdicts for each in one.unknown)),
        open_transactions=verdicts[-1].open_transactions,
        names=names,
        identity=verdicts[0].identity,
    )


def _together(one: CountedNames, other: CountedNames) -> CountedNames:
    return CountedNames(
        one.producers | other.producers,
        one.partitions | other.partitions,
        one.transactional_ids | other.transactional_ids,
    )


def _ruled(pieces: Sequence[RuleVerdict]) -> RuleVerdict:
    return pieces[0]._replace(
        findings=sum(each.findings for each in pieces),
        consequences=sum(each.consequences for each in pieces),
    )


def _counts(pieces: Sequence[Counts], names: CountedNames) -> Counts:
    """Sum up the counts; what occurs in several pieces counts once."""
    firsts = [each.first_time_ms for each in pieces if each.first_time_ms is not None]
    lasts = [each.last_time_ms for each in pieces if each.last_time_ms is not None]
    return Counts(
        events=sum(each.events for each in pieces),
        appends=sum(each.appends for each in pieces),
        producers=len(names.producers),
        partitions=len(names.partitions),
        transactional_ids=len(names.transactional_ids),
        first_time_ms=min(firsts, default=None),
        last_time_ms=max(lasts, default=None),
    )

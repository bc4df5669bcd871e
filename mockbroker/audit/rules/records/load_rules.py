"""DUPLICATE_PAYLOAD, LOST_ACKED and ABORTED_VISIBLE, judged by the ids of records.

A load, or an application that does the same, gives an id to each record that it wants to store
once. Its ledger has the result of each send, and read_committed consumers report where they found
the ids. The result is added to an earlier verdict, without findings that the verdict already has.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

from mockbroker.audit.finding import Finding, sort_key
from mockbroker.audit.rules.records.load_findings import Place, Violation, findings_of
from mockbroker.audit.rules.records.loss_rules import ACKED_NOT_DURABLE, LISTED_MAX, LOST_ACKED
from mockbroker.audit.rules.records.payload_rules import DUPLICATE_PAYLOAD
from mockbroker.audit.rules.visibility_rules import ABORTED_VISIBLE
from mockbroker.audit.verdict import RuleVerdict, Verdict

_DUPLICATES: Final = frozenset({"DUPLICATE_APPEND", DUPLICATE_PAYLOAD})
_LOSSES: Final = frozenset({LOST_ACKED, ACKED_NOT_DURABLE})
_NOWHERE: Final = 1 << 62
NOTHING_WAITS: Final[Mapping[tuple[str, int], int]] = {}
Span: TypeAlias = tuple[int, int]  # the first and the last number of some rows
EVERYWHERE: Final[Mapping[str, Span]] = {}
GIVEN: Final = "given ids"
"""The identity of records whose ids the caller has found."""
_BY_IDS: Final = (DUPLICATE_PAYLOAD, LOST_ACKED, ABORTED_VISIBLE)
_NO_LEDGER: Final = "there is no ledger of the sent records"


class Sent(Protocol):
    """One send of a record, as in the ledger of a load."""

    @property
    def record_id(self) -> str:
        """The id of the record, which is to be stored once."""
        ...

    @property
    def topic(self) -> str:
        """The topic of the record."""
        ...

    @property
    def partition(self) -> int:
        """The partition of the record."""
        ...

    @property
    def offset(self) -> int | None:
        """The offset that the client got."""
        ...

    @property
    def outcome(self) -> str:
        """`acked`, `failed` or `unknown`."""
        ...

    @property
    def transaction_outcome(self) -> str:
        """`none`, `committed`, `aborted` or `unknown`."""
        ...

    @property
    def task(self) -> int:
        """The task that sent the record."""
        ...

    @property
    def attempt(self) -> int:
        """The attempt of the task."""
        ...

    @property
    def client(self) -> str:
        """The client library."""
        ...

    @property
    def transactional_id(self) -> str | None:
        """The transactional id of the producer."""
        ...


class Found(Protocol):
    """A record that a read_committed consumer has found."""

    @property
    def topic(self) -> str:
        """The topic of the record."""
        ...

    @property
    def partition(self) -> int:
        """The partition of the record."""
        ...

    @property
    def offset(self) -> int:
        """The offset of the record."""
        ...

    @property
    def record_id(self) -> str:
        """The id of the record."""
        ...


class _Ledger:
    """The sends of a load, by their outcome."""

    def __init__(self, rows: Iterable[Sent]) -> None:
        self.promised: dict[str, Sent] = {}
        """The last send of each record that was acknowledged, and not aborted."""
        self.aborted: dict[Place, Sent] = {}
        """Rows by the position that the client got."""
        self.only_aborted: dict[str, Sent] = {}
        """Rows of the records whose sends were all aborted."""
        self.acknowledged: dict[Place, Sent] = {}
        """Rows by the position that the client got."""
        hoped: set[str] = set()
        for row in rows:
            is_aborted = row.transaction_outcome == "aborted"
            if row.outcome == "acked" and row.offset is not None:
                place = row.topic, row.partition, row.offset
                self.acknowledged[place] = row
                if is_aborted:
                    self.aborted[place] = row
            if is_aborted:
                if row.record_id not in hoped:
                    self.only_aborted[row.record_id] = row
                continue
            hoped.add(row.record_id)
            self.only_aborted.pop(row.record_id, None)
            if row.outcome == "acked" and row.transaction_outcome in {"none", "committed"}:
                self.promised[row.record_id] = row


def judge_load(
    verdict: Verdict,
    sent: Iterable[Sent] | None,
    found: Iterable[Found] | None,
    waiting: Mapping[tuple[str, int], int] = NOTHING_WAITS,
    *,
    identity: str = GIVEN,
    across_topics: bool = False,
    has_ids: bool | None = None,
    spans: Mapping[str, Span] = EVERYWHERE,
) -> Verdict:
    """Join a verdict with the ledger of a load, and with the found records; either may be None.

    An id may be stored once in each topic, as it is when it travels down a pipeline, or with
    `across_topics` once in all of them. `identity` names what the ids are.

    Without `sent`, only duplicates are judged. Without `found`, acknowledged records are assumed to
    be at the offsets that the client got, unless the verdict has them as lost. `waiting` has, by
    topic and partition, the offset from which an open transaction blocked readers: records that may
    be there are not lost.

    An identity that no visible record has judges nothing, and the verdict says so. `has_ids` tells
    whether any has, if `found` are only those that are there again. `spans` has the numbers of the
    rows about a topic of these records: findings of other rows are of other records.
    """
    ledger = None if sent is None else _Ledger(sent)
    covered = _Covered(verdict.findings, spans)
    places = _places(found) if found is not None else _believed(ledger, covered)
    violations = [*_duplicates(places, ledger, covered, across_topics)]
    if ledger is not None and found is not None:
        violations += [
            *_losses(places, ledger, covered, waiting),
            *_aborted(places, ledger, covered),
        ]
    findings = (*verdict.findings, *findings_of(violations))
    if waiting and found is not None:
        verdict = verdict._replace(unknown=(*verdict.unknown, _blocked(waiting)))
    is_judged = bool(places) or ledger is not None if has_ids is None else has_ids
    if not is_judged and identity != GIVEN and verdict.counts.appends:
        told = f"whether records are stored twice: no visible record has the identity {identity}"
        return verdict._replace(identity=None, unknown=(*verdict.unknown, told))
    if ledger is None and has_ids is None and identity != GIVEN:
        verdict = verdict._replace(unknown=(*verdict.unknown, *_lacking(verdict, places, identity)))
    return verdict._replace(
        findings=tuple(sorted(findings, key=sort_key)),
        rules=tuple(_ruled(each, findings, ledger) for each in verdict.rules),
        identity=identity,
    )


def _lacking(
    verdict: Verdict, places: Mapping[str, Sequence[Place]], identity: str
) -> Iterator[str]:
    """Yield a sentence if some topics have no record with the identity; internal ones have none."""
    known = {topic for topic, _ in verdict.names.partitions if not topic.startswith("__")}
    names = sorted(known - {place[0] for found in places.values() for place in found})
    if names:
        more = f" and {len(names) - LISTED_MAX} more" if len(names) > LISTED_MAX else ""
        where = f"{', '.join(names[:LISTED_MAX])}{more}"
        yield f"whether records of {where} are stored twice: none that is visible has {identity}"


def _blocked(waiting: Mapping[tuple[str, int], int]) -> str:
    named = [f"{topic}-{n} from offset {offset} on" for (topic, n), offset in waiting.items()]
    more = f", and {len(named) - LISTED_MAX} more" if len(named) > LISTED_MAX else ""
    said = ", ".join(named[:LISTED_MAX])
    return f"whether records behind an open transaction are stored twice: {said}{more}"


def _ruled(ruled: RuleVerdict, findings: Sequence[Finding], ledger: _Ledger | None) -> RuleVerdict:
    if ruled.rule not in _BY_IDS:
        return ruled
    if ledger is None and ruled.rule != DUPLICATE_PAYLOAD:
        reason = f"{ruled.reason}, and {_NO_LEDGER}"
        return ruled if ruled.is_judged else ruled._replace(reason=reason)
    count = sum(1 for each in findings if each.rule == ruled.rule)
    return ruled._replace(is_judged=True, reason="", findings=count)


class _Covered:
    """Offsets that a finding already covers."""

    def __init__(self, findings: Iterable[Finding], spans: Mapping[str, Span]) -> None:
        self._ranges: Final[dict[tuple[str, int], list[tuple[int, int, str]]]] = {}
        for each in findings:
            first, last = each.first_offset, each.last_offset
            if each.topic is None or each.partition is None or first is None:
                continue
            if _overlaps(each.evidence, spans.get(each.topic)):
                ranges = self._ranges.setdefault((each.topic, each.partition), [])
                ranges.append((first, first if last is None else last, each.rule))

    def covers(self, place: Place, rules: frozenset[str]) -> bool:
        """Return whether a finding of one of these rules covers an offset."""
        topic, partition, offset = place
        return any(
            first <= offset <= last and rule in rules
            for first, last, rule in self._ranges.get((topic, partition), ())
        )


def _overlaps(rows: Sequence[int], span: Span | None) -> bool:
    """Return whether some rows reach into a span; without any that is unknown."""
    return span is None or not rows or (min(rows) <= span[1] and max(rows) >= span[0])


def _places(found: Iterable[Found]) -> dict[str, list[Place]]:
    places: dict[str, list[Place]] = {}
    for each in found:
        place = each.topic, each.partition, each.offset
        places.setdefault(each.record_id, []).append(place)
    return places


def _believed(ledger: _Ledger | None, covered: _Covered) -> dict[str, list[Place]]:
    places: dict[str, list[Place]] = {}
    for place, row in () if ledger is None else ledger.acknowledged.items():
        if row.transaction_outcome in {"none", "committed"} and not covered.covers(place, _LOSSES):
            places.setdefault(row.record_id, []).append(place)
    return places


def _duplicates(
    places: Mapping[str, list[Place]],
    ledger: _Ledger | None,
    covered: _Covered,
    across_topics: bool,
) -> Iterator[Violation]:
    for record_id, found in places.items():
        if len(found) == 1:
            continue
        firsts: dict[str, Place] = {}
        for place in sorted(set(found)):
            first = firsts.setdefault("" if across_topics else place[0], place)
            if first == place:
                continue
            if not covered.covers(place, _DUPLICATES):
                row = None if ledger is None else ledger.acknowledged.get(place)
                yield Violation(
                    DUPLICATE_PAYLOAD,
                    place,
                    record_id,
                    "" if row is None else f", sent by {_sender(row)}",
                    first,
                    None if row is None else row.transactional_id,
                )


def _losses(
    places: Mapping[str, list[Place]],
    ledger: _Ledger,
    covered: _Covered,
    waiting: Mapping[tuple[str, int], int],
) -> Iterator[Violation]:
    topics = {topic for topic, _ in waiting}
    for record_id, row in ledger.promised.items():
        offset = -1 if row.offset is None else row.offset
        place = row.topic, row.partition, offset
        held_from = waiting.get((row.topic, row.partition), _NOWHERE)
        may_wait = row.topic in topics if offset < 0 else offset >= held_from
        if record_id not in places and not may_wait and not covered.covers(place, _LOSSES):
            why = f"acknowledged to {_sender(row)}"
            yield Violation(LOST_ACKED, place, record_id, why, None, row.transactional_id)


def _aborted(
    places: Mapping[str, list[Place]], ledger: _Ledger, covered: _Covered
) -> Iterator[Violation]:
    for record_id, found in places.items():
        for place in found:
            row = ledger.aborted.get(place)
            if row is None or row.record_id != record_id:
                row = ledger.only_aborted.get(record_id)
            if row is not None and not covered.covers(place, frozenset({ABORTED_VISIBLE})):
                why = f"of a transaction that {_sender(row)} aborted"
                yield Violation(ABORTED_VISIBLE, place, record_id, why, None, row.transactional_id)


def _sender(row: Sent) -> str:
    return f"task {row.task}, attempt {row.attempt} ({row.client})"

"""Assertions of a test about a cluster; a failure shows timelines of the partitions."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, TypeAlias, TypeVar

from mockbroker.audit.cluster.partition_view import PartitionSnapshot, partition_views, topics_of
from mockbroker.audit.finding import Finding, Severity
from mockbroker.broker.stored_records import (
    IsolationLevel,
    StoredRecord,
    checked_isolation,
    partitions_of,
    stored_records,
)
from mockbroker.control.assertions.client_checks import (
    ProducerName,
    fencing_findings,
    unhandled_findings,
)
from mockbroker.control.assertions.error_handling import as_handling, handling_findings
from mockbroker.control.assertions.expected_records import (
    as_values,
    missing_findings,
    order_findings,
    surplus_findings,
)
from mockbroker.control.assertions.failure import WIDTH, ClusterAssertionError
from mockbroker.control.assertions.record_keys import RecordKey, repeated_keys
from mockbroker.control.assertions.timeline import timelines
from mockbroker.control.assertions.transaction_checks import (
    decision_findings,
    hanging_findings,
    open_findings,
)
from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.control.running_cluster import ClusterAccess
from mockbroker.errors import NotRecordedError
from mockbroker.journal.compact.ledger import Ledger
from mockbroker.journal.compact.sent_batch import LINES_MAX, SentBatch, sent_batches, timeline
from mockbroker.settings.error_names import GivenError, error_of
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.open_transactions import OpenTransaction, open_transactions

T = TypeVar("T")
Values: TypeAlias = Iterable[bytes | str]
"""Values of records; texts stand for their UTF-8."""

_LOSSES: Final = ("LOST_ACKED", "ACKED_NOT_DURABLE")
_DUPLICATES: Final = ("DUPLICATE_PAYLOAD",)
_ZOMBIES: Final = ("ZOMBIE_WRITE_ACCEPTED",)
_LATE_AND_VISIBLE: Final = ("APPEND_AFTER_MARKER", "ABORTED_VISIBLE")
_EXACTLY_ONCE: Final = (*_LOSSES, *_DUPLICATES, *_ZOMBIES, *_LATE_AND_VISIBLE)
"""The audit's rules that this assertion asks for."""

LEDGER_OFF: Final = "the ledger is off: ledger.start(), or Cluster() without ledger_rows_max=0"


class ClusterAssertions:
    """Assertions of a cluster's handle, and queries of their evidence.

    Every assertion raises `ClusterAssertionError`, an `AssertionError`, if it does not hold. It
    raises RuntimeError if the cluster is not running, or has no ledger and needs one; and
    LookupError if the topic does not exist. Without a topic, it covers all topics that are not
    internal. If the ledger lost rows, assertions that need it fail.

    (pytest leaves frames with `__tracebackhide__` out of its report.)
    """

    def __init__(self, access: ClusterAccess) -> None:
        """Take the access to the cluster."""
        self._cluster = access

    # Records

    def assert_exactly_once(
        self, topic: str | None = None, *, expected: Values | None = None, allow_open: bool = False
    ) -> None:
        """Check that no acknowledged record is lost, and none is duplicated.

        Of transactions, only committed ones count. Besides, read_committed consumers can read
        nothing else, no fenced producer has written, no transaction hangs, and none is open unless
        `allow_open`. With `expected`, readers of the topic get exactly these values.
        """
        __tracebackhide__ = True

        def unfinished(cluster: ClusterState) -> list[Finding]:
            opened = [each for each in open_transactions(cluster) if topic in {None, each.topic}]
            return [*hanging_findings(opened), *([] if allow_open else open_findings(opened))]

        findings = self._judged(topic, *_EXACTLY_ONCE, more=unfinished)
        if expected is not None:
            findings += self._compared(topic, expected, with_surplus=True)
        self._refuse(f"assert_exactly_once({_called(topic)}): not exactly once", findings)

    def assert_no_duplicates(
        self, topic: str | None = None, *, key: RecordKey | None = None
    ) -> None:
        """Check that no record that was sent once is in a log twice.

        By default, records are the same if the requests prove it: they were sent again, under the
        same producer id, epoch and sequence, or by a client that had not got the acknowledgement.
        Records that an application sends twice are no duplicates, unless `key` identifies records:
        `"key"`, `"value"`, `"header:NAME"`, `"json:PATH"` (a field of the value), or a function of
        a `StoredRecord`. Then no two records with the same key may be visible to read_committed
        consumers, in any partition of a topic. Records without one (None) are left out; if no
        record of a topic has one, the assertion fails.
        """
        __tracebackhide__ = True
        if key is None:
            findings = self._judged(topic, *_DUPLICATES)
        else:
            findings = [
                finding
                for name in self._read(lambda cluster, _now_ms: topics_of(cluster, topic))
                for finding in repeated_keys(key, self.records_of(name, "read_committed"))
            ]
        self._refuse(f"assert_no_duplicates({_called(topic)}): records are stored twice", findings)

    def assert_no_loss(self, topic: str | None = None, *, expected: Values | None = None) -> None:
        """Check that no acknowledged record is lost, except by a requested deletion.

        Of transactions, only committed ones count. Records that retention, DeleteRecords,
        compaction or the deletion of the topic removes are not lost. With `expected`, readers of
        the topic's committed records get these values, each at least as often as it is listed.
        """
        __tracebackhide__ = True
        findings = self._judged(topic, *_LOSSES)
        if expected is not None:
            findings += self._compared(topic, expected, with_surplus=False)
        self._refuse(f"assert_no_loss({_called(topic)}): acknowledged records are lost", findings)

    def assert_records(
        self,
        topic: str,
        expected: Values,
        *,
        partition: int | None = None,
        isolation: IsolationLevel = "read_committed",
    ) -> None:
        """Check the values that consumers can read, in the order of partitions and offsets.

        Raises:
            ValueError: there is no such isolation level.

        """
        __tracebackhide__ = True
        records = self.records_of(topic, isolation, partition)
        findings = order_findings(topic, as_values(expected), records)
        self._refuse(f"assert_records({topic!r}): readers get other values", findings)

    # Transactions and producers

    def assert_no_hanging_transactions(self) -> None:
        """Check that no transaction is open in a log and unknown to its coordinator (KIP-664)."""
        __tracebackhide__ = True
        self._refuse(
            "assert_no_hanging_transactions: a transaction is open that will never end",
            hanging_findings(self.open_transactions()),
        )

    def assert_no_open_transactions(self) -> None:
        """Check that all transactions have ended, with all markers written."""
        __tracebackhide__ = True
        opened = self.open_transactions()
        self._refuse(
            "assert_no_open_transactions: a transaction has not ended",
            [*hanging_findings(opened), *open_findings(opened)],
        )

    def assert_no_zombie_writes(self, topic: str | None = None) -> None:
        """Check that no batch of a fenced producer was appended.

        Aborted batches do no harm, and do not count.
        """
        __tracebackhide__ = True
        findings = self._judged(topic, *_ZOMBIES)
        self._refuse(
            f"assert_no_zombie_writes({_called(topic)}): a fenced producer has written", findings
        )

    def assert_committed(self, transactional_id: str) -> None:
        """Check that the last transaction of an id was committed, with all markers written."""
        __tracebackhide__ = True
        self._decided(transactional_id, is_commit=True)

    def assert_aborted(self, transactional_id: str) -> None:
        """Check that the last transaction of an id was aborted, with all markers written."""
        __tracebackhide__ = True
        self._decided(transactional_id, is_commit=False)

    def assert_fenced(
        self,
        transactional_id: str | None = None,
        *,
        producer_id: int | None = None,
        producer_epoch: int | None = None,
    ) -> None:
        """Check that a producer got the error of a fenced producer.

        The producer is selected by transactional id, producer id, producer epoch, or several of
        them. A newer producer in its place is not enough: it must have got PRODUCER_FENCED, or
        INVALID_PRODUCER_EPOCH, which is Produce's error.

        Raises:
            ValueError: no argument is given.

        """
        __tracebackhide__ = True
        producer = ProducerName(transactional_id, producer_id, producer_epoch)
        if producer == ProducerName():
            raise ValueError("name the producer: transactional_id=, producer_id=, producer_epoch=")
        ledger = self._whole_ledger()
        findings = self._read(lambda _cluster, _now_ms: fencing_findings(ledger, producer))
        self._refuse(f"assert_fenced: {producer} got no such error", findings)

    def assert_producer_epoch(self, transactional_id: str, producer_epoch: int) -> None:
        """Check the last epoch that the coordinator of a transactional id assigned.

        Raises:
            LookupError: no coordinator knows the id.

        """
        __tracebackhide__ = True
        transaction = TransactionHandle(self._cluster.control, transactional_id)
        found = transaction.producer_epoch
        if found != producer_epoch:
            text = (
                f"{transactional_id!r} has producer epoch {found} (producer "
                f"{transaction.producer_id}, {transaction.state}), not {producer_epoch}"
            )
            finding = Finding("OTHER_EPOCH", Severity.ERROR, text)
            raise ClusterAssertionError("assert_producer_epoch: the epoch differs", [finding])

    def assert_error_handled(
        self, error: GivenError, *, as_: str, transactional_id: str | None = None
    ) -> None:
        """Check the reaction of transactional producers to an error in a response.

        `as_` is `retriable` (they repeated the request, and continued), `abortable` (they aborted,
        and continued with other transactions) or `fatal` (a new producer, or none, took their
        place). The requests after the error in the journal show the reaction. (KIP-691)

        Raises:
            RuntimeError: the journal is off, or has dropped entries.
            ValueError: the error or the kind is unknown.

        """
        __tracebackhide__ = True
        code, wanted = error_of(error), as_handling(as_)
        entries = self._cluster.running.journal.complete_entries()
        findings = handling_findings(entries, code, wanted, transactional_id)
        self._refuse(
            f"assert_error_handled({code.name}, as_={as_!r}): it was handled otherwise", findings
        )

    def assert_no_unhandled_requests(self) -> None:
        """Check that no connection was closed because of an unsupported request."""
        __tracebackhide__ = True
        ledger = self._whole_ledger()
        self._refuse(
            "assert_no_unhandled_requests: a connection was closed",
            self._read(lambda _cluster, _now_ms: unhandled_findings(ledger)),
        )

    # Views

    def lanes(
        self, topic: str | None = None, partition: int | None = None, *, width: int = WIDTH
    ) -> str:
        """Draw a timeline of partitions as text: their batches, markers, and offsets.

        Raises:
            LookupError: there is no such topic or partition.

        """
        views = self._read(lambda cluster, now: partition_views(cluster, topic, partition, now))
        return timelines(views, width=width)

    def timeline(self, *, lines_max: int = LINES_MAX) -> str:
        """Format the last batches, responses and decisions, in order."""
        ledger = self._ledger
        return self._read(lambda _cluster, _now_ms: timeline(ledger, lines_max=lines_max))

    def sent_batches(self, topic: str | None = None) -> list[SentBatch]:
        """Return the ledger: every received batch, and its result."""
        ledger = self._ledger
        return self._read(lambda _cluster, _now_ms: sent_batches(ledger, topic))

    def open_transactions(self) -> list[OpenTransaction]:
        """Return the open transactions by partition, including hanging ones."""
        return self._read(lambda cluster, _now_ms: open_transactions(cluster))

    # Inside

    @property
    def _ledger(self) -> Ledger:
        ledger = self._cluster.running.ledger
        if ledger is None:
            raise NotRecordedError(LEDGER_OFF, "mockbroker ledger on")
        return ledger

    def _whole_ledger(self) -> Ledger:
        __tracebackhide__ = True
        ledger = self._ledger
        if ledger.dropped:
            text = (
                f"the ledger has room for {ledger.rows_max} rows, and recorded nothing after them"
            )
            advice = (
                "give it more room, with Cluster(ledger_rows_max=5_000_000) or "
                "`mockbroker serve --ledger-rows 5000000`; 67 bytes a row."
            )
            finding = Finding("LEDGER_FULL", Severity.ERROR, text, advice)
            raise ClusterAssertionError("the ledger is incomplete", [finding])
        return ledger

    def _judged(
        self,
        topic: str | None,
        *rules: str,
        more: Callable[[ClusterState], list[Finding]] | None = None,
    ) -> list[Finding]:
        # Imported late: a start does not wait for rules.
        from mockbroker.audit.cluster.cluster_rules import cluster_findings

        ledger = self._whole_ledger()

        def look(cluster: ClusterState, now_ms: int) -> list[Finding]:
            found = cluster_findings(ledger, cluster, topic, now_ms, rules)
            return found if more is None else found + more(cluster)

        return self._read(look)

    def _compared(
        self, topic: str | None, expected: Values, *, with_surplus: bool
    ) -> list[Finding]:
        if topic is None:
            raise ValueError("expected= needs the topic of the records")
        values = as_values(expected)
        visible = self.records_of(topic, "read_committed")
        stored = self.records_of(topic, "read_uncommitted")
        findings = missing_findings(topic, values, visible, stored)
        return findings + (surplus_findings(topic, values, visible) if with_surplus else [])

    def _decided(self, transactional_id: str, *, is_commit: bool) -> None:
        __tracebackhide__ = True
        ledger = self._whole_ledger()
        findings = self._read(
            lambda cluster, _now_ms: decision_findings(
                ledger.decisions, open_transactions(cluster), transactional_id, is_commit=is_commit
            )
        )
        word = "assert_committed" if is_commit else "assert_aborted"
        self._refuse(f"{word}({transactional_id!r}): it was not", findings)

    def records_of(
        self, topic: str, isolation: IsolationLevel, partition: int | None = None
    ) -> list[StoredRecord]:
        """Return the records that consumers with an isolation level can read."""
        level = checked_isolation(isolation)

        def read(cluster: ClusterState, now_ms: int) -> list[StoredRecord]:
            found = partitions_of(cluster, topic, partition)
            records = (stored_records(cluster, each, level, now_ms) for each in found)
            return list(chain.from_iterable(records))

        return self._read(read)

    def _read(self, look: Callable[[ClusterState, int], T]) -> T:
        return self._cluster.control.read(look)

    def _refuse(self, claim: str, findings: Sequence[Finding]) -> None:
        """Raise an error with the findings, if there are any, and draw their partitions.

        Raises:
            ClusterAssertionError: there are findings.

        """
        __tracebackhide__ = True
        if not findings:
            return
        places = {(each.topic, each.partition) for each in findings if each.topic}
        whole = {topic for topic, index in places if index is None}

        def look(cluster: ClusterState, now_ms: int) -> list[PartitionSnapshot]:
            return [
                view
                for topic in sorted({topic for topic, _ in places} & set(cluster.topics.by_name))
                for view in partition_views(cluster, topic, None, now_ms)
                if topic in whole or (topic, view.partition) in places
            ]

        views = self._read(look)
        raise ClusterAssertionError(claim, findings, timelines(views, findings) if views else "")


def _called(topic: str | None) -> str:
    return "" if topic is None else repr(topic)

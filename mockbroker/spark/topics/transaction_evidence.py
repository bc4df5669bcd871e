"""Evidence about transactions beside the batches of topics: from leaders and coordinators.

The order matters. Coordinators are asked after the ends of the logs are known, and the logs are
read after that: what a log had before a coordinator was asked, and what is still open in it later,
that coordinator must know.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from mockbroker.audit.cluster.present_states import ASKED, OPEN, PRESENT
from mockbroker.audit.rules.rule_table import TOPIC, Need
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Source
from mockbroker.protocol.types import TopicPartition
from mockbroker.spark.auditing.source import TopicSource
from mockbroker.spark.topics.commit_evidence import NO_COMMITS, commits_beyond
from mockbroker.state.transaction.transaction_log import TransactionLogValue
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import EARLIEST, LATEST, TopicIdPartition, WireCluster
from mockbroker.wire.committed_offsets import OFFSETS_LOG
from mockbroker.wire.transactions import (
    STATE_LOG,
    TransactionChange,
    listed_transactions,
    open_in_logs,
    state_changes,
    state_log_ends,
)

_NOWHERE: Final = Run(PRESENT, 0, 0)
Place = tuple[str, int]
_LEFT_OUT: Final = (
    "This user may not describe all transactional ids (Describe on TransactionalId *), and brokers"
    " leave the others out: whether their transactions hang is unknown."
)
_NOT_DESCRIBED: Final = "{}: a transaction is unknown if its first records were deleted."
_LATE: Final = (
    "A batch that arrives after the end of its transaction cannot be told from a batch of the next"
    " one, if that has the same epoch and writes to the partition, too."
)
AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionEvidence:
    """Answers of a cluster about transactions."""

    runs: tuple[Run, ...] = ()
    """Present states, and the ends of logs up to which they are known, for the rules."""
    states_reason: str = ""
    """Why the states of transactional ids are unknown; empty if they are known."""
    history_reason: str = ""
    """Why the log of coordinators was not read; empty if it was."""
    has_all_ids: bool = True
    offsets_reason: str = ""
    """Why the committed offsets of groups were not read; empty if they were."""
    unknown: tuple[str, ...] = ()
    """Committed offsets beyond the ends of logs, of which the cause is unknown."""
    changes: tuple[TransactionChange, ...] = ()
    """The log of the coordinators."""
    settled: Mapping[int, int]
    """By partition: the end of that log, before the ends of the topics' logs were read."""
    asked: Mapping[Place, int]
    """End of each log before the coordinators were asked."""
    notes: tuple[str, ...] = ()

    def of_topic(self, topic: str) -> tuple[Run, ...]:
        """Return the runs that concern a topic."""
        return tuple(run for run in self.runs if run.topic in {None, topic})

    def source(self, compacted: frozenset[str], history_reason: str) -> Source:
        """Return the properties of topics with this evidence, and perhaps without its log."""
        reasons = {
            Need.TRANSITIONS: history_reason,
            Need.STATES: self.states_reason,
            Need.OFFSETS: self.offsets_reason,
        }
        return Source(
            facts=TOPIC | {need for need, reason in reasons.items() if not reason},
            name="a topic",
            compacted=compacted,
            reasons=tuple((need, reason) for need, reason in reasons.items() if reason),
            has_all_ids=self.has_all_ids,
        )


def transaction_evidence(source: TopicSource) -> TransactionEvidence:
    """Ask a cluster about the transactions of some topics; what it refuses is a reason or a note.

    Topics that do not exist are left out.
    """
    try:
        with source.connect() as cluster:
            return _evidence(cluster, source.topics)
    except WireError as error:
        return TransactionEvidence(
            states_reason=str(error),
            history_reason=str(error),
            offsets_reason=str(error),
            asked={},
            settled={},
        )


def _evidence(cluster: WireCluster, topics: Sequence[str]) -> TransactionEvidence:
    partitions: list[TopicIdPartition] = []
    for name in topics:
        with suppress(WireError):  # it is reported by whoever reads the topic
            found = cluster.find_topic(name)
            partitions += [] if found is None else found.partitions
    settled, _ = _answer(lambda: state_log_ends(cluster))
    ends = {(each.topic, each.partition): cluster.offset(each, LATEST) for each in partitions}
    hidden, leaders_reason = _answer(lambda: _begun_before(cluster, partitions))
    changes, history_reason = _answer(lambda: state_changes(cluster))
    notes = [_NOT_DESCRIBED.format(leaders_reason)] if leaders_reason else []
    notes += [] if history_reason else [_LATE]
    states_reason, has_all_ids, states = "", True, _latest(changes or ())
    if changes is None:
        listed, states_reason = _answer(lambda: listed_transactions(cluster))
        if listed is not None:
            states, has_all_ids = listed.states, listed.are_all
            notes += [] if has_all_ids else [_LEFT_OUT]
        else:
            states_reason, has_all_ids = f"{history_reason}, and {states_reason}", False
    asked = [_of_place(ASKED, place)._replace(log_end_offset=end) for place, end in ends.items()]
    commits, offsets_reason = _answer(lambda: commits_beyond(cluster, partitions))
    known, unknown = commits or NO_COMMITS
    return TransactionEvidence(
        runs=(
            *known,
            *asked,
            *(hidden or ()),
            *(_present(name, each) for name, each in states.items()),
        ),
        states_reason=states_reason,
        history_reason=history_reason,
        has_all_ids=has_all_ids,
        offsets_reason=offsets_reason,
        unknown=unknown,
        changes=tuple(changes or ()),
        settled=settled or {},
        asked=ends,
        notes=tuple(notes),
    )


def _answer(ask: Callable[[], AnswerT]) -> tuple[AnswerT | None, str]:
    """Return the answer, or why there is none."""
    try:
        return ask(), ""
    except WireError as error:
        said = str(error)
    if "serves no ListTransactions" in said:
        return None, "brokers before Kafka 3.0 do not list transactions"
    if "serves no DescribeProducers" in said:
        return None, "Brokers before Kafka 2.8 do not describe their producers"
    for log in (STATE_LOG, OFFSETS_LOG):
        if log in said and "AUTHORIZATION_FAILED" in said:
            return None, f"this user may not read {log}"
    return None, said


def _begun_before(cluster: WireCluster, partitions: Iterable[TopicIdPartition]) -> list[Run]:
    """Return the open transactions whose first records are no longer in the log.

    They are asked for once more: what has ended meanwhile may have lost its marker as well.
    """
    starts = {(each.topic, each.partition): each for each in partitions}
    hidden = [
        each
        for each in open_in_logs(cluster, starts.values())
        if each.first_offset < cluster.offset(starts[each.topic, each.partition], EARLIEST)
    ]
    still_open = open_in_logs(cluster, starts.values()) if hidden else []
    return [
        _of_place(OPEN, (each.topic, each.partition))._replace(
            producer_id=each.producer_id,
            producer_epoch=each.producer_epoch,
            base_offset=each.first_offset,
        )
        for each in hidden
        if each in still_open
    ]


def _latest(changes: Iterable[TransactionChange]) -> dict[str, TransactionLogValue]:
    latest = {each.transactional_id: each.value for each in changes}
    return {name: value for name, value in latest.items() if value is not None}


def _present(transactional_id: str, value: TransactionLogValue) -> Run:
    return _NOWHERE._replace(
        kind=PRESENT,
        transactional_id=transactional_id,
        producer_id=value.producer_id,
        producer_epoch=value.producer_epoch,
        state_after=TransactionState(value.state).state_name,
        detail=partitions_detail(value.partitions),
    )


def partitions_detail(partitions: Sequence[TopicPartition] | None) -> str:
    """Return the partitions of a transaction, as a journal has them."""
    return json.dumps({"partitions": [f"{topic}-{index}" for topic, index in partitions or ()]})


def _of_place(kind: str, place: Place) -> Run:
    topic, partition = place
    return _NOWHERE._replace(kind=kind, topic=topic, partition=partition)

"""Entries of stored events: one for each event, with a row for each item."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from mockbroker.broker.request_items import TopicName
from mockbroker.events.event_types import (
    AnswerGiven,
    BatchProduced,
    CallHeld,
    CallId,
    CallReleased,
    ClockMoved,
    ClusterEvent,
    ConnectionClosed,
    ConnectionOpened,
    FaultMade,
    FaultRemoved,
    FaultStruck,
    HungUp,
    RequestCame,
)
from mockbroker.journal.call_items import answer_facts, batch_facts, call_facts, request_facts
from mockbroker.journal.entry import Entry
from mockbroker.journal.group_rows import SHARE_EVENTS, Row, owned_texts, share_rows
from mockbroker.journal.recorded import (
    Answered,
    Asked,
    Facts,
    IdentifiedBatch,
    Lost,
    Recorded,
    Struck,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.types import BatchHeader, Uuid
from mockbroker.state.events import (
    BatchAppended,
    GroupChanged,
    HighWatermarkMoved,
    LeaderElected,
    LogPosition,
    LogStartMoved,
    LogTruncated,
    MarkerAppended,
    OffsetsCommitted,
    OwnedPartitions,
    PartitionsAssigned,
    ProducersExpired,
    ShareEvent,
    TopicCreated,
    TopicDeleted,
    TransactionChanged,
)

_PLAIN: Final[Facts] = {"crc": None}
"""Left out where a batch is in the log with its checksum, or may come to be."""
NOBODY: Final = OwnedPartitions("", -1, ())
"""The member in the row of a group that has none."""


class Expansion:
    """Creates entries; `topic_names` has the names of all topics that ever existed, by id."""

    def __init__(self, topic_names: Mapping[Uuid, str]) -> None:
        """Take the topics by their ids."""
        self._topic_name: Final[TopicName] = topic_names.get
        self._rows: Final[Mapping[type, Callable[[Any, Recorded], Iterable[Row]]]] = {
            RequestCame: self._request,
            Asked: lambda h, _: (
                ("request", {**call_facts(h.call), **f, **_PLAIN}) for f in h.items
            ),
            AnswerGiven: self._answer,
            Answered: lambda h, recorded: (
                ("answer", _answered(h.call, f, recorded)) for f in h.items
            ),
            PartitionsAssigned: self._assignment,
            **dict.fromkeys(SHARE_EVENTS, self._share),
            **_ROWS,
        }

    def entries(self, recorded: Recorded) -> list[Entry]:
        """Return the entries of an event, in order."""
        event = recorded.event
        if isinstance(event, IdentifiedBatch):
            record_ids = json.dumps(event.record_ids, ensure_ascii=False, separators=(",", ":"))
            return [
                entry._replace(record_ids=record_ids) if entry.kind == "append" else entry
                for entry in self.entries(recorded._replace(event=event.event))
            ]
        if isinstance(event, BatchProduced):
            return [
                _entry(recorded, recorded.seq + number, kind, facts)
                for number, (kind, facts) in enumerate(_produced(event))
            ]
        return [
            _entry(recorded, recorded.seq, kind, facts)
            for kind, facts in self._rows[type(event)](event, recorded)
        ]

    def _request(self, event: RequestCame, _recorded: Recorded) -> Iterable[Row]:
        call = event.call
        for facts in request_facts(event.request, call.version, self._topic_name):
            yield "request", {**call_facts(call), **facts}

    def _answer(self, event: AnswerGiven, recorded: Recorded) -> Iterable[Row]:
        call, response = event.call, event.response
        if response is None:
            return
        asked = request_facts(event.request, call.version, self._topic_name)
        if isinstance(response, Encoded):
            response = decode(response_type(call.api), call.version, response.body)
        for facts in answer_facts(response, asked, call.version, self._topic_name):
            yield "answer", _answered(call, facts, recorded)

    def _assignment(self, event: PartitionsAssigned, recorded: Recorded) -> Iterable[Row]:
        facts = {**call_facts(recorded.serving), "group": event.group}
        for member_id, member_epoch, partitions in event.members or (NOBODY,):
            detail = {
                "member": member_id,
                "epoch": member_epoch,
                "partitions": owned_texts(partitions, self._topic_name),
                "is_whole": event.is_whole,
            }
            yield "assignment", {**facts, "detail": detail}

    def _share(self, event: ShareEvent, recorded: Recorded) -> Iterable[Row]:
        call = call_facts(recorded.serving)
        return ((kind, {**call, **facts}) for kind, facts in share_rows(event, self._topic_name))


def _entry(recorded: Recorded, seq: int, kind: str, facts: Facts) -> Entry:
    values: dict[str, Any] = dict(facts)
    detail = values.get("detail")
    if detail is not None:
        values["detail"] = json.dumps(detail, default=str, separators=(",", ":"))
    return Entry(seq, kind, recorded.wall_time_us, recorded.virtual_time_ms, **values)


# Calls


def _struck(struck: Struck | None) -> Facts:
    return {} if struck is None else struck._asdict()


def _answered(call: CallId, facts: Facts, recorded: Recorded) -> Facts:
    plain = _PLAIN if facts["error"] is ErrorCode.NONE else {}
    return {**call_facts(call), **facts, **plain, **_struck(recorded.struck)}


def _lost(event: Lost, recorded: Recorded) -> Iterable[Row]:
    detail = {"how": event.how, "reason": event.reason}
    for facts in event.items or ({},):
        yield (
            "lost",
            {**call_facts(event.call), **facts, **_struck(recorded.struck), "detail": detail},
        )


def _fault_struck(event: FaultStruck, _recorded: Recorded) -> Iterable[Row]:
    struck = {
        "rule": event.rule,
        "effect": event.effect,
        "applied": event.applied,
    }
    for item in event.items:
        named = dict(item)
        member_id = named.pop("member_id", None)
        detail = {} if member_id is None else {"detail": {"member": member_id}}
        yield "fault_struck", {**call_facts(event.call), **named, **struck, **detail}


# Produced batches


def _produced(produced: BatchProduced) -> Iterator[Row]:
    """Yield the request, the append and the response of a batch; no response with acks=0."""
    sender, log, header = produced.sender, produced.log, BatchHeader(*produced.fields)
    call = CallId(
        produced.number,
        sender.broker,
        sender.connection,
        sender.client_id,
        ApiKey.PRODUCE,
        sender.version,
        produced.correlation_id,
        sender.principal,
    )
    place = {"topic": log.topic, "partition": log.partition}
    facts = {**call_facts(call), **place, **batch_facts(header)}
    asked = {**facts, "transactional_id": sender.transactional_id, "acks": sender.acks}
    yield "request", asked
    first, last = produced.base_offset, produced.base_offset + header.last_offset_delta
    appended = {"base_offset": first, "last_offset": last, "crc": header.crc, "is_duplicate": False}
    yield "append", {**facts, **_position(log), **appended}
    if sender.acks:
        answered = {"base_offset": first, "log_start_offset": log.log_start_offset}
        yield "answer", {**asked, **answered, "error": ErrorCode.NONE}


def _position(log: LogPosition) -> dict[str, object]:
    return {
        "broker": log.leader_id,
        "topic": log.topic,
        "partition": log.partition,
        "leader_epoch": log.leader_epoch,
        "log_start_offset": log.log_start_offset,
        "last_stable_offset": log.last_stable_offset,
        "high_watermark": log.high_watermark,
        "log_end_offset": log.log_end_offset,
    }


def _appended(event: BatchAppended, recorded: Recorded) -> Iterable[Row]:
    facts = {**call_facts(recorded.serving), **_position(event.log), **batch_facts(event.header)}
    facts["base_offset"] = event.base_offset
    facts["last_offset"] = event.last_offset
    facts["crc"] = event.header.crc
    facts["is_duplicate"] = event.is_duplicate
    yield "append", facts


def _marker(event: MarkerAppended, recorded: Recorded) -> Iterable[Row]:
    marker = event.marker
    facts = {**call_facts(recorded.serving), **_position(event.log)}
    facts["producer_id"], facts["producer_epoch"] = marker.producer_id, marker.producer_epoch
    facts["marker"] = "COMMIT" if marker.is_commit else "ABORT"
    facts["coordinator_epoch"] = marker.coordinator_epoch
    facts["base_offset"] = facts["last_offset"] = event.offset
    yield "marker", facts


# The state


def _transaction(event: TransactionChanged, recorded: Recorded) -> Iterable[Row]:
    before, after = event.before, event.after
    known = before if after is None else after
    partitions = sorted(str(each) for each in known.partitions)
    yield (
        "transaction",
        {
            **call_facts(recorded.serving),
            "broker": event.broker,
            "transactional_id": known.transactional_id,
            "producer_id": known.producer_id,
            "producer_epoch": known.producer_epoch,
            "coordinator_epoch": event.coordinator_epoch,
            "state_before": before.state.state_name,
            "state_after": None if after is None else after.state.state_name,
            "detail": {"partitions": partitions} if partitions else None,
        },
    )


def _expired(event: ProducersExpired, _recorded: Recorded) -> Iterable[Row]:
    where = {"topic": event.topic, "partition": event.partition}
    for producer_id in event.producer_ids:
        yield "producer_expired", {**where, "producer_id": producer_id}


def _group(event: GroupChanged, recorded: Recorded) -> Iterable[Row]:
    yield (
        "group",
        {
            **call_facts(recorded.serving),
            "group": event.group,
            "state_before": event.before,
            "state_after": event.after,
            "detail": {"generation": event.generation, "members": event.members},
        },
    )


def _offsets(event: OffsetsCommitted, recorded: Recorded) -> Iterable[Row]:
    """Yield a row for each offset. The client id is the member's, if a member commits."""
    facts = {**call_facts(recorded.serving), "group": event.group}
    if event.client_id is not None:
        facts["client_id"] = event.client_id
    if event.producer_id >= 0:
        facts |= {"producer_id": event.producer_id, "is_transactional": True}
    detail: dict[str, object] = {"member": event.member_id} if event.member_id else {}
    if event.begun is not None:
        detail["begun"] = {"transactional_id": event.begun[0], "seq": event.begun[1]}
    facts["detail"] = detail or None
    kind = "offset_pending" if event.is_pending else "offset_committed"
    for topic, partition, offset, end in event.offsets:
        place = {"topic": topic, "partition": partition, "log_end_offset": end}
        yield kind if offset >= 0 else "offset_removed", {**facts, **place, "base_offset": offset}


def _leader(event: LeaderElected, _recorded: Recorded) -> Iterable[Row]:
    yield (
        "leader",
        {
            "topic": event.topic,
            "partition": event.partition,
            "broker": event.after,
            "leader_epoch": event.leader_epoch,
            "detail": {"before": event.before},
        },
    )


def _created(event: TopicCreated, recorded: Recorded) -> Iterable[Row]:
    detail = {"topic_id": event.topic_id, "partitions": event.partitions}
    yield "topic_created", {**call_facts(recorded.serving), "topic": event.topic, "detail": detail}


def _deleted(event: TopicDeleted, recorded: Recorded) -> Iterable[Row]:
    detail = {"topic_id": event.topic_id}
    yield "topic_deleted", {**call_facts(recorded.serving), "topic": event.topic, "detail": detail}


def _moved(kind: str, column: str) -> Callable[[Any, Recorded], Iterable[Row]]:
    def moved(
        event: LogStartMoved | LogTruncated | HighWatermarkMoved, recorded: Recorded
    ) -> Iterable[Row]:
        where = {"topic": event.topic, "partition": event.partition}
        facts = {column: event.after, "detail": {"before": event.before}}
        yield kind, {**call_facts(recorded.serving), **where, **facts}

    return moved


def _truncated(event: LogTruncated, recorded: Recorded) -> Iterable[Row]:
    for kind, row in _moved("truncation", "log_end_offset")(event, recorded):
        whose = {"broker": event.broker, "leader_epoch": event.leader_epoch}
        yield kind, row if event.broker is None else {**row, **whose}


# Other events


def _connection(kind: str) -> Callable[[Any, Recorded], Iterable[Row]]:
    def connection_rows(
        event: ConnectionOpened | ConnectionClosed | HungUp, _recorded: Recorded
    ) -> Iterable[Row]:
        detail: dict[str, object] | None = None
        if isinstance(event, ConnectionOpened):
            detail = {"client_host": event.client_host}
        elif isinstance(event, HungUp):
            detail = {"reason": event.reason, **event.facts}
        facts = {"broker": event.broker, "connection": event.connection}
        yield kind, {**facts, "detail": detail}

    return connection_rows


def _clock(event: ClockMoved, _recorded: Recorded) -> Iterable[Row]:
    yield "clock", {"detail": {"before_ms": event.before_ms, "after_ms": event.after_ms}}


_EVENT_COLUMNS: Final = frozenset(Entry._fields[4:-1])


def _event(event: ClusterEvent, _recorded: Recorded) -> Iterable[Row]:
    """Copy the fields of an event to the columns of the same names."""
    facts = {name: value for name, value in event.facts.items() if name in _EVENT_COLUMNS}
    rest = {name: value for name, value in event.facts.items() if name not in facts}
    yield "event", {**facts, "detail": {"event": event.kind, **rest}}


_ROWS: Final[Mapping[type, Callable[[Any, Recorded], Iterable[Row]]]] = {
    Lost: _lost,
    BatchAppended: _appended,
    MarkerAppended: _marker,
    TransactionChanged: _transaction,
    ProducersExpired: _expired,
    GroupChanged: _group,
    OffsetsCommitted: _offsets,
    LeaderElected: _leader,
    TopicCreated: _created,
    TopicDeleted: _deleted,
    LogStartMoved: _moved("log_start", "log_start_offset"),
    LogTruncated: _truncated,
    HighWatermarkMoved: _moved("high_watermark", "high_watermark"),
    ConnectionOpened: _connection("connected"),
    ConnectionClosed: _connection("disconnected"),
    HungUp: _connection("hang_up"),
    FaultMade: lambda h, _: [("fault_made", {"rule": h.rule, "effect": h.text})],
    FaultStruck: _fault_struck,
    CallHeld: lambda h, _: [("held", {**call_facts(h.call), "rule": h.rule})],
    CallReleased: lambda h, _: [
        ("released", {**call_facts(h.call), "rule": h.rule, "error": h.error})
    ],
    FaultRemoved: lambda h, _: [("fault_removed", {"rule": h.rule})],
    ClockMoved: _clock,
    ClusterEvent: _event,
}

"""Model of a share consumer (KIP-932): it acquires records of `orders`, and acknowledges most."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.share_acknowledge import ShareAcknowledgeResponse
from mockbroker.protocol.messages.share_fetch import PartitionData, ShareFetchResponse
from mockbroker.protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from mockbroker.protocol.records.batch import batch_spans, parse_batch_header, records_of
from mockbroker.state.share.record_state import AcknowledgeType
from tests.simulation.model_client import GROUPS, PAUSE_MS, GaveUp, ModelClient
from tests.simulation.share_session import (
    ENDS,
    SHARE_GROUP,
    Acknowledgements,
    FetchLimits,
    Record,
    ShareSessions,
    offsets_of,
)
from tests.simulation.share_watch import TOPIC, ShareWatch
from tests.simulation.steps import Lost, Pause, Steps

if TYPE_CHECKING:
    from tests.simulation.world import World

_BEAT_S: Final = 2.0
_MAX_WAIT_MS: Final = 400
_AWAY_MS: Final = 1_000
"""How long it waits for a leader or coordinator that it has not found."""
_LONG_MS: Final = 6_000
"""Longer than locks last, and as long as a session."""
_IDLE_S: Final = 15.0
"""How long a consumer finds nothing before it leaves a group that has not read everything."""
_DECIDES: Final = 0.86
"""How often a consumer is done with a record when it next sends a request."""
_FORGETS: Final = 0.06
"""How often it forgets the record then; else the record waits for another request."""
_TYPES: Final = {
    AcknowledgeType.ACCEPT: 12,
    AcknowledgeType.RELEASE: 3,
    AcknowledgeType.REJECT: 1,
    AcknowledgeType.RENEW: 2,
}
_FORGOTTEN: Final = frozenset(
    {
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_MEMBER_EPOCH,
        ErrorCode.GROUP_ID_NOT_FOUND,
    }
)


class Delivery(NamedTuple):
    """A record that a share consumer was given."""

    partition: int
    offset: int
    value: bytes


class ShareConsumer(ModelClient):
    """A member that at times acknowledges too late or never, or dies and comes back as another."""

    def __init__(self, world: "World", name: str, watch: ShareWatch) -> None:
        super().__init__(world, name)
        self._watch = watch
        self.seen: list[Delivery] = []
        self.assigned: list[int] = []
        self._version = self.random.choice((1, 2, 2))
        self._lives = 0
        self._worked_s = 0.0
        self._begin_a_life()

    def _begin_a_life(self) -> None:
        self._lives += 1
        self.member_id = f"{self.name}.{self._lives}"
        self.member_epoch = 0
        self.assigned = []
        self._has_heard = False
        """True if the last heartbeat was answered without an error."""
        self._beat_s = -_BEAT_S
        self._sessions = ShareSessions(self.member_id, self.world.brokers.topic(TOPIC).topic_id)
        self._held: dict[Record, bool] = {}
        """The records that it has acquired; False for offsets without a record."""

    def run(self) -> Steps[None]:
        """Share the records until all other clients have finished and none are left."""
        while True:
            self.is_out_of_time()
            is_at_rest = self.world.is_at_rest
            try:
                yield from self._beat()
                has_worked = yield from self._work()
            except GaveUp:
                has_worked = False
                yield Pause(_AWAY_MS)
            if has_worked or not is_at_rest:
                self._worked_s = self._now_s
            if is_at_rest:
                if not has_worked and self._is_at_the_end():
                    break
            elif self.random.random() < 0.02:
                self.note(f"{self.member_id} dies with {sorted(self._held)}")
                self._begin_a_life()
                yield Pause(PAUSE_MS)
            yield Pause(_LONG_MS if self._dawdles() else PAUSE_MS)
        yield from self._leave()

    def _is_at_the_end(self) -> bool:
        return not self._watch.left() or self._now_s - self._worked_s > _IDLE_S

    @property
    def _now_s(self) -> float:
        return self.world.brokers.loop.time()

    def _dawdles(self) -> bool:
        return bool(self._held) and not self.world.is_at_rest and self.random.random() < 0.03

    # Membership

    def _beat(self) -> Steps[None]:
        """Join, or stay, if it is time."""
        if self.assigned and self._now_s - self._beat_s < _BEAT_S:
            return
        self._beat_s = self._now_s
        yield from self._heartbeat(self.member_epoch)

    def _leave(self) -> Steps[None]:
        try:
            yield from self._heartbeat(ENDS)
        except GaveUp as why:
            self.note(f"does not leave: {why.code.name}")

    def _heartbeat(self, member_epoch: int) -> Steps[None]:
        broker_id = yield from self.coordinator(GROUPS, SHARE_GROUP)
        request = ShareGroupHeartbeatRequest(
            group_id=SHARE_GROUP, member_id=self.member_id, member_epoch=member_epoch
        )
        # Only then does the coordinator repeat an assignment that may have been lost.
        if not self._has_heard:
            request.subscribed_topic_names = [TOPIC]
        self._has_heard = False
        try:
            answer = yield from self.ask(broker_id, request, 1, ShareGroupHeartbeatResponse)
        except Lost:
            self.forget_coordinator(GROUPS, SHARE_GROUP)
            return
        code = ErrorCode(answer.error_code)
        if code in _FORGOTTEN:
            self.member_epoch = 0
        elif code is not ErrorCode.NONE:
            self.forget_coordinator(GROUPS, SHARE_GROUP)
        else:
            self._has_heard = True
            self.member_epoch = answer.member_epoch
            if answer.assignment is not None:
                topics = answer.assignment.topic_partitions
                self.assigned = sorted(each for topic in topics for each in topic.partitions)

    # Records

    def _work(self) -> Steps[bool]:
        """Fetch from one broker, and acknowledge; return whether there were records."""
        if not self.assigned:
            return False
        leader_id = yield from self.leader(TOPIC, self.random.choice(self.assigned))
        here = [each for each in self.assigned if self._leaders.get((TOPIC, each)) == leader_id]
        decided = self._decide(here)
        if not self._sessions.has(leader_id):
            decided = {}  # the first request of a session acknowledges nothing
        elif not self.world.is_at_rest and self.random.random() < 0.02:
            yield from self._acknowledge(leader_id, decided, ends=True)
            return True
        elif decided and self.random.random() < 0.5:
            yield from self._acknowledge(leader_id, decided, ends=False)
            decided = {}
        return (yield from self._fetch(leader_id, here, decided))

    def _decide(self, here: list[int]) -> dict[Record, AcknowledgeType]:
        """Choose acknowledgements of some of the records that it holds."""
        decided: dict[Record, AcknowledgeType] = {}
        for record, is_there in list(self._held.items()):
            if record[0] not in here:
                continue
            lot = 0.0 if self.world.is_at_rest else self.random.random()
            if lot >= 1 - _FORGETS:
                del self._held[record]
            elif lot < _DECIDES:
                decided[record] = self._type() if is_there else AcknowledgeType.GAP
        return decided

    def _type(self) -> AcknowledgeType:
        if self.world.is_at_rest:
            return AcknowledgeType.ACCEPT
        (kind,) = self.random.choices(list(_TYPES), list(_TYPES.values()))
        is_known = kind is not AcknowledgeType.RENEW or self._version > 1
        return kind if is_known else AcknowledgeType.RELEASE

    def _acknowledge(self, leader_id: int, decided: Acknowledgements, *, ends: bool) -> Steps[None]:
        if ends:
            decided = {
                record: kind
                for record, kind in decided.items()
                if kind is not AcknowledgeType.RENEW
            }
        request = self._sessions.acknowledge(leader_id, decided, ends=ends)
        try:
            answer = yield from self.ask(
                leader_id, request, self._version, ShareAcknowledgeResponse
            )
        except Lost:
            self._lose(leader_id, decided)
            return
        self._sessions.answered(leader_id, ENDS if ends else answer.error_code)
        codes = {
            data.partition_index: data.error_code
            for topic in answer.responses
            for data in topic.partitions
        }
        self._check(answer.error_code, *codes.values())
        self._acknowledged(decided, codes)
        if ends:
            self._held.clear()

    def _fetch(
        self, leader_id: int, partitions: list[int], decided: Acknowledgements
    ) -> Steps[bool]:
        began = self.world.ledger.moment
        request = self._sessions.fetch(leader_id, partitions, decided, self._limits())
        try:
            answer = yield from self.ask(leader_id, request, self._version, ShareFetchResponse)
        except Lost:
            self._lose(leader_id, decided)
            return False
        self._sessions.answered(leader_id, answer.error_code)
        found = [data for topic in answer.responses for data in topic.partitions]
        codes = {data.partition_index: data.acknowledge_error_code for data in found}
        self._check(answer.error_code, *codes.values(), *(data.error_code for data in found))
        self._acknowledged(decided, codes)
        for data in found:
            if data.error_code:
                self.forget_leader(TOPIC, data.partition_index)
            self._take(data, began)
        return any(data.acquired_records for data in found)

    def _check(self, *codes: int) -> None:
        is_known = ErrorCode.UNKNOWN_SERVER_ERROR not in codes
        assert is_known, f"{self.member_id}: the brokers do not know what to do"

    def _limits(self) -> FetchLimits:
        return FetchLimits(
            max_wait_ms=_MAX_WAIT_MS,
            max_bytes=self.random.choice((200, 1 << 20)),
            max_records=self.random.randint(1, 8),
            batch_size=self.random.randint(1, 4),
            share_acquire_mode=self.random.randrange(self._version),
        )

    def _take(self, data: PartitionData, began: int) -> None:
        values = dict(_values(bytes(data.records or b"")))
        for offset in offsets_of(data.acquired_records):
            record = data.partition_index, offset
            value = values.get(offset)
            self._held[record] = value is not None
            if value is not None:
                self.seen.append(Delivery(*record, value))
                self.world.ledger.shared(record, began)

    def _acknowledged(self, decided: Acknowledgements, codes: dict[int, int]) -> None:
        """Learn of the outcome of acknowledgements by partition; some are tried again."""
        for record, kind in decided.items():
            code = codes.get(record[0])
            if code == ErrorCode.NONE:
                if kind is AcknowledgeType.ACCEPT:
                    self.world.ledger.accept(record)
                if kind is not AcknowledgeType.RENEW:
                    self._held.pop(record, None)
            elif self.random.random() < 0.5 or code == ErrorCode.INVALID_RECORD_STATE:
                self._held.pop(record, None)

    def _lose(self, leader_id: int, decided: Acknowledgements) -> None:
        """Go on after a lost response."""
        self._sessions.drop(leader_id)
        self.forget_all_leaders()
        self._acknowledged(decided, {})


def _values(records: bytes) -> Iterable[tuple[int, bytes]]:
    """Yield offset and value of each record that is no marker."""
    for start, _ in batch_spans(records):
        if not parse_batch_header(records, start).is_control:
            for record in records_of(records, start):
                assert record.value is not None
                yield record.offset, bytes(record.value)

"""Model of a group's members: each reads, processes and writes what it owns of a topic."""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.protocol.schema.message import Message
from tests.simulation.group_committer import GroupCommitter
from tests.simulation.model_client import GROUPS, PAUSE_MS, RETRIABLE, GaveUp, MessageT
from tests.simulation.steps import Lost, Pause, Receive, Send, Steps

if TYPE_CHECKING:
    from tests.simulation.world import World

GROUP: Final = "sharers"
WORK: Final = "work"
SESSION_MS: Final = 6_000
REBALANCE_MS: Final = 3_000
_ANSWER_MS: Final = 2 * REBALANCE_MS
_ROUNDS: Final = 40
_IDLE_ROUNDS: Final = 8
"""How often a member finds nothing to do before it leaves."""
_IDLE_MS: Final = SESSION_MS // 3
_READ_AT_ONCE: Final = 2
_DAWDLES: Final = 0.2
_DAWDLES_OFTEN: Final = 0.7
_COMMIT_VERSIONS: Final = {"classic": 8, "consumer": 9, "streams": 9}
_LONG_MS: Final = 2 * SESSION_MS
_FORGOTTEN: Final = frozenset(
    {
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.ILLEGAL_GENERATION,
        ErrorCode.STALE_MEMBER_EPOCH,
        ErrorCode.FENCED_MEMBER_EPOCH,
        ErrorCode.GROUP_ID_NOT_FOUND,
    }
)


class Sharer(GroupCommitter):
    """A member; its transactional id is its own, so only its generation tells its commits apart."""

    group = GROUP
    topic = WORK

    def __init__(self, world: "World", name: str) -> None:
        super().__init__(world, name, name)
        self.owned: list[int] = []

    def run(self) -> Steps[None]:
        """Process what there is, and leave when there is nothing more."""
        idle = 0
        for _ in range(_ROUNDS):
            self.is_out_of_time()
            try:
                yield from self.beat()
                has_worked = yield from self._work()
            except GaveUp as why:
                self.note(f"gives up in generation {self.generation}: {why.code.name}")
                self.producer = (-1, -1)
                if why.code in _FORGOTTEN:
                    self.lose_membership()
                yield Pause(PAUSE_MS)
                continue
            idle = 0 if has_worked else idle + 1
            if idle == _IDLE_ROUNDS:
                break
            yield Pause(PAUSE_MS if has_worked else _IDLE_MS)
        if self.random.random() < 0.5:  # else its session ends
            try:
                yield from self.leave()
            except GaveUp as why:
                self.note(f"does not leave: {why.code.name}")

    @abstractmethod
    def beat(self) -> Steps[None]:
        """Join or stay, and learn what it owns. Raises `GaveUp`."""

    @abstractmethod
    def leave(self) -> Steps[None]:
        """Leave. Raises `GaveUp`."""

    def lose_membership(self) -> None:
        """Own nothing, until it has joined again."""
        self.generation = -1
        self.owned = []

    def ask_once(
        self,
        request: Message,
        version: int,
        kind: type[MessageT],
        code_of: Callable[[MessageT], int],
    ) -> Steps[MessageT]:
        """Ask the group's coordinator once.

        Raises:
            GaveUp: there was no answer, or an error.

        """
        broker_id = yield from self.coordinator(GROUPS, GROUP)
        try:
            yield Send(broker_id, request, version)
            answer = yield Receive(broker_id, _ANSWER_MS)
        except Lost:
            self.forget_coordinator(GROUPS, GROUP)
            raise GaveUp(ErrorCode.REQUEST_TIMED_OUT) from None
        assert isinstance(answer, kind), answer
        code = ErrorCode(code_of(answer))
        if code is ErrorCode.NONE:
            return answer
        if code in RETRIABLE:
            self.forget_coordinator(GROUPS, GROUP)
        raise GaveUp(code)

    def _commit_alone(self, index: int, offset: int) -> Steps[None]:
        """Commit an offset outside of a transaction, at times too late or as in an old generation.

        So does a client whose commit waits in a queue while it joins the next generation.
        """
        generation = self.generation
        if self.random.random() < (_DAWDLES_OFTEN if self.world.commits_late else _DAWDLES):
            yield Pause(self.random.choice((PAUSE_MS, _IDLE_MS, _LONG_MS)))
            if not self.world.commits_late or self.random.random() < 0.5:
                yield from self.beat()
        partition = OffsetCommitRequestPartition(partition_index=index, committed_offset=offset)
        request = OffsetCommitRequest(
            group_id=GROUP,
            generation_id_or_member_epoch=generation,
            member_id=self.member_id,
            topics=[OffsetCommitRequestTopic(name=WORK, partitions=[partition])],
        )
        joined, asked_at = self.generation, self.world.ledger.tick()
        yield from self.ask_once(
            request, _COMMIT_VERSIONS[self.world.sharing], OffsetCommitResponse,
            lambda given: given.topics[0].partitions[0].error_code,
        )  # fmt: skip
        # Members of the newer groups may commit in earlier epochs what they have had since then.
        is_stale = self.world.sharing == "classic" and generation < joined
        assert not is_stale, f"an offset was committed in generation {generation}, after {joined}"
        self.world.ledger.committed(index, self.member_id, generation, asked_at)

    def _work(self) -> Steps[bool]:
        """Process something of a partition; return whether there was anything."""
        for index in self.random.sample(self.owned, len(self.owned)):
            if self.producer[0] < 0 and not self.world.commits_alone:
                yield from self.init()
            position = yield from self.committed(index)
            values = self.world.work_values[index][position : position + _READ_AT_ONCE]
            if values:
                yield from self._process(index, position, values)
                return True
        return False

    def _process(self, index: int, position: int, values: list[bytes]) -> Steps[None]:
        if self.world.commits_alone:
            yield from self._commit_alone(index, position + len(values))
            return
        transaction = self.begin()
        for value in values:
            partition = self.random.randrange(self.world.partitions)
            yield from self.write(transaction, "orders", partition, [b"out of " + value])
        if self.random.random() < 0.1:
            yield Pause(_LONG_MS)  # somebody else may have its partitions by then
        yield from self.commit_offset(index, position + len(values))
        if self.random.random() < 0.15:
            yield from self.abort(transaction)
        else:
            yield from self.commit(transaction)

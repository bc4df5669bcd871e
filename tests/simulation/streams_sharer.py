"""Members of a streams group (KIP-1071): each active task is a partition to process."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    Subtopology,
    TaskIds,
    TopicInfo,
    Topology,
)
from tests.simulation.model_client import GaveUp
from tests.simulation.sharer import GROUP, REBALANCE_MS, WORK, Sharer
from tests.simulation.steps import Steps

if TYPE_CHECKING:
    from tests.simulation.world import World

SUBTOPOLOGY: Final = "0"
_LEAVES: Final = -1
_PROCESSES: Final = 2
_TOPOLOGY: Final = Topology(
    epoch=1,
    subtopologies=[
        Subtopology(
            subtopology_id=SUBTOPOLOGY,
            source_topics=[WORK],
            state_changelog_topics=[TopicInfo(name=f"{GROUP}-store-changelog")],
        )
    ],
)


class StreamsSharer(Sharer):
    """A member that runs the tasks which the coordinator gives it, in one of two processes.

    It names its tasks when they have changed, or when an answer was lost, as Kafka Streams does.
    """

    def __init__(self, world: "World", name: str) -> None:
        super().__init__(world, name)
        self.member_id = name
        self._process_id = f"process {self.random.randrange(_PROCESSES)}"
        self._standby: list[int] = []
        self._warmup: list[int] = []
        self._reported: tuple[list[int], ...] | None = None
        """The tasks that the coordinator is known to have heard of."""

    def beat(self) -> Steps[None]:
        """Join or stay, and run the tasks of the answer."""
        joins = self.generation < 0
        tasks = (self.owned, self._standby, self._warmup)
        request = StreamsGroupHeartbeatRequest(
            group_id=GROUP,
            member_id=self.member_id,
            member_epoch=max(self.generation, 0),
        )
        if joins:
            request.topology = _TOPOLOGY
            request.process_id = self._process_id
            request.rebalance_timeout_ms = REBALANCE_MS
            request.client_tags = []
        if joins or tasks != self._reported:
            request.active_tasks, request.standby_tasks, request.warmup_tasks = map(
                _task_ids, tasks
            )
        try:
            answer = yield from self._heartbeat(request)
        except GaveUp:
            self._reported = None
            raise
        self.generation, self._reported = answer.member_epoch, tasks
        if answer.active_tasks is not None:
            self.owned = _partitions(answer.active_tasks)
            self._standby = _partitions(answer.standby_tasks)
            self._warmup = _partitions(answer.warmup_tasks)

    def leave(self) -> Steps[None]:
        """Leave at once."""
        yield from self._heartbeat(
            StreamsGroupHeartbeatRequest(
                group_id=GROUP, member_id=self.member_id, member_epoch=_LEAVES
            )
        )

    def lose_membership(self) -> None:
        """Run no tasks, until it has joined again."""
        super().lose_membership()
        self._standby, self._warmup = [], []

    def _heartbeat(
        self, request: StreamsGroupHeartbeatRequest
    ) -> Steps[StreamsGroupHeartbeatResponse]:
        return (
            yield from self.ask_once(
                request, 1, StreamsGroupHeartbeatResponse, lambda given: given.error_code
            )
        )


def _task_ids(partitions: list[int]) -> list[TaskIds]:
    return [TaskIds(subtopology_id=SUBTOPOLOGY, partitions=partitions)] if partitions else []


def _partitions(tasks: list[TaskIds] | None) -> list[int]:
    return [partition for each in tasks or () for partition in each.partitions]

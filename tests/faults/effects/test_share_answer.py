"""Errors in share sessions, which go on: at brokers without sockets."""

import pytest

from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.answer import Answer, ApplyThenAnswer
from mockbroker.faults.fault_plan import FaultPlan
from mockbroker.faults.fault_state import FaultState
from mockbroker.faults.selectors import Selectors
from mockbroker.faults.trigger import Once
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.share_acknowledge import ShareAcknowledgeResponse
from mockbroker.protocol.messages.share_fetch import ShareFetchResponse
from tests.broker.handlers.share_building import (
    acknowledging,
    fetching,
    key_of,
    share_brokers,
    store,
)
from tests.support.in_process import Brokers, Peer

LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
Data = dict[int, tuple[int, int, list[tuple[int, int]]]]
"""Error, error of acknowledgements, and acquired ranges, by partition."""


class Sharing:
    """A member whose session has both partitions of t, each with two records."""

    def __init__(self) -> None:
        self.brokers: Brokers = share_brokers(partitions=2)
        self.plan = FaultPlan(self.brokers.service)
        for index in (0, 1):
            store(self.brokers, 2, index)
        self.peer: Peer = self.brokers.connect()
        self.fetch(0)
        self.brokers.loop.run()

    def fault(self, effect: Effect, api: ApiKey = ApiKey.SHARE_FETCH, **more: object) -> FaultState:
        fault = self.plan.add(Selectors({"api": api, "topic": "t", "group": "g", **more}))
        fault.effect, fault.trigger = effect, Once()
        self.plan.faults_changed()
        return fault

    def fetch(
        self, epoch: int, *batches: tuple[int, int, list[int]], partitions: tuple[int, ...] = (0, 1)
    ) -> Data:
        request = fetching(self.brokers, epoch, *batches, partitions=partitions)
        answer = self.peer.ask(request, 2, ShareFetchResponse)
        assert answer.error_code == ErrorCode.NONE, ErrorCode(answer.error_code)
        return {
            data.partition_index: (
                data.error_code,
                data.acknowledge_error_code,
                [(each.first_offset, each.last_offset) for each in data.acquired_records],
            )
            for topic in answer.responses
            for data in topic.partitions
        }

    def start_offset(self, index: int) -> int:
        manager = self.brokers.service.share_managers[1]
        return manager.loaded("g")[key_of(self.brokers, index)].start_offset

    def acknowledge(self, epoch: int, index: int) -> tuple[int, dict[int, int]]:
        request = acknowledging(self.brokers, epoch, (0, 1, [1]), index=index)
        answer = self.peer.ask(request, 2, ShareAcknowledgeResponse)
        codes = {
            data.partition_index: data.error_code
            for topic in answer.responses
            for data in topic.partitions
        }
        return answer.error_code, codes


def test_one_partition_fails_and_its_records_are_not_acquired() -> None:
    sharing = Sharing()
    fault = sharing.fault(Answer(LEADER), partition=1)
    assert sharing.fetch(1) == {0: (0, 0, [(0, 1)]), 1: (LEADER, 0, [])}
    assert fault.hits == 1
    assert sharing.fetch(2, partitions=()) == {1: (0, 0, [(0, 1)])}


def test_a_partition_that_only_the_session_names_fails() -> None:
    sharing = Sharing()
    fault = sharing.fault(Answer(LEADER), partition=1)
    assert sharing.fetch(1, partitions=()) == {0: (0, 0, [(0, 1)]), 1: (LEADER, 0, [])}
    assert fault.hits == 1
    assert sharing.fetch(2, partitions=()) == {1: (0, 0, [(0, 1)])}


def test_the_session_goes_on_when_all_partitions_fail() -> None:
    sharing = Sharing()
    sharing.fault(Answer(LEADER))
    assert sharing.fetch(1, partitions=()) == {0: (LEADER, 0, []), 1: (LEADER, 0, [])}
    assert sharing.fetch(2, partitions=()) == {0: (0, 0, [(0, 1)]), 1: (0, 0, [(0, 1)])}


def test_a_partition_that_fails_at_first_is_part_of_the_session() -> None:
    sharing = Sharing()
    sharing.fault(Answer(LEADER), partition=0)
    assert sharing.fetch(0) == {0: (LEADER, 0, []), 1: (0, 0, [(0, 1)])}
    assert sharing.fetch(1, partitions=()) == {0: (0, 0, [(0, 1)])}


def test_applied_the_records_are_acquired_by_a_member_that_does_not_get_them() -> None:
    sharing = Sharing()
    sharing.fault(ApplyThenAnswer(LEADER), partition=1)
    assert sharing.fetch(1)[1] == (LEADER, 0, [])
    assert sharing.fetch(2, partitions=()) == {1: (0, 0, [])}
    assert sharing.acknowledge(3, 1) == (0, {1: 0})


def test_acknowledgements_of_a_fetch_fail_with_their_partition() -> None:
    sharing = Sharing()
    sharing.fetch(1, partitions=())
    sharing.fault(Answer(LEADER), partition=0)
    assert sharing.fetch(2, (0, 1, [1])) == {0: (LEADER, LEADER, []), 1: (0, 0, [])}
    assert [sharing.start_offset(index) for index in (0, 1)] == [0, 2]
    assert sharing.acknowledge(3, 0) == (0, {0: 0})


@pytest.mark.parametrize(
    ("effect", "start_offset"), [(Answer(LEADER), 0), (ApplyThenAnswer(LEADER), 2)]
)
def test_an_acknowledgement_is_applied_or_not(effect: Effect, start_offset: int) -> None:
    sharing = Sharing()
    sharing.fetch(1)
    fault = sharing.fault(effect, ApiKey.SHARE_ACKNOWLEDGE, partition=1, member_id="m")
    assert sharing.acknowledge(2, 1) == (0, {1: LEADER})
    assert (fault.hits, sharing.start_offset(1)) == (1, start_offset)
    assert sharing.acknowledge(3, 1) == (0, {1: 0})


def test_an_error_at_the_top_handles_nothing() -> None:
    sharing = Sharing()
    sharing.fault(Answer(ErrorCode.UNKNOWN_SERVER_ERROR, top_level=True))
    request = fetching(sharing.brokers, 1, partitions=())
    answer = sharing.peer.ask(request, 2, ShareFetchResponse)
    assert (answer.error_code, answer.responses) == (ErrorCode.UNKNOWN_SERVER_ERROR, [])
    assert sharing.fetch(1) == {0: (0, 0, [(0, 1)]), 1: (0, 0, [(0, 1)])}


def test_a_request_without_a_session_is_refused_as_a_whole() -> None:
    sharing = Sharing()
    sharing.fault(Answer(LEADER), partition=1)
    request = fetching(sharing.brokers, 7, partitions=(0, 1))
    answer = sharing.peer.ask(request, 2, ShareFetchResponse)
    assert answer.error_code == ErrorCode.INVALID_SHARE_SESSION_EPOCH

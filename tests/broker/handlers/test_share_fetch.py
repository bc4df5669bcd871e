"""ShareFetch: sessions, delays, several partitions, members that disconnect."""

import pytest

from mockbroker.broker.isolated_broker import IsolatedBroker
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.share_acknowledge import ShareAcknowledgeResponse
from mockbroker.protocol.messages.share_fetch import (
    PartitionData,
    ShareFetchRequest,
    ShareFetchResponse,
)
from mockbroker.state.replication.isolated_view import isolated_view
from mockbroker.state.topic.topic import SHARE_GROUP_STATE
from tests.broker.handlers.share_building import (
    Batch,
    acknowledging,
    fetching,
    share_brokers,
    store,
)
from tests.support.in_process import NOW_MS, Brokers, Peer

WAIT_MS = 500


def fetch(
    peer: Peer,
    brokers: Brokers,
    epoch: int,
    *batches: Batch,
    member: str | None = "m",
    partitions: tuple[int, ...] = (0,),
    renews: bool = False,
) -> ShareFetchResponse:
    request = fetching(
        brokers, epoch, *batches, member=member, partitions=partitions, renews=renews
    )
    return peer.ask(request, 2, ShareFetchResponse)


def data_of(answer: ShareFetchResponse) -> list[PartitionData]:
    assert answer.error_code == ErrorCode.NONE
    return [partition for topic in answer.responses for partition in topic.partitions]


def acquired(answer: ShareFetchResponse) -> list[tuple[int, int, int, int]]:
    return [
        (data.partition_index, each.first_offset, each.last_offset, each.delivery_count)
        for data in data_of(answer)
        for each in data.acquired_records
    ]


def loaded(brokers: Brokers, partitions: int = 1) -> Peer:
    """Return the connection of a member whose share partitions are loaded."""
    peer = brokers.connect()
    fetch(peer, brokers, 0, partitions=tuple(range(partitions)))
    brokers.loop.run()
    return peer


def test_without_the_feature_it_is_refused() -> None:
    brokers = Brokers(topics={"t": 1}, features={"share.version": 0})
    answer = brokers.ask(fetching(brokers, 0), 2, ShareFetchResponse)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize("member", [None, "", "x" * 37])
def test_a_member_needs_an_id(member: str | None) -> None:
    brokers = share_brokers()
    answer = brokers.ask(fetching(brokers, 0, member=member), 2, ShareFetchResponse)
    assert answer.error_code == ErrorCode.INVALID_REQUEST


def test_a_group_needs_an_id() -> None:
    request = ShareFetchRequest(group_id=None, member_id="m")
    assert share_brokers().ask(request, 2, ShareFetchResponse).error_code == (
        ErrorCode.INVALID_REQUEST
    )


def test_records_are_acquired_and_acknowledged_while_fetching() -> None:
    brokers = share_brokers()
    peer = loaded(brokers)
    store(brokers)
    answer = fetch(peer, brokers, 1)
    assert acquired(answer) == [(0, 0, 2, 1)]
    assert answer.acquisition_lock_timeout_ms == 30_000
    (data,) = data_of(fetch(peer, brokers, 2, (0, 1, [1])))
    assert (data.acknowledge_error_code, data.acquired_records) == (ErrorCode.NONE, [])
    (data,) = data_of(fetch(peer, brokers, 3, (3, 3, [1])))
    assert data.acknowledge_error_code == ErrorCode.INVALID_REQUEST


def test_a_fetch_waits_for_records() -> None:
    brokers = share_brokers()
    peer = brokers.connect()
    peer.send(fetching(brokers, 0, wait_ms=WAIT_MS), 2)
    brokers.pass_time(WAIT_MS - 1)
    assert peer.new_frames() == []
    store(brokers)
    brokers.loop.run()
    answer = peer.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse)
    assert acquired(answer) == [(0, 0, 2, 1)]


def test_a_fetch_without_records_ends_after_its_wait() -> None:
    brokers = share_brokers()
    peer = brokers.connect()
    peer.send(fetching(brokers, 0, wait_ms=WAIT_MS), 2)
    brokers.pass_time(WAIT_MS)
    (data,) = data_of(peer.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse))
    assert (data.error_code, data.acquired_records) == (ErrorCode.NONE, [])


def test_a_fetch_that_waits_gets_nothing_of_a_partition_that_has_moved() -> None:
    brokers = share_brokers(brokers=2)
    store(brokers)
    partition = brokers.partition("t")
    peer = brokers.connect(partition.leader_id)
    request = fetching(brokers, 0, wait_ms=WAIT_MS)
    request.min_bytes = 1000
    peer.send(request, 2)
    assert peer.new_frames() == []
    partition.leader_id = 3 - partition.leader_id
    partition.leader_epoch += 1
    partition.elected_in_epoch = partition.leader_epoch
    brokers.pass_time(WAIT_MS)
    assert acquired(peer.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse)) == []
    (data,) = data_of(fetch(peer, brokers, 1))
    assert data.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_an_isolated_broker_delivers_nothing_until_it_rejoins() -> None:
    brokers = share_brokers()
    peer = loaded(brokers)
    store(brokers)
    view = isolated_view(brokers.state, 1, now_ms=NOW_MS)
    brokers.service.isolated[1] = IsolatedBroker(view)
    assert acquired(fetch(peer, brokers, 1)) == []
    (data,) = data_of(fetch(peer, brokers, 2, (0, 2, [1])))
    assert data.acknowledge_error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    del brokers.service.isolated[1]
    assert acquired(fetch(peer, brokers, 3)) == []
    brokers.loop.run()
    assert acquired(fetch(peer, brokers, 4)) == [(0, 0, 2, 1)]


def test_a_fetch_gets_what_another_member_releases() -> None:
    brokers = share_brokers()
    one, two = loaded(brokers), brokers.connect()
    store(brokers)
    fetch(one, brokers, 1)
    two.send(fetching(brokers, 0, member="n", wait_ms=WAIT_MS), 2)
    brokers.loop.run()
    assert two.new_frames() == []
    brokers.ask(acknowledging(brokers, 2, (0, 2, [2])), 2, ShareAcknowledgeResponse)
    brokers.loop.run()
    answer = two.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse)
    assert acquired(answer) == [(0, 0, 2, 2)]


def test_a_member_that_disconnects_releases_its_records() -> None:
    brokers = share_brokers()
    one, two = loaded(brokers), brokers.connect()
    store(brokers)
    fetch(one, brokers, 1)
    two.send(fetching(brokers, 0, member="n", wait_ms=WAIT_MS), 2)
    one.leave()
    brokers.loop.run()
    answer = two.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse)
    assert acquired(answer) == [(0, 0, 2, 2)]


def test_a_fetch_gets_the_records_of_expired_locks() -> None:
    brokers = share_brokers()
    one, two = loaded(brokers), brokers.connect()
    store(brokers)
    fetch(one, brokers, 1)
    brokers.pass_time(30_000)
    brokers.state.advance_to(brokers.clock.now_ms())
    assert acquired(fetch(two, brokers, 0, member="n")) == [(0, 0, 2, 2)]


def test_the_first_partition_changes_with_the_epoch() -> None:
    brokers = share_brokers(partitions=3)
    peer = loaded(brokers, 3)
    for index in range(3):
        store(brokers, index=index)
    answer = fetch(peer, brokers, 1, partitions=(0, 1, 2))
    assert acquired(answer) == [(1, 0, 2, 1), (2, 0, 2, 1), (0, 0, 2, 1)]


def test_a_renewal_fetches_nothing() -> None:
    brokers = share_brokers()
    peer = loaded(brokers)
    store(brokers)
    fetch(peer, brokers, 1)
    (data,) = data_of(fetch(peer, brokers, 2, (0, 2, [4]), renews=True))
    assert (data.acknowledge_error_code, data.acquired_records) == (ErrorCode.NONE, [])
    request = fetching(brokers, 3, (0, 2, [4]), renews=True)
    request.max_records = 1
    answer = peer.ask(request, 2, ShareFetchResponse)
    assert answer.error_code == ErrorCode.INVALID_REQUEST


def test_too_many_sessions_wait_before_they_are_refused() -> None:
    configs = {"group.share.max.share.sessions": "1", "group.share.max.size": "1"}
    brokers = share_brokers(configs=configs)
    loaded(brokers)
    peer = brokers.connect()
    peer.send(fetching(brokers, 0, member="n", wait_ms=WAIT_MS), 2)
    brokers.pass_time(WAIT_MS - 1)
    assert peer.new_frames() == []
    brokers.pass_time(1)
    answer = peer.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse)
    assert answer.error_code == ErrorCode.SHARE_SESSION_LIMIT_REACHED


def test_a_session_that_went_on_meanwhile_refuses_a_waiting_fetch() -> None:
    brokers = share_brokers()
    one, two = loaded(brokers), brokers.connect()
    one.send(fetching(brokers, 1, wait_ms=WAIT_MS), 2)
    fetch(two, brokers, 2)
    brokers.pass_time(WAIT_MS)
    answer = one.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse)
    assert answer.error_code == ErrorCode.INVALID_SHARE_SESSION_EPOCH


def test_the_wrong_broker_names_the_leader() -> None:
    brokers = share_brokers(brokers=2)
    partition = brokers.partition("t")
    other = brokers.connect(3 - partition.leader_id)
    answer = fetch(other, brokers, 0)
    (data,) = data_of(answer)
    assert data.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert data.current_leader.leader_id == partition.leader_id
    assert [each.node_id for each in answer.node_endpoints] == [partition.leader_id]


def test_a_share_partition_without_a_state_is_an_error() -> None:
    brokers = share_brokers(start_offset=None)
    peer = brokers.connect()
    peer.send(fetching(brokers, 0, wait_ms=WAIT_MS), 2)
    brokers.pass_time(WAIT_MS)
    (data,) = data_of(peer.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse))
    assert data.error_code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_share_partition_waits_for_its_coordinator() -> None:
    brokers = share_brokers()
    store(brokers)
    partition = brokers.partition(SHARE_GROUP_STATE)
    leader_id, partition.leader_id = partition.leader_id, -1
    peer = brokers.connect()
    peer.send(fetching(brokers, 0, wait_ms=WAIT_MS), 2)
    brokers.loop.run()
    partition.leader_id = leader_id
    brokers.state.advance_to(brokers.clock.now_ms() + 1000)
    brokers.loop.run()
    answer = peer.receive(ApiKey.SHARE_FETCH, 2, ShareFetchResponse)
    assert acquired(answer) == [(0, 0, 2, 1)]


def test_a_topic_that_is_deleted_during_a_session_is_unknown_by_name() -> None:
    brokers = share_brokers()
    peer = loaded(brokers)
    deleted = brokers.topic("t")
    request = fetching(brokers, 1)
    brokers.state.delete_topic(deleted)
    request.topics = []
    (data,) = data_of(peer.ask(request, 2, ShareFetchResponse))
    assert data.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION

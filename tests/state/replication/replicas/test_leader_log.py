"""A new leader leads with its own log, and the others keep theirs until they follow."""

from mockbroker.state.event_reporter import EventReporter
from mockbroker.state.events import LogTruncated
from mockbroker.state.replication.broker import BrokerState
from mockbroker.state.replication.broker_control import fence_broker
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.replication.replicas.leader_log import log_to_alter
from tests.state.log.test_log_truncation import NOW_MS
from tests.state.replication.replicas.writer_of_replicas import ReplicaWriter


def test_an_equal_replica_leads_with_the_shared_log() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    log = writer.log
    writer.elect(2)
    assert writer.log is log
    assert not writer.partition.replicas_apart


def test_a_lagging_replica_leads_with_less_and_the_loss_is_reported() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    writer.lag(2)
    writer.write(2, 7)
    events: list[object] = []
    writer.cluster.observation.reporter = EventReporter(events.append)
    writer.elect(2)
    assert LogTruncated("orders", 0, 4, 2) in events
    assert writer.log.offsets == (0, 2, 2)
    assert not writer.partition.replicas_apart


def test_a_leader_that_comes_back_keeps_its_tail_until_it_follows() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    writer.lag(2)
    writer.lag(3)
    writer.write(2, 7)
    fence_broker(writer.cluster, 1, BrokerState.KILLED, now_ms=NOW_MS)
    assert writer.partition.leader_id == 2
    assert writer.log_at(1).log_end_offset == 4
    assert writer.cluster.log_of(writer.partition, NOW_MS).log_end_offset == 2


def test_an_election_that_alters_the_log_alters_one_replica_only() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    elect_leader(writer.cluster, writer.partition, 2, producer_state="none", now_ms=NOW_MS)
    assert not len(writer.log_at(2).producers)
    for broker_id in (1, 3):
        assert [each.producer_id for each in writer.log_at(broker_id).producers] == [7]


def test_a_changed_leader_does_not_change_its_followers() -> None:
    writer = ReplicaWriter()
    writer.write(2, 7)
    log = log_to_alter(writer.cluster, writer.partition, 1, now_ms=NOW_MS)
    assert log is writer.log
    log.producers.forget({7})
    assert [each.producer_id for each in writer.log_at(2).producers] == [7]


def test_a_replica_that_was_away_when_its_partition_was_created_has_nothing() -> None:
    writer = ReplicaWriter()
    writer.cluster.fenced[3] = BrokerState.KILLED
    writer.write(1)
    elect_leader(writer.cluster, writer.partition, 2, producer_state="none", now_ms=NOW_MS)
    assert writer.partition.replicas_apart[3].log_end_offset == 0


def test_verifications_stay_with_the_old_leader() -> None:
    writer = ReplicaWriter("3.9")
    writer.log.producers.maybe_start_verification(7, 0, 0, supports_epoch_bump=False, now_ms=NOW_MS)
    writer.elect(1)
    assert len(writer.log.producers.verifications) == 1
    writer.elect(2)
    assert not len(writer.log.producers.verifications)

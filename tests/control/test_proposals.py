"""Each proposal changes what a client sees on a release, or is refused there with the reason."""

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from mockbroker import Cluster, Release, SettingsError
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.state.config.definition import broker_definitions
from mockbroker.state.release.options import SUPPORTED_RELEASES
from mockbroker.state.release.proposals import PROPOSALS, proposals_of
from mockbroker.wire import WireClient, WireProducer

NONE: Final = ErrorCode.NONE
RETAINED: Final = 5
"""Batches of a producer that a log remembers, at most."""
CONFIG: Final = {
    "default.replication.factor": "2",
    "log.message.format.version": "0.10.2",
    "transaction.partition.verification.enable": "false",
}


def described(cluster: Cluster, _producer: WireProducer) -> object:
    with WireClient(cluster.bootstrap_servers) as client:
        return client.versions(ApiKey.DESCRIBE_TRANSACTION_STATE)


def bumped_again_after_a_failover(cluster: Cluster, producer: WireProducer) -> object:
    producer.init_producer_id()
    for _ in range(2):
        assert producer.init_producer_id(keep_id=True) is NONE
    producer.producer_epoch -= 1  # the last response was lost
    cluster.move_coordinator("svc")
    answer = producer.init_producer_id(keep_id=True)
    return answer, producer.producer_epoch


def written_by_a_zombie(cluster: Cluster, zombie: WireProducer) -> object:
    zombie.init_producer_id()
    zombie.add_partition("orders")
    zombie.produce("orders", b"in time", base_sequence=0)
    with WireProducer(cluster.bootstrap_servers, "svc") as owner:
        while owner.init_producer_id() is not NONE:
            pass
    partition = cluster.partition("orders", 0)
    partition.delete_records()
    partition.elect(producer_state="none")
    return zombie.produce("orders", b"too late", base_sequence=3).error


def shown_limits(cluster: Cluster, _producer: WireProducer) -> object:
    with WireClient(cluster.bootstrap_servers) as client:
        answer = client.ask_newest(MetadataRequest(topics=None), range(14), MetadataResponse)
    return answer.topics[0].max_message_bytes


def idempotent_in_an_old_format(cluster: Cluster, _producer: WireProducer) -> object:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        return [producer.produce("orders", b"x", base_sequence=each).error for each in (0, 1)]


def retried_after_it_was_forgotten(cluster: Cluster, _producer: WireProducer) -> object:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        for sequence in range(RETAINED + 3):
            assert producer.produce("orders", b"x", base_sequence=sequence).error is NONE
        return producer.produce("orders", b"x", base_sequence=1).error


SHOWN_BY: Final[Mapping[str, Callable[[Cluster, WireProducer], object]]] = {
    "describe-transaction-state": described,
    "last-epoch": bumped_again_after_a_failover,
    "first-write-fencing": written_by_a_zombie,
    "topic-metadata": shown_limits,
    "old-message-formats": idempotent_in_an_old_format,
    "duplicate-sequence-number": retried_after_it_was_forgotten,
}


def shown(name: str, kafka: Release, proposals: tuple[str, ...]) -> object:
    """Return what a client sees of a proposal."""
    known = broker_definitions(kafka)
    config = {each: value for each, value in CONFIG.items() if each in known}
    if name != "old-message-formats":
        config.pop("log.message.format.version", None)
    with (
        Cluster(
            brokers=2,
            kafka=kafka,
            topics={"orders": 1},
            config=config,
            proposals=proposals,
            clock="manual",
        ) as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        return SHOWN_BY[name](cluster, producer)


@pytest.mark.parametrize("kafka", SUPPORTED_RELEASES)
@pytest.mark.parametrize("name", [proposal.name for proposal in PROPOSALS])
def test_a_proposal_acts_or_is_refused(name: str, kafka: Release) -> None:
    if name in proposals_of(kafka):
        assert shown(name, kafka, (name,)) != shown(name, kafka, ())
    else:
        with pytest.raises(SettingsError, match=f"proposals={name}: the proposal would change no"):
            Cluster(kafka=kafka, proposals=[name])

"""What brokers say where they listen."""

import pytest

from mockbroker.control.advertised_listeners import AdvertisedListeners, address
from mockbroker.settings.listener_settings import ListenerSettings
from tests.state.cluster_building import new_cluster


def listeners(*broker_ids: int) -> AdvertisedListeners:
    advertised = AdvertisedListeners()
    for broker_id in broker_ids:
        inside = ListenerSettings("INSIDE", "0.0.0.0", 7000 + broker_id, "in.test", 0)
        advertised.bound(broker_id, ListenerSettings("PLAINTEXT", "", 0, "h", 0), 9000 + broker_id)
        advertised.bound(broker_id, inside, 7000 + broker_id)
    return advertised


def test_a_listener_advertises_the_port_that_it_has_got() -> None:
    main, inside = listeners(1).by_broker[1]
    assert (main.port, main.advertised_port) == (9001, 9001)
    assert (inside.port, inside.advertised_port) == (7001, 7001)


def test_the_state_knows_them_and_describes_them() -> None:
    cluster = new_cluster(brokers=2)
    revision = cluster.metadata_revision
    listeners(1, 2).tell(cluster)
    assert cluster.metadata_revision > revision
    broker = cluster.brokers[2]
    assert (broker.host, broker.port) == ("h", 9002)
    assert broker.seen_from("INSIDE")[1:3] == ("in.test", 7002)
    assert broker.seen_from("") is broker
    assert cluster.configs.broker_value("advertised.listeners", 2) == (
        "PLAINTEXT://h:9002",
        "INSIDE://in.test:7002",
    )
    assert cluster.configs.broker_value("listeners", 2) == (
        "PLAINTEXT://:9002",
        "INSIDE://0.0.0.0:7002",
    )


def test_another_address_is_for_one_broker_or_counts_on() -> None:
    advertised = listeners(1, 2)
    advertised.advertise("PLAINTEXT", "out.test", 5)
    advertised.advertise("INSIDE", "one.test", 6, broker_id=2)
    told = [
        [(each.advertised_host, each.advertised_port) for each in advertised.by_broker[broker_id]]
        for broker_id in (1, 2)
    ]
    assert told == [[("out.test", 5), ("in.test", 7001)], [("out.test", 6), ("one.test", 6)]]


def test_what_is_not_there_advertises_nothing_and_changes_nothing() -> None:
    advertised = listeners(1, 2)
    before = dict(advertised.by_broker)
    with pytest.raises(LookupError, match="no broker 3, there are 1, 2"):
        advertised.advertise("PLAINTEXT", "h", 1, broker_id=3)
    with pytest.raises(LookupError, match="no listener STEER; there are PLAINTEXT, INSIDE"):
        advertised.advertise("STEER", "h", 1)
    assert advertised.by_broker == before


def test_an_address_of_ipv6_is_written_in_brackets() -> None:
    assert (address("::1", 1), address("h", 1)) == ("[::1]:1", "h:1")

"""Fetch sessions of each broker."""

from mockbroker.broker.handlers.fetch_sessions import fetch_manager
from tests.support.in_process import Brokers


def test_each_broker_has_its_own_fetch_sessions() -> None:
    service = Brokers(brokers=2).service
    assert fetch_manager(service, 1) is fetch_manager(service, 1)
    assert fetch_manager(service, 1) is not fetch_manager(service, 2)

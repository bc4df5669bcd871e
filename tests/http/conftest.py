"""Fixtures: a cluster with an HTTP port, and a client."""

from collections.abc import Generator

import pytest

from mockbroker import Cluster
from tests.support.http import Http


@pytest.fixture(scope="module")
def shared() -> Generator[Cluster]:
    """One cluster for a module's tests."""
    with Cluster(brokers=2, topics={"orders": 2, "payments": 1}, admin_port=0) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared: Cluster) -> Generator[Cluster]:
    """The cluster; its faults are removed after the test."""
    yield shared
    for fault in shared.faults:
        fault.remove()


@pytest.fixture
def http(cluster: Cluster) -> Http:
    """Client of its HTTP port."""
    return Http(cluster)

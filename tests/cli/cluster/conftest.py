"""A served cluster for commands of the CLI."""

from collections.abc import Generator
from typing import Final

import pytest

from tests.support.admin_cli import AdminCli
from tests.support.process import served

WORDS: Final = ("--json", "--admin-port", "0", "--brokers", "2", "-t", "orders:2")
# A client whose cluster is gone keeps connecting to its port, which the system may give to this
# cluster; no other test uses this address.
SHARED_HOST: Final = "127.0.0.2"


@pytest.fixture
def cli() -> Generator[AdminCli]:
    """CLI for a cluster of two brokers with a topic of two partitions."""
    with served(*WORDS) as server:
        yield AdminCli(server)


@pytest.fixture(scope="session")
def shared_cluster() -> Generator[AdminCli]:
    """The same for commands that change nothing: one cluster for all of their tests."""
    with served(*WORDS, "--host", SHARED_HOST) as server:
        yield AdminCli(server)


@pytest.fixture
def unchanged(shared_cluster: AdminCli) -> Generator[AdminCli]:
    """The shared cluster; a test that leaves a topic or a fault behind fails here."""
    yield shared_cluster
    topics = shared_cluster.document("topic", "list", "--internal")["topics"]
    assert [each["name"] for each in topics] == ["orders"]
    assert not shared_cluster.document("faults", "list")["faults"]

"""A handle without a cluster says so."""

import pytest

from mockbroker import Cluster
from mockbroker.control.cluster_access import ClusterAccess


class Reader(ClusterAccess):
    """A part of a handle."""

    def controller(self) -> int:
        """Read something."""
        return self._control.read(lambda cluster, _now_ms: cluster.controller_id)


def test_a_handle_of_nothing_gives_nothing() -> None:
    with pytest.raises(RuntimeError, match="not running"):
        Reader().controller()


def test_a_cluster_that_has_stopped_is_no_more_at_hand() -> None:
    with Cluster() as cluster:
        assert cluster.controller == 1
    with pytest.raises(RuntimeError, match="not running"):
        cluster.brokers  # noqa: B018 - it raises

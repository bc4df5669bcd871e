"""A partition is found anew each time, or is not there."""

import pytest

from mockbroker import Cluster


def test_a_partition_is_named_and_may_come_later() -> None:
    with Cluster() as cluster:
        partition = cluster.partition("orders", 0)
        assert repr(partition) == "PartitionHandle('orders', 0)"
        with pytest.raises(LookupError, match="there is no partition orders-0"):
            partition.elect()
        with pytest.raises(LookupError, match="there is no partition orders-0"):
            partition.leader  # noqa: B018 - it raises

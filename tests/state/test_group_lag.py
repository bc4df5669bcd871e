"""The lag of groups."""

from mockbroker import Cluster
from mockbroker.state.group_lag import lag_of
from tests.support.seen_cluster import commit


def test_lag_is_what_comes_after_the_committed_offset() -> None:
    with Cluster(topics={"orders": 2}) as cluster:
        commit(cluster, "a", records=2)
        offsets = {("orders", 0): 1, ("orders", 1): 0, ("gone", 0): 5}
        lags = cluster.look(lambda state, _now_ms: lag_of(state, offsets))
    assert lags == {("orders", 0): 2, ("orders", 1): 0}

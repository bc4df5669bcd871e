"""Kinds of random walks, with the brokers and the settings that each needs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tests.conformance.consumer_groups import AT_ONCE
from tests.conformance.replicas import IN_SYNC_FOR_LONG
from tests.conformance.script import Scenario
from tests.conformance.share_groups import AT_ONCE as SHARED_AT_ONCE
from tests.conformance.walks import consumers, mixed_groups, shares, streams
from tests.conformance.walks.configs import walk_configs
from tests.conformance.walks.consumers import walk_consumers
from tests.conformance.walks.log import walk_log, walk_old_formats
from tests.conformance.walks.mixed_groups import UPGRADE_ONLY, walk_mixed_groups
from tests.conformance.walks.replicas import walk_replicas, walk_restarted_replicas
from tests.conformance.walks.shares import ONE_PARTITION_OF_STATES, walk_shares
from tests.conformance.walks.streams import WITH_STANDBY, walk_streams
from tests.conformance.walks.transactions import SOON_ABORTED, walk_timeouts, walk_transactions

MOVED: Final = "moved-"
"""The first part of the names of walks whose coordinators move."""
OF_REPLICAS: Final = frozenset({"replicas", "restarted-replicas"})
"""Walks that control the brokers of a cluster one by one."""
WALKS: Final[Mapping[str, Callable[..., None]]] = {
    "configs": walk_configs,
    "consumers": walk_consumers,
    "log": walk_log,
    "mixed-groups": walk_mixed_groups,
    "moved-consumers": walk_consumers,
    "moved-mixed-groups": walk_mixed_groups,
    "moved-shares": walk_shares,
    "moved-streams": walk_streams,
    "moved-troubled-consumers": partial(walk_consumers, troubled=True),
    "moved-troubled-mixed-groups": partial(walk_mixed_groups, troubled=True),
    "moved-troubled-shares": partial(walk_shares, troubled=True),
    "moved-troubled-streams": partial(walk_streams, troubled=True),
    "old-formats": walk_old_formats,
    "replicas": walk_replicas,
    "restarted-replicas": walk_restarted_replicas,
    "shares": walk_shares,
    "streams": walk_streams,
    "timeouts": walk_timeouts,
    "transactions": walk_transactions,
    "troubled-consumers": partial(walk_consumers, troubled=True),
    "troubled-mixed-groups": partial(walk_mixed_groups, troubled=True),
    "troubled-shares": partial(walk_shares, troubled=True),
    "troubled-streams": partial(walk_streams, troubled=True),
}


SETTINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "consumers": AT_ONCE,
    "mixed-groups": UPGRADE_ONLY,
    "moved-consumers": AT_ONCE,
    "moved-mixed-groups": UPGRADE_ONLY,
    "moved-shares": {**SHARED_AT_ONCE, **ONE_PARTITION_OF_STATES},
    "moved-streams": WITH_STANDBY,
    "moved-troubled-consumers": consumers.TROUBLED,
    "moved-troubled-mixed-groups": mixed_groups.TROUBLED,
    "moved-troubled-shares": shares.TROUBLED,
    "moved-troubled-streams": streams.TROUBLED,
    "replicas": IN_SYNC_FOR_LONG,
    "restarted-replicas": IN_SYNC_FOR_LONG,
    "shares": SHARED_AT_ONCE,
    "streams": WITH_STANDBY,
    "timeouts": SOON_ABORTED,
    "troubled-consumers": consumers.TROUBLED,
    "troubled-mixed-groups": mixed_groups.TROUBLED,
    "troubled-shares": shares.TROUBLED,
    "troubled-streams": streams.TROUBLED,
}
"""Settings of the walks that need some."""


def scenario_of(kind: str, seed: int) -> Scenario:
    """Wrap a walk in a scenario."""
    return Scenario(
        name=f"{kind}-{seed}",
        script=partial(WALKS[kind], seed=seed),
        brokers=3 if kind.startswith(MOVED) or kind in OF_REPLICAS else 1,
        settings=SETTINGS.get(kind, {}),
        listeners=(),
        is_alone=False,
        keeps_internal_topics=True,
        has_authorizer=False,
        is_slow=False,
        presets=(),
        controls_replicas=kind in OF_REPLICAS,
    )

"""Recorded random walks; `tests.conformance.explore` runs any others."""

from collections.abc import Callable
from typing import Final

from tests.conformance.consumer_groups import AT_ONCE
from tests.conformance.releases import CONSUMERS_OF_3_9, EVERYWHERE, defaults_since
from tests.conformance.replicas import IN_SYNC_FOR_LONG
from tests.conformance.scenarios.lagging_replicas import RECORDED
from tests.conformance.script import Script, scenario
from tests.conformance.share_groups import AT_ONCE as SHARED_AT_ONCE
from tests.conformance.talk import Talk
from tests.conformance.walks import consumers, mixed_groups, shares, streams
from tests.conformance.walks.configs import walk_configs
from tests.conformance.walks.consumers import walk_consumers
from tests.conformance.walks.log import walk_log
from tests.conformance.walks.mixed_groups import UPGRADE_ONLY, walk_mixed_groups
from tests.conformance.walks.replicas import walk_replicas
from tests.conformance.walks.shares import ONE_PARTITION_OF_STATES, walk_shares
from tests.conformance.walks.streams import WITH_STANDBY, walk_streams
from tests.conformance.walks.transactions import SOON_ABORTED, walk_timeouts, walk_transactions

SEEDS: Final = range(1, 6)
SEEDS_OF_MOVED: Final = range(1, 4)
"""Fewer seeds of the walks whose coordinators move between three brokers."""
SEEDS_OF_3_9: Final = (900, 901)
"""Seeds of the walk of consumers in which 3.9.1 differs from later releases."""
SEEDS_OF_REPLICAS: Final = (20, 21)
SEEDS_OF_WAITING: Final = range(1, 3)
"""Fewer seeds, because real Kafka takes long."""


def seeded(
    walk: Callable[..., None], seed: int, *, kind: str = "", troubled: bool = False
) -> Script:
    """Register a walk with a seed as a scenario, recorded with the other seeds of the walk."""

    def script(talk: Talk) -> None:
        if troubled:
            walk(talk, seed, troubled=True)
        else:
            walk(talk, seed)

    script.__name__ = f"{walk.__name__.replace('walk_', f'walk_{kind}')}_{seed}"
    script.__module__ = walk.__module__
    return script


for _seed in SEEDS:
    scenario(transactional=True, presets=EVERYWHERE)(seeded(walk_transactions, _seed))
    scenario()(seeded(walk_log, _seed))
    scenario(transactional=True, settings=WITH_STANDBY, presets=("4.4",))(
        seeded(walk_streams, _seed)
    )
    scenario(transactional=True, settings=AT_ONCE, presets=("4.4",))(seeded(walk_consumers, _seed))
    scenario(transactional=True, settings=UPGRADE_ONLY, presets=("4.4",))(
        seeded(walk_mixed_groups, _seed)
    )
    scenario(settings=SHARED_AT_ONCE, presets=("4.4",))(seeded(walk_shares, _seed))

for _seed in SEEDS_OF_MOVED:
    for _walk, _settings in (
        (walk_consumers, AT_ONCE),
        (walk_mixed_groups, UPGRADE_ONLY),
        (walk_shares, {**SHARED_AT_ONCE, **ONE_PARTITION_OF_STATES}),
        (walk_streams, WITH_STANDBY),
    ):
        scenario(brokers=3, transactional=True, settings=_settings, presets=("4.4",))(
            seeded(_walk, _seed, kind="moved_")
        )

for _walk, _settings in (
    (walk_consumers, consumers.TROUBLED),
    (walk_mixed_groups, mixed_groups.TROUBLED),
    (walk_shares, shares.TROUBLED),
    (walk_streams, streams.TROUBLED),
):
    scenario(transactional=True, settings=_settings, presets=("4.4",))(
        seeded(_walk, 1, kind="troubled_", troubled=True)
    )

for _seed in SEEDS_OF_3_9:
    scenario(transactional=True, settings=AT_ONCE, presets=(CONSUMERS_OF_3_9,))(
        seeded(walk_consumers, _seed)
    )

for _seed in SEEDS_OF_REPLICAS:
    scenario(
        brokers=3,
        replicas=True,
        slow=True,
        transactional=True,
        settings=IN_SYNC_FOR_LONG,
        presets=RECORDED,
    )(seeded(walk_replicas, _seed))

for _seed in SEEDS_OF_WAITING:
    scenario(transactional=True, settings=SOON_ABORTED, presets=EVERYWHERE)(
        seeded(walk_timeouts, _seed)
    )
    scenario(presets=defaults_since("3.6"))(seeded(walk_configs, _seed))

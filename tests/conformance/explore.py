"""Run random walks on real Kafka and on mockbroker, and print the differences.

    python -m tests.conformance.explore --kafka 4.4.0 --walk log --seeds 1-20

Needs what `make record` needs. A seed whose answers differ is worth a scenario of its own.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tests.conformance.compare import compare
from tests.conformance.consumer_groups import AT_ONCE
from tests.conformance.record import PORT, RealCluster, clear, cluster, pause, say, sleep
from tests.conformance.releases import RELEASES, Release
from tests.conformance.replicas import IN_SYNC_FOR_LONG
from tests.conformance.script import Scenario
from tests.conformance.share_groups import AT_ONCE as SHARED_AT_ONCE
from tests.conformance.steps import Step
from tests.conformance.talk import STOPPED, Talk
from tests.conformance.test_replay import replay
from tests.conformance.walks import consumers, mixed_groups, shares, streams
from tests.conformance.walks.configs import walk_configs
from tests.conformance.walks.consumers import walk_consumers
from tests.conformance.walks.log import walk_log, walk_old_formats
from tests.conformance.walks.mixed_groups import UPGRADE_ONLY, walk_mixed_groups
from tests.conformance.walks.replicas import walk_replicas, walk_restarted_replicas
from tests.conformance.walks.shares import ONE_PARTITION_OF_STATES, walk_shares
from tests.conformance.walks.streams import WITH_STANDBY, walk_streams
from tests.conformance.walks.transactions import SOON_ABORTED, walk_timeouts, walk_transactions

SHOWN_MAX: Final = 12
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


def recorded(scenario: Scenario, release: Release, real: RealCluster) -> list[Step]:
    """Run a walk on real Kafka; if it fails, return the responses so far."""
    with Talk(
        real.addresses,
        release,
        pause=pause,
        let_time_pass=sleep,
        restart=real.restart,
        replicas=real.replicas,
    ).closing() as talk:
        try:
            scenario.script(talk)
        except AssertionError as failure:
            talk.give_up(failure)
        return talk.steps


def main() -> None:
    """Run the walks with the seeds of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.explore")
    parser.add_argument("--kafka", choices=[each.label for each in RELEASES], default="4.4.0")
    parser.add_argument("--walk", choices=list(WALKS), default="transactions")
    parser.add_argument("--seeds", default="1-10", metavar="FIRST-LAST")
    parser.add_argument("--port", type=int, default=PORT)
    options = parser.parse_args()
    first, _, last = options.seeds.partition("-")
    release = next(each for each in RELEASES if each.label == options.kafka)
    differing = 0
    seeds = range(int(first), int(last or first) + 1)
    with cluster(release, scenario_of(options.walk, seeds[0]), options.port) as real:
        for seed in seeds:
            scenario = scenario_of(options.walk, seed)
            steps = recorded(scenario, release, real)
            if real.replicas is not None:
                real.replicas.restore()
                clear(real.addresses, release, keeps_internal=True)
            found = compare(steps, replay(scenario, release))
            has_stopped = steps[-1].name == STOPPED
            ending = f", but it stopped: {steps[-1].answer}" if has_stopped else ""
            what = f"{len(steps)} steps, {len(found)} differences{ending}"
            say(f"{release.label} seed {seed}: {what}")
            for difference in found[:SHOWN_MAX]:
                say(f"  {difference}")
            differing += bool(found) or has_stopped
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()

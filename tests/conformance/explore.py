"""Run random walks on real Kafka and on mockbroker, and print the differences.

    python -m tests.conformance.explore --kafka 4.4.0 --walk log --seeds 1-20

Needs what `make record` needs. A seed whose answers differ is worth a scenario of its own.
"""

import argparse
import sys
from typing import Final

from tests.conformance.compare import compare
from tests.conformance.record import PORT, RealCluster, clear, cluster, pause, say, sleep
from tests.conformance.releases import RELEASES, Release
from tests.conformance.replay import replay
from tests.conformance.script import Scenario
from tests.conformance.steps import Step
from tests.conformance.talk import STOPPED, Talk
from tests.conformance.walks.kinds import WALKS, scenario_of

SHOWN_MAX: Final = 12


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

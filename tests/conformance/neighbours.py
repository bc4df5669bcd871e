"""Replay the recordings of a release with the options of its neighbours, and count differences.

    python -m tests.conformance.neighbours --kafka 2.5.1
    python -m tests.conformance.neighbours --kafka 2.5.1 --show 5 idempotent_wrap

A line has a scenario and its unexplained differences from real Kafka with the options of the
release before, with its own, and with those of the release after: a scenario with `3 3 0` needs
something of the release after. What changed between the two is listed at the end.
"""

import argparse
import logging
from collections.abc import Iterator
from typing import Any, Final
from unittest.mock import patch

from mockbroker.state.release.admin_refusals import Refusal
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options
from tests.conformance.compare import Difference, compare, judge
from tests.conformance.differences import EXPLAINED
from tests.conformance.record import say
from tests.conformance.recordings import read
from tests.conformance.releases import RELEASES, Release
from tests.conformance.replay import replay
from tests.conformance.script import Scenario, scenarios

_OF_THE_RELEASE: Final = ("release", "api_versions", "unstable_api_versions", "features")
"""Fields of options that are the release's own in any case."""


def neighbours_of(preset: str) -> dict[str, Options]:
    """Return the options before, of and after a release, all with its own versions."""
    place = SUPPORTED_RELEASES.index(preset)
    own = Options.for_release(preset)
    kept: dict[str, Any] = {name: getattr(own, name) for name in _OF_THE_RELEASE}
    others = {"before": max(0, place - 1), "after": min(place + 1, len(SUPPORTED_RELEASES) - 1)}
    found = {
        name: Options.for_release(SUPPORTED_RELEASES[other])._replace(**kept)
        for name, other in others.items()
    }
    return {"before": found["before"], "own": own, "after": found["after"]}


def differences(scenario: Scenario, release: Release, options: Options) -> list[Difference]:
    """Replay a scenario with some options, and return what differs and is not explained."""
    with patch.object(Options, "for_release", staticmethod(lambda *_, **__: options)):
        replayed = replay(scenario, release)
    found = compare(read(scenario, release), replayed)
    return judge(found, EXPLAINED, scenario.name, release.name).unexplained


def fields_of(options: Any, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the dotted names and the values of all options."""
    for name in options._fields:
        value = getattr(options, name)
        if hasattr(value, "_fields") and not isinstance(value, Refusal):
            yield from fields_of(value, f"{prefix}{name}.")
        elif f"{prefix}{name}" not in _OF_THE_RELEASE:
            yield f"{prefix}{name}", value


def main() -> None:
    """Compare the scenarios that the command line names, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.neighbours")
    parser.add_argument("scenarios", nargs="*", help="names; all when there is none")
    parser.add_argument("--kafka", choices=[each.label for each in RELEASES], required=True)
    parser.add_argument("--show", type=int, default=0, help="differences to print, with its own")
    given = parser.parse_args()
    logging.disable()
    release = next(each for each in RELEASES if each.label == given.kafka)
    options = neighbours_of(release.preset)
    for name, scenario in scenarios().items():
        if scenario.applies_to(release) and (not given.scenarios or name in given.scenarios):
            found = {which: differences(scenario, release, each) for which, each in options.items()}
            if any(found.values()):
                say(f"{name:60} " + " ".join(f"{len(each):4}" for each in found.values()))
            for difference in found["own"][: given.show]:
                say(f"    {difference}")
    after = dict(fields_of(options["after"]))
    say("\nOptions that change between the release before and the release after:")
    for name, value in fields_of(options["before"]):
        if value != after[name]:
            say(f"  {name}: {value!r:.60} -> {after[name]!r:.60}")


if __name__ == "__main__":
    main()

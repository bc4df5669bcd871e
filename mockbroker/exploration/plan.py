"""Plan of an exploration: experiments in the order in which they are done."""

import random
from collections.abc import Iterable

from mockbroker.broker.value_matching import fits
from mockbroker.exploration.effects import experiments_at
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.laboratory import Baseline
from mockbroker.exploration.rules import Rules
from mockbroker.exploration.search.coverage import SeenKinds


def planned(baseline: Baseline, rules: Rules, seed: int) -> list[Experiment]:
    """Return the experiments with one fault."""
    found = [
        each
        for call in baseline.calls
        for each in experiments_at(
            call, broker_count=baseline.broker_count, has_authorizer=baseline.has_authorizer
        )
        if is_wanted(each, rules)
    ]
    return ordered(found, seed)


def is_wanted(experiment: Experiment, rules: Rules) -> bool:
    """Return whether an experiment has a name that was asked for."""
    return not rules.only or any(fits(text, experiment.name) for text in rules.only)


def ordered(experiments: Iterable[Experiment], seed: int) -> list[Experiment]:
    """Order experiments: new kinds first, those that wait for timeouts last, else by chance."""
    coverage: SeenKinds[object] = SeenKinds()
    ranked: list[tuple[bool, int, float, Experiment]] = []
    choice = random.Random(seed)
    for experiment in experiments:
        before = coverage.add(experiment.kind)
        ranked.append((experiment.needs_time, before, choice.random(), experiment))
    return [each for *_rank, each in sorted(ranked, key=lambda each: each[:3])]

"""The words of which a rule is made: the same for who reads a rule and for who writes one."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Verb:
    """One word of a rule, as it is called: `hold(until=…)` is `Verb("hold", {"until": …})`.

    Arguments that have their default are left out. Values are texts and numbers: errors by their
    names, lengths of time as `250ms`; only what a call waits for (`until`) may be an event.
    """

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])

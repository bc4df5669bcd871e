"""Features of simulations: what a plan may have or leave out, by its own choice."""

import random
from typing import Final

EDGES: Final = ("old epochs", "high sequences", "full windows", "commits alone", "late commits")
CLIENTS: Final = ("idempotent producers", "transactional producers", "processors", "all readers")
GROUPS: Final = ("classic", "consumer", "streams", "share")
MISHAPS: Final = (
    "fault",
    "elect",
    "move coordinator",
    "hold ending",
    "let time pass",
    "cut",
    "delete records",
    "kill or start",
    "isolate or rejoin",
    "let replicas lag",
    "let broker lag",
    "let replicas differ",
    "elect with less of the log",
    "expire transactional id",
    "refuse appends",
    "lose a window",
    "move share coordinator",
    "expire locks",
)
FEATURES: Final = (*EDGES, *CLIENTS, *GROUPS, *MISHAPS)
SHARES: Final = (0.2, 0.4, 0.6, 0.8)
"""How much of all features a plan may have: some have few, so that these occur often."""


def any_features(choice: random.Random) -> frozenset[str]:
    """Choose a random set of features."""
    share = choice.choice(SHARES)
    return frozenset(each for each in FEATURES if choice.random() < share)

"""Base of the walks of groups: with several brokers, the coordinator moves between the steps."""

from collections.abc import Callable, Mapping
from typing import Final

from tests.conformance.groups import await_group
from tests.conformance.moves import move_coordinator
from tests.conformance.talk import Talk
from tests.conformance.transactions import await_coordinator
from tests.conformance.walks.walking import Walk

MOVES: Final = 0.08
"""The fraction of the steps that are moves, where there are several brokers."""


class GroupWalk(Walk):
    """One walk with a group."""

    def __init__(self, talk: Talk, group: str, seed: int) -> None:
        """Start without steps."""
        super().__init__(talk, seed)
        self.group = group
        self.ways: Mapping[Callable[[], None], float] = {}
        self._moves = len(talk.brokers) > 1

    def await_group(self) -> None:
        """Wait until the group has a coordinator, which is the first broker."""
        if self._moves:
            await_coordinator(self.talk, self.group, 0)
            move_coordinator(self.talk, self.group, 1)
        else:
            await_group(self.talk, self.group)

    def go_on(self) -> None:
        """Run all steps."""
        ways = dict(self.ways)
        if self._moves:
            ways[self.move] = MOVES * sum(ways.values())
        self.go(ways)

    def move(self) -> None:
        """Move the coordinator to any other broker."""
        others = [each for each in self.talk.brokers if each != self.talk.home]
        move_coordinator(self.talk, self.group, self.random.choice(others))

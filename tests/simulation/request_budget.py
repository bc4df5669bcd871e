"""Budget of a request: what it may cost, and what the work may cost that it leaves behind.

Steps are counted and not measured, as function calls: the same seed costs the same again. No
request of a simulation is large, so none may do more work than a small one needs, whatever the
brokers have stored by then.
"""

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Final

from mockbroker.protocol.api_keys import ApiKey

CALLS_MAX: Final = 1_800
"""Function calls of a request, or of one round of pending work."""
OF_GROUPS_MAX: Final = 15_000
"""Function calls of a request that makes a group assign its partitions anew."""
_OF_GROUPS: Final = frozenset(
    {
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        ApiKey.SHARE_ACKNOWLEDGE,
        ApiKey.SHARE_FETCH,
        ApiKey.SHARE_GROUP_HEARTBEAT,
        ApiKey.STREAMS_GROUP_HEARTBEAT,
        None,
    }
)
_FIRST: Final = 20
"""How many requests of an API are not judged: they import and compile what they need."""
_seen: Final[Counter[ApiKey | None]] = Counter()


class RequestBudget:
    """Counts the function calls of each step, in the simulations in which it is on."""

    EVERY: Final = 8
    """One of so many simulations is counted: counting takes twice the time."""

    def __init__(self, *, is_on: bool) -> None:
        self._is_on = is_on

    def keep(self, work: Callable[[], object], api: ApiKey | None = None) -> None:
        """Handle a request, or the work that waits, within the budget."""
        if not self._is_on:
            work()
            return
        count = 0

        def called(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal count
            count += event == "call"

        before = sys.getprofile()
        sys.setprofile(called)
        try:
            work()
        finally:
            sys.setprofile(before)
        _seen[api] += 1
        most = OF_GROUPS_MAX if api in _OF_GROUPS else CALLS_MAX
        what = "pending work" if api is None else f"a request of {api.title}"
        assert count <= most or _seen[api] <= _FIRST, f"{what} takes {count} function calls"

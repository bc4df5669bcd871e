"""Waits for asynchronous work of a real cluster, which it does not report."""

import time
from typing import Final

_A_MOMENT_S: Final = 1.0


def come_to_rest() -> None:
    """Wait until topic configs have reached the brokers, and markers the partitions."""
    time.sleep(_A_MOMENT_S)

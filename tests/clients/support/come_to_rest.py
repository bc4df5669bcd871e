"""Waiting for what a real cluster does a moment later and tells nobody about."""

import time
from typing import Final

_A_MOMENT_S: Final = 1.0


def come_to_rest() -> None:
    """Wait until topic configs have reached the brokers, and markers the partitions."""
    time.sleep(_A_MOMENT_S)

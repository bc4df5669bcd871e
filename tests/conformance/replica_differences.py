"""Explained differences of replicas."""

from typing import Final

from tests.conformance.explained import Explained, Place

OF_REPLICAS: Final[tuple[Explained, ...]] = (
    Explained(
        what="The high watermark when in-sync replicas shrink",
        kafka="2.8 moves it only with the next append or fetch of new records (KAFKA-13091)",
        ours="moves it at once, as 2.4 and 4.4 do",
        reason="A bug of the broker: consumers wait for records that all in-sync replicas have.",
        places=(
            Place(
                "a_leader_whose_followers_lag_is_killed", "2 is out of sync: *", presets=("2.8",)
            ),
            Place("writes_while_replicas_lag", "3 is out of sync: *", presets=("2.8",)),
            Place("writes_while_replicas_lag", "2 lags: 3, acks -1", "*.error_code", ("2.8",)),
            Place("writes_while_replicas_lag", "2 is out of sync: *", presets=("2.8",)),
        ),
    ),
)

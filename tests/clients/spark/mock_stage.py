"""Stage of the scenarios with mockbroker in the place of Kafka."""

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mockbroker import Cluster
from tests.clients.spark.asked import Asking
from tests.clients.spark.damage import DamageByEvents
from tests.clients.spark.stage import Stage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def stage_of(spark: "SparkSession", cluster: Cluster, folder: Path) -> Stage:
    """Return the stage of a cluster; with a journal, it has the requests of clients."""
    return Stage(
        spark=spark,
        bootstrap_servers=cluster.bootstrap_servers,
        folder=folder,
        askings=_askings_of(cluster),
        damage=DamageByEvents(cluster),
        token=secrets.token_hex(4),
    )


def _askings_of(cluster: Cluster) -> Callable[[], list[Asking]]:
    def askings() -> list[Asking]:
        requests = cluster.journal.find(kind="request")
        cluster.journal.clear()
        return [
            Asking(each.client_id or "", each.api.title, each.version or 0)
            for each in requests
            if each.api is not None and each.connection  # from a client
        ]

    return askings

"""Run of one situation with one client against one release."""

from collections import Counter
from typing import cast

from mockbroker import Cluster, Release
from tests.clients.kip_691.scene import A_MONTH, ORDERS, Scene
from tests.clients.kip_691.template import Application
from tests.clients.situations.cell import Cell, Ending
from tests.clients.situations.situation import Situation
from tests.clients.transactors.transactor import TransactorClient

_AFTER_ALL_TIMEOUTS = "20m"


def cell_of(client: TransactorClient, situation: Situation, release: str) -> Cell:
    """Run the application in a situation, and judge what became of its records."""
    with cluster_for(situation, release) as cluster:
        for order in ORDERS:
            cluster.append("orders", order)
        scene = Scene(bootstrap_servers=cluster.bootstrap_servers, running=cluster)
        outcome = Application(client, scene, situation).run()
        return Cell(
            verdict=outcome.verdict,
            answered=outcome.answered,
            raised=outcome.raised,
            ending=_ending(scene, is_transactional=situation.setup.is_transactional),
            findings=tuple(
                sorted({rule for finding in cluster.audit().findings for rule in finding.rules})
            ),
        )


def cluster_for(situation: Situation, release: str) -> Cluster:
    """Return a cluster for a situation, not started yet."""
    return Cluster(
        brokers=situation.brokers,
        kafka=cast("Release", release),
        topics={"orders": 1, "invoices": 1},
        config={**A_MONTH, "auto.create.topics.enable": "false"},
        journal=True,
    )


def _ending(scene: Scene, *, is_transactional: bool) -> Ending:
    cluster = scene.cluster
    cluster.clock.advance(_AFTER_ALL_TIMEOUTS)
    partition = cluster.partition(scene.topic, 0)
    is_hanging = partition.last_stable_offset < partition.log_end_offset
    records = cluster.records(
        scene.topic, isolation="read_uncommitted" if is_hanging else "read_committed"
    )
    billed = Counter((record.value or b"").decode() for record in records)
    return Ending(
        lost=sum(billed[order] == 0 for order in scene.expected),
        duplicated=0 if is_hanging else sum(billed[order] > 1 for order in scene.expected),
        is_hanging=is_hanging,
        has_wrong_offset=is_transactional and scene.position() != len(ORDERS),
    )

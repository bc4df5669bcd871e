"""Run of one row of the table with one client."""

from tests.clients.kip_691.row import Row
from tests.clients.kip_691.scene import Scene, cluster_for
from tests.clients.kip_691.template import Application, Outcome
from tests.clients.transactors.transactor import TransactorClient


def outcome_of(client: TransactorClient, row: Row) -> Outcome:
    """Run the application, and return its outcome."""
    with cluster_for(row) as cluster:
        scene = Scene(bootstrap_servers=cluster.bootstrap_servers, running=cluster)
        if row.topic is not None:
            scene.position()  # internal topics are created when the first group asks
        return Application(client, scene, row).run()

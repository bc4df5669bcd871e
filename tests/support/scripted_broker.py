"""Clusters as the recorded ones, for `mockbroker diff`, and the names on a cluster."""

from collections.abc import Generator
from contextlib import contextmanager

from mockbroker import Cluster
from mockbroker.diff.survey import Names, all_names, asking, survey
from tests.conformance.replay import AS_PATIENT, addresses_of
from tests.conformance.script import EVERY_CLUSTER


@contextmanager
def recorded_cluster(**config: str) -> Generator[Cluster]:
    """Run a cluster with the configs of the recorded ones."""
    with Cluster(config={**EVERY_CLUSTER, **AS_PATIENT, **config}) as cluster:
        yield cluster


def names_on(cluster: Cluster) -> Names:
    """Return the topics, groups and transactions of a cluster."""
    (address,) = addresses_of(cluster)
    with asking(survey(address, 5), 5) as asker:
        return all_names(asker)

"""APIs, their versions and features that each release of Kafka advertises.

The table was read from the ApiVersions response of a default broker of each release, on its client
listener. Only `options.py` reads it: a release is a preset, never compared elsewhere.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey

_ABSENT: Final = "-"

_ADVERTISED: Final = """
API                                       0.11 1.0 1.1 2.3  2.4  2.5  2.8  3.6  3.9  4.3  4.4
PRODUCE                                   0-3  0-5 0-5 0-7  0-8  0-8  0-9  0-9  0-11 0-13 0-13
FETCH                                     0-5  0-6 0-7 0-11 0-11 0-11 0-12 0-15 0-17 4-18 4-18
LIST_OFFSETS                              0-2  0-2 0-2 0-5  0-5  0-5  0-6  0-8  0-9  1-11 1-11
METADATA                                  0-4  0-5 0-5 0-8  0-9  0-9  0-11 0-12 0-12 0-13 0-13
LEADER_AND_ISR                            0-0  0-1 0-1 0-2  0-4  0-4  0-5  -    -    -    -
STOP_REPLICA                              0-0  0-0 0-0 0-1  0-2  0-2  0-3  -    -    -    -
UPDATE_METADATA                           0-3  0-4 0-4 0-5  0-6  0-6  0-7  -    -    -    -
CONTROLLED_SHUTDOWN                       1-1  0-1 0-1 0-2  0-3  0-3  0-3  -    -    -    -
OFFSET_COMMIT                             0-3  0-3 0-3 0-7  0-8  0-8  0-8  0-8  0-9  2-10 2-10
OFFSET_FETCH                              0-3  0-3 0-3 0-5  0-6  0-7  0-7  0-8  0-9  1-10 1-10
FIND_COORDINATOR                          0-1  0-1 0-1 0-2  0-3  0-3  0-3  0-4  0-6  0-6  0-6
JOIN_GROUP                                0-2  0-2 0-2 0-5  0-6  0-7  0-7  0-9  0-9  0-9  0-9
HEARTBEAT                                 0-1  0-1 0-1 0-3  0-4  0-4  0-4  0-4  0-4  0-4  0-4
LEAVE_GROUP                               0-1  0-1 0-1 0-2  0-4  0-4  0-4  0-5  0-5  0-5  0-5
SYNC_GROUP                                0-1  0-1 0-1 0-3  0-4  0-5  0-5  0-5  0-5  0-5  0-5
DESCRIBE_GROUPS                           0-1  0-1 0-1 0-3  0-5  0-5  0-5  0-5  0-5  0-6  0-6
LIST_GROUPS                               0-1  0-1 0-1 0-2  0-3  0-3  0-4  0-4  0-5  0-5  0-5
SASL_HANDSHAKE                            0-0  0-1 0-1 0-1  0-1  0-1  0-1  0-1  0-1  0-1  0-1
API_VERSIONS                              0-1  0-1 0-1 0-2  0-3  0-3  0-3  0-3  0-4  0-4  0-5
CREATE_TOPICS                             0-2  0-2 0-2 0-3  0-5  0-5  0-7  0-7  0-7  2-7  2-7
DELETE_TOPICS                             0-1  0-1 0-1 0-3  0-4  0-4  0-6  0-6  0-6  1-6  1-6
DELETE_RECORDS                            0-0  0-0 0-0 0-1  0-1  0-1  0-2  0-2  0-2  0-2  0-2
INIT_PRODUCER_ID                          0-0  0-0 0-0 0-1  0-2  0-3  0-4  0-4  0-5  0-5  0-5
OFFSET_FOR_LEADER_EPOCH                   0-0  0-0 0-0 0-3  0-3  0-3  0-4  0-4  0-4  2-4  2-4
ADD_PARTITIONS_TO_TXN                     0-0  0-0 0-0 0-1  0-1  0-1  0-3  0-4  0-5  0-5  0-5
ADD_OFFSETS_TO_TXN                        0-0  0-0 0-0 0-1  0-1  0-1  0-3  0-3  0-4  0-4  0-4
END_TXN                                   0-0  0-0 0-0 0-1  0-1  0-1  0-3  0-3  0-4  0-5  0-5
WRITE_TXN_MARKERS                         0-0  0-0 0-0 0-0  0-0  0-0  0-1  0-1  0-1  1-2  1-2
TXN_OFFSET_COMMIT                         0-0  0-0 0-0 0-2  0-2  0-3  0-3  0-3  0-4  0-5  0-6
DESCRIBE_ACLS                             0-0  0-0 0-0 0-1  0-1  0-2  0-2  0-3  0-3  1-3  1-3
CREATE_ACLS                               0-0  0-0 0-0 0-1  0-1  0-2  0-2  0-3  0-3  1-3  1-3
DELETE_ACLS                               0-0  0-0 0-0 0-1  0-1  0-2  0-2  0-3  0-3  1-3  1-3
DESCRIBE_CONFIGS                          0-0  0-0 0-1 0-2  0-2  0-2  0-4  0-4  0-4  1-4  1-4
ALTER_CONFIGS                             0-0  0-0 0-0 0-1  0-1  0-1  0-2  0-2  0-2  0-2  0-2
ALTER_REPLICA_LOG_DIRS                    -    0-0 0-0 0-1  0-1  0-1  0-2  0-2  0-2  1-2  1-2
DESCRIBE_LOG_DIRS                         -    0-0 0-0 0-1  0-1  0-1  0-2  0-4  0-4  1-5  1-5
SASL_AUTHENTICATE                         -    0-0 0-0 0-1  0-1  0-2  0-2  0-2  0-2  0-2  0-2
CREATE_PARTITIONS                         -    0-0 0-0 0-1  0-1  0-2  0-3  0-3  0-3  0-3  0-3
CREATE_DELEGATION_TOKEN                   -    -   0-0 0-1  0-2  0-2  0-2  0-3  0-3  1-3  1-3
RENEW_DELEGATION_TOKEN                    -    -   0-0 0-1  0-1  0-2  0-2  0-2  0-2  1-2  1-2
EXPIRE_DELEGATION_TOKEN                   -    -   0-0 0-1  0-1  0-2  0-2  0-2  0-2  1-2  1-2
DESCRIBE_DELEGATION_TOKEN                 -    -   0-0 0-1  0-1  0-2  0-2  0-3  0-3  1-3  1-3
DELETE_GROUPS                             -    -   0-0 0-1  0-2  0-2  0-2  0-2  0-2  0-2  0-3
ELECT_LEADERS                             -    -   -   0-0  0-2  0-2  0-2  0-2  0-2  0-2  0-2
INCREMENTAL_ALTER_CONFIGS                 -    -   -   0-0  0-1  0-1  0-1  0-1  0-1  0-1  0-1
ALTER_PARTITION_REASSIGNMENTS             -    -   -   -    0-0  0-0  0-0  0-0  0-0  0-1  0-1
LIST_PARTITION_REASSIGNMENTS              -    -   -   -    0-0  0-0  0-0  0-0  0-0  0-0  0-0
OFFSET_DELETE                             -    -   -   -    0-0  0-0  0-0  0-0  0-0  0-0  0-0
DESCRIBE_CLIENT_QUOTAS                    -    -   -   -    -    -    0-1  0-1  0-1  0-1  0-1
ALTER_CLIENT_QUOTAS                       -    -   -   -    -    -    0-1  0-1  0-1  0-1  0-1
DESCRIBE_USER_SCRAM_CREDENTIALS           -    -   -   -    -    -    0-0  0-0  0-0  0-0  0-0
ALTER_USER_SCRAM_CREDENTIALS              -    -   -   -    -    -    0-0  0-0  0-0  0-0  0-0
DESCRIBE_QUORUM                           -    -   -   -    -    -    -    0-1  0-2  0-2  0-2
ALTER_PARTITION                           -    -   -   -    -    -    0-0  -    -    -    -
UPDATE_FEATURES                           -    -   -   -    -    -    0-0  0-1  0-1  0-2  0-2
DESCRIBE_CLUSTER                          -    -   -   -    -    -    0-0  0-0  0-1  0-2  0-2
DESCRIBE_PRODUCERS                        -    -   -   -    -    -    0-0  0-0  0-0  0-0  0-0
UNREGISTER_BROKER                         -    -   -   -    -    -    -    0-0  0-0  0-0  0-0
DESCRIBE_TRANSACTIONS                     -    -   -   -    -    -    -    0-0  0-0  0-0  0-0
LIST_TRANSACTIONS                         -    -   -   -    -    -    -    0-0  0-1  0-2  0-2
CONSUMER_GROUP_HEARTBEAT                  -    -   -   -    -    -    -    -    0-0  0-1  0-1
CONSUMER_GROUP_DESCRIBE                   -    -   -   -    -    -    -    -    0-0  0-1  0-1
LIST_CONFIG_RESOURCES                     -    -   -   -    -    -    -    -    0-0  0-1  0-1
DESCRIBE_TOPIC_PARTITIONS                 -    -   -   -    -    -    -    -    0-0  0-0  0-0
SHARE_GROUP_HEARTBEAT                     -    -   -   -    -    -    -    -    -    1-1  1-1
SHARE_GROUP_DESCRIBE                      -    -   -   -    -    -    -    -    -    1-1  1-1
SHARE_FETCH                               -    -   -   -    -    -    -    -    -    1-2  1-2
SHARE_ACKNOWLEDGE                         -    -   -   -    -    -    -    -    -    1-2  1-2
ADD_RAFT_VOTER                            -    -   -   -    -    -    -    -    0-0  0-1  0-1
REMOVE_RAFT_VOTER                         -    -   -   -    -    -    -    -    0-0  0-0  0-0
INITIALIZE_SHARE_GROUP_STATE              -    -   -   -    -    -    -    -    -    0-0  0-0
READ_SHARE_GROUP_STATE                    -    -   -   -    -    -    -    -    -    0-0  0-0
WRITE_SHARE_GROUP_STATE                   -    -   -   -    -    -    -    -    -    0-1  0-1
DELETE_SHARE_GROUP_STATE                  -    -   -   -    -    -    -    -    -    0-0  0-0
READ_SHARE_GROUP_STATE_SUMMARY            -    -   -   -    -    -    -    -    -    0-1  0-1
STREAMS_GROUP_HEARTBEAT                   -    -   -   -    -    -    -    -    -    0-0  0-1
STREAMS_GROUP_DESCRIBE                    -    -   -   -    -    -    -    -    -    0-0  0-1
DESCRIBE_SHARE_GROUP_OFFSETS              -    -   -   -    -    -    -    -    -    0-1  0-1
ALTER_SHARE_GROUP_OFFSETS                 -    -   -   -    -    -    -    -    -    0-0  0-0
DELETE_SHARE_GROUP_OFFSETS                -    -   -   -    -    -    -    -    -    0-0  0-0
STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE -    -   -   -    -    -    -    -    -    -    0-0
UNREGISTER_CONTROLLER                     -    -   -   -    -    -    -    -    -    -    0-0
"""


_UNSTABLE: Final[Mapping[str, Mapping[ApiKey, range]]] = {
    "4.3": {ApiKey.INIT_PRODUCER_ID: range(7)},
    "4.4": {ApiKey.INIT_PRODUCER_ID: range(7)},
}
"""Versions advertised with `unstable.api.versions.enable` (KIP-939's InitProducerId)."""


class Feature(NamedTuple):
    """A feature of a cluster with numbered levels, such as transaction.version (KIP-584)."""

    name: str
    min_version: int
    max_version: int
    finalized_level: int
    """The enabled level; 0 means that the feature is off."""

    @property
    def highest_served(self) -> int:
        """The highest level that mockbroker supports; Kafka may have more."""
        return 0 if self.name in _STAYS_OFF else self.max_version

    @property
    def as_served(self) -> "Feature":
        """The feature at the initial level of a cluster in mockbroker."""
        return self._replace(finalized_level=min(self.finalized_level, self.highest_served))


_STAYS_OFF: Final = frozenset({"kraft.version"})
"""Features of unsupported protocols (docs/decisions/0011), and of dynamic voters."""

# kraft.version is never among the finalized features: it is no part of the cluster's metadata.
_FEATURES: Final[Mapping[str, Mapping[str, tuple[int, int, int]]]] = {
    "3.6": {
        "metadata.version": (1, 14, 14),
    },
    "3.9": {
        "kraft.version": (0, 1, 0),
        "metadata.version": (1, 21, 21),
    },
    "4.3": {
        "group.version": (0, 1, 1),
        "kraft.version": (0, 1, 0),
        "metadata.version": (7, 30, 30),
        "share.version": (0, 1, 1),
        "streams.version": (0, 1, 1),
        "transaction.version": (0, 2, 2),
        "eligible.leader.replicas.version": (0, 1, 1),
    },
    "4.4": {
        "group.version": (0, 1, 1),
        "kraft.version": (0, 1, 0),
        "metadata.version": (7, 33, 33),
        "share.version": (0, 2, 2),
        "streams.version": (0, 1, 1),
        "transaction.version": (0, 2, 2),
        "eligible.leader.replicas.version": (0, 1, 1),
    },
}


@cache
def known_releases() -> tuple[str, ...]:
    """Return the releases of the table, oldest first, such as `2.4`."""
    return tuple(_ADVERTISED.split("\n", 2)[1].split()[1:])


@cache
def advertised_versions(release: str) -> Mapping[ApiKey, range]:
    """Return the versions of each API that a release of the table advertises."""
    column = known_releases().index(release) + 1
    versions: dict[ApiKey, range] = {}
    for row in _ADVERTISED.strip().split("\n")[1:]:
        cells = row.split()
        if cells[column] != _ABSENT:
            oldest, newest = cells[column].split("-")
            versions[ApiKey[cells[0]]] = range(int(oldest), int(newest) + 1)
    return versions


def unstable_versions(release: str) -> Mapping[ApiKey, range]:
    """Return the versions of the APIs that have more when the unstable ones are enabled."""
    return _UNSTABLE.get(release, {})


def features(release: str) -> tuple[Feature, ...]:
    """Return the features that a release of the table supports, in the order of its response."""
    return tuple(
        Feature(
            name=name, min_version=min_version, max_version=max_version, finalized_level=finalized
        )
        for name, (min_version, max_version, finalized) in _FEATURES.get(release, {}).items()
    )

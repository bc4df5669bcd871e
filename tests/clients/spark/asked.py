"""Requests of clients to a cluster: APIs and their versions, by the client's role.

A proxy records them in front of real Kafka, and the journal has them for mockbroker. The number of
requests depends on timing; their APIs, versions and roles do not.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias


class Asking(NamedTuple):
    """One request, by its header."""

    client_id: str
    api: str
    version: int


Asked: TypeAlias = Mapping[str, Mapping[str, list[int]]]
"""Versions by API by role."""

_OURS: Final = frozenset({"rdkafka", "mockbroker-wire"})
"""Clients with which a scenario prepares its input, or checks its result."""

_BY_TIME: Final = frozenset({"Heartbeat"})
"""Requests that are only sent if the scenario takes long enough."""

_ROLES: Final = (
    (r"consumer-.*executor-\d+", "consumer on an executor"),
    (r"consumer-.*", "consumer on the driver"),
    (r"adminclient-\d+", "admin client"),
    (r"sink-.*", "Spark's producer"),
    (r"task-.*", "a task's own producer"),
)


def role_of(client_id: str) -> str:
    """Return the role of a client in Spark.

    Raises: AssertionError when that is not known.
    """
    for pattern, role in _ROLES:
        if re.fullmatch(pattern, client_id):
            return role
    raise AssertionError(f"client id {client_id!r}: what is its role?")


def asked_by_role(askings: Iterable[Asking], *, but: Collection[str] = ()) -> Asked:
    """Return the requests of all clients, except the test's own and those with these ids."""
    asked: dict[str, dict[str, set[int]]] = {}
    for asking in askings:
        if (
            asking.client_id not in _OURS
            and asking.client_id not in but
            and asking.api not in _BY_TIME
        ):
            apis = asked.setdefault(role_of(asking.client_id), {})
            apis.setdefault(asking.api, set()).add(asking.version)
    return {
        role: {api: sorted(versions) for api, versions in sorted(apis.items())}
        for role, apis in sorted(asked.items())
    }

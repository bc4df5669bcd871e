"""Requests of clients to a cluster: APIs and their versions, by the client's role.

A recording proxy hears it in front of real Kafka, the journal has it of mockbroker. How often
something is asked depends on time; that it is asked, in which version, and by whom, does not.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias


class Asking(NamedTuple):
    """One request, as its header tells it."""

    client_id: str
    api: str
    version: int


Asked: TypeAlias = Mapping[str, Mapping[str, list[int]]]
"""Versions by API by role."""

_OURS: Final = frozenset({"rdkafka", "mockbroker-wire"})
"""Clients by which a scenario prepares something, or looks at what has become of it."""

_BY_TIME: Final = frozenset({"Heartbeat"})
"""What is asked only if things take long enough."""

_ROLES: Final = (
    (r"consumer-.*executor-\d+", "consumer on an executor"),
    (r"consumer-.*", "consumer on the driver"),
    (r"adminclient-\d+", "admin client"),
    (r"sink-.*", "Spark's producer"),
    (r"task-.*", "a task's own producer"),
)


def role_of(client_id: str) -> str:
    """Return what a client does for Spark.

    Raises: AssertionError when that is not known.
    """
    for pattern, role in _ROLES:
        if re.fullmatch(pattern, client_id):
            return role
    raise AssertionError(f"client id {client_id!r}: what is its role?")


def asked_by_role(askings: Iterable[Asking], *, but: Collection[str] = ()) -> Asked:
    """Return what was asked by others than ourselves, and than the clients with these ids."""
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

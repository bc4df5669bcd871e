"""Handle of client quotas: sets, removes and lists them."""

from typing import Final

from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.state.client.client_quotas import DescribedQuotas, QuotaAlteration
from mockbroker.state.client.quota_entity import CLIENT_ID, USER

DEFAULT: Final = "<default>"
"""Name of all users or client ids without a quota of their own, as in Kafka's tools."""


class QuotasHandle:
    """The quotas of users and client ids; a change applies to the next request."""

    def __init__(self, control: ClusterControl) -> None:
        """Take the cluster's control."""
        self._control = control

    def all(self) -> list[DescribedQuotas]:
        """Return the entities that have quotas, the oldest first."""
        return self._control.read(lambda cluster, _now_ms: cluster.clients.quotas.all)

    @action
    def set(
        self,
        quota: str,
        value: float | None,
        *,
        user: str | None = None,
        client_id: str | None = None,
    ) -> None:
        """Set a quota of a user, a client id or both, or remove it with None.

        `quota` is Kafka's name: `producer_byte_rate` and `consumer_byte_rate` in bytes a second,
        `request_percentage` in percent of a thread. `<default>` is the name of all others.

        Raises:
            ApiError: INVALID_REQUEST, Kafka has no such quota, or refuses the value.
            ValueError: neither a user nor a client id is given.

        """
        named = ((USER, user), (CLIENT_ID, client_id))
        entity = {kind: None if name == DEFAULT else name for kind, name in named if name}
        if not entity:
            raise ValueError("name a user or a client_id; <default> stands for all others")
        alteration = QuotaAlteration(entity, [(quota, value)])
        (altered,) = self._control.change(
            lambda cluster, _now_ms: cluster.clients.quotas.alter([alteration], validate_only=False)
        )
        if altered.refusal is not None:
            raise altered.refusal

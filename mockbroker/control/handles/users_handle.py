"""Handle of the users who authenticate by SASL: their SCRAM credentials, and their sessions."""

from hashlib import pbkdf2_hmac
from secrets import token_bytes
from typing import Final, NamedTuple

from mockbroker.broker.service import Service
from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.state.client.scram_credential import (
    FEWEST_ITERATIONS,
    CredentialChange,
    CredentialKey,
    ScramCredential,
    ScramMechanism,
)
from mockbroker.state.security.sasl.scram_server import HASHES, MECHANISM_NAMES

SALT_BYTES: Final = 16
_MECHANISMS: Final = {name: mechanism for mechanism, name in MECHANISM_NAMES.items()}
_ALL: Final = tuple(_MECHANISMS)


class ScramUser(NamedTuple):
    """A user with one SCRAM credential."""

    user: str
    mechanism: str
    iterations: int


class UsersHandle:
    """The users of a cluster; a change applies to the next authentication.

    As in Kafka, connections that have authenticated go on until their session expires.
    """

    def __init__(self, control: ClusterControl) -> None:
        """Take the cluster's control."""
        self._control = control

    def all(self) -> list[ScramUser]:
        """Return all SCRAM credentials, by user and mechanism."""
        return self._control.read(
            lambda cluster, _now_ms: [
                ScramUser(each.user, MECHANISM_NAMES[ScramMechanism(mechanism)], iterations)
                for each in cluster.clients.credentials.describe(None)
                for mechanism, iterations in sorted(each.iterations.items())
            ]
        )

    @action
    def add(
        self,
        user: str,
        password: str,
        *,
        mechanism: str | None = None,
        iterations: int = FEWEST_ITERATIONS,
    ) -> None:
        """Set a user's SCRAM credential, for one mechanism or for both.

        Raises:
            ApiError: UNACCEPTABLE_CREDENTIAL, for a user without a name or a number of iterations
                that Kafka refuses.
            ValueError: there is no such mechanism; the users of PLAIN are in `sasl.jaas.config`.

        """
        for each in _chosen(mechanism):
            salt = token_bytes(SALT_BYTES)
            salted = pbkdf2_hmac(HASHES[each], password.encode(), salt, max(iterations, 1))
            self._alter(CredentialKey(user, each), ScramCredential(iterations, salt, salted))

    @action
    def remove(self, user: str, *, mechanism: str | None = None) -> None:
        """Delete a user's SCRAM credentials, or that for one mechanism.

        Raises:
            ApiError: RESOURCE_NOT_FOUND, the user has no such credential.
            ValueError: there is no such mechanism.

        """
        own = {each.mechanism for each in self.all() if each.user == user}
        for each in _chosen(mechanism):
            if mechanism is not None or not own or MECHANISM_NAMES[each] in own:
                self._alter(CredentialKey(user, each), None)

    @action
    def expire_sessions(self, user: str | None = None) -> int:
        """End the sessions of a user, or of all, and return how many there were.

        As after `connections.max.reauth.ms`, a client that does not authenticate again loses its
        connection at its next request.
        """

        def expire(service: Service) -> int:
            wanted = None if user is None else f"User:{user}"
            return sum(
                connection.request_path.expire_session(service.now_ms)
                for connection in service.connections
                if wanted is None or connection.request_path.principal == wanted
            )

        return self._control.change_service(expire)

    def _alter(self, key: CredentialKey, credential: ScramCredential | None) -> None:
        change = [CredentialChange(key, credential)]
        (altered,) = self._control.change(
            lambda cluster, _now_ms: list(cluster.clients.credentials.alter(change))
        )
        if altered.refusal is not None:
            raise altered.refusal


def _chosen(name: str | None) -> list[ScramMechanism]:
    if name is None:
        return list(MECHANISM_NAMES)
    mechanism = _MECHANISMS.get(name.upper())
    if mechanism is None:
        why = "; the users of PLAIN are in sasl.jaas.config" if name.upper() == "PLAIN" else ""
        raise ValueError(f"no SCRAM mechanism is named {name}; there are {', '.join(_ALL)}{why}")
    return [mechanism]

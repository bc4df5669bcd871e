"""Mechanisms of a listener by its configs, and the credentials that they check."""

from collections.abc import Callable, Mapping
from functools import partial
from secrets import token_urlsafe
from typing import Final, cast

from mockbroker.broker.authentication.authentication_config import ListenerConfigs, failure_delay_ms
from mockbroker.broker.authentication.bearer_tokens import BearerTokens, OpenKeys
from mockbroker.broker.authentication.sasl_gate import SaslGate
from mockbroker.errors import SettingsError
from mockbroker.state.client.scram_credential import CredentialKey, ScramMechanism
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.definition import listener_prefix
from mockbroker.state.security.sasl.jaas_config import (
    JaasConfigError,
    LoginModule,
    parse_jaas_config,
)
from mockbroker.state.security.sasl.mechanism import SaslServer
from mockbroker.state.security.sasl.oauthbearer_server import (
    OAUTHBEARER,
    OAuthBearerServer,
    ValidateToken,
)
from mockbroker.state.security.sasl.plain_server import PLAIN, PlainServer
from mockbroker.state.security.sasl.sasl_exchange import SaslSettings
from mockbroker.state.security.sasl.scram_server import MECHANISM_NAMES, ScramServer

ENABLED: Final = "sasl.enabled.mechanisms"
JAAS: Final = "sasl.jaas.config"
SESSION: Final = "connections.max.reauth.ms"
NONCE_BYTES: Final = 18
RECEIVE_MAX_BYTES: Final = 512 * 1024
"""Greatest size of a request before the authentication, where no config sets it."""
_RECEIVE_MAX: Final = "sasl.server.max.receive.size"

_SCRAM: Final = {name: mechanism for mechanism, name in MECHANISM_NAMES.items()}
SUPPORTED: Final = (PLAIN, *_SCRAM, OAUTHBEARER)


class SaslGates:
    """Gates for the connections of a cluster's listeners with SASL."""

    def __init__(self, open_keys: OpenKeys) -> None:
        """Begin without keys for tokens; `open_keys` finds them."""
        self.tokens: Final = BearerTokens(open_keys)

    def new(self, cluster: ClusterState, listener: str, broker_id: int) -> SaslGate:
        """Begin the authentication of a connection, by the configs of the moment.

        Raises:
            SettingsError: a mechanism is not supported, or a config of it is not valid.

        """
        configs = cluster.configs
        receive_max_bytes = RECEIVE_MAX_BYTES
        if _RECEIVE_MAX in configs.broker_definitions:
            receive_max_bytes = configs.broker_integer(_RECEIVE_MAX, broker_id)
        settings = ListenerSasl(cluster, listener, broker_id, self.tokens).settings()
        return SaslGate(settings, failure_delay_ms(configs, broker_id), receive_max_bytes)


class ListenerSasl:
    """SASL of one listener."""

    def __init__(
        self, cluster: ClusterState, listener: str, broker_id: int, tokens: BearerTokens
    ) -> None:
        """Take the cluster, which has the configs and the users."""
        self._cluster: Final = cluster
        self._configs: Final = ListenerConfigs(cluster.configs, listener, broker_id)
        self._tokens: Final = tokens

    def settings(self) -> SaslSettings:
        """Read the configs, which clients may have changed.

        Raises:
            SettingsError: a mechanism is not supported, or a JAAS configuration is invalid.

        """
        enabled = self._enabled()
        return SaslSettings(
            servers={mechanism: self._server(mechanism) for mechanism in enabled},
            session_max_ms={mechanism: self._session_max_ms(mechanism) for mechanism in enabled},
        )

    def _server(self, mechanism: str) -> Callable[[], SaslServer]:
        if mechanism == PLAIN:
            module = self._login_module(mechanism)
            return partial(PlainServer, {} if module is None else module.passwords)
        if mechanism in _SCRAM:
            self._login_module(mechanism)  # checked, as in Kafka; its user is the broker's own
            return partial(_scram_server, _SCRAM[mechanism], self._cluster)
        if mechanism == OAUTHBEARER:
            return partial(OAuthBearerServer, self._token_validator())
        raise SettingsError(
            ENABLED,
            ",".join(self._enabled()),
            f"{mechanism} is not supported; supported are {', '.join(SUPPORTED)}",
        )

    def _token_validator(self) -> ValidateToken:
        def options() -> Mapping[str, str]:
            module = self._login_module(OAUTHBEARER)
            return {} if module is None else module.options

        try:
            return self._tokens.validator(self._cluster, self._configs, options)
        except SettingsError:
            raise
        except ValueError as error:
            raise SettingsError(JAAS, "(hidden)", str(error)) from None

    def _enabled(self) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self._configs.value(ENABLED))

    def _login_module(self, mechanism: str) -> LoginModule | None:
        text = self._configs.own(JAAS, mechanism)
        if text is None:
            return None
        try:
            return parse_jaas_config(str(text))
        except JaasConfigError as error:
            key = f"{listener_prefix(self._configs.listener)}{mechanism.lower()}.{JAAS}"
            raise SettingsError(key, "(hidden)", str(error)) from None

    def _session_max_ms(self, mechanism: str) -> int:
        if SESSION not in self._cluster.configs.broker_definitions:
            return 0
        return int(cast("int", self._configs.value(SESSION, mechanism)))


def _scram_server(mechanism: ScramMechanism, cluster: ClusterState) -> ScramServer:
    return ScramServer(
        mechanism,
        lambda user: cluster.clients.credentials.find(CredentialKey(user, mechanism)),
        lambda: token_urlsafe(NONCE_BYTES),
        nonce_check=cluster.options.security.scram_nonce_check,
    )

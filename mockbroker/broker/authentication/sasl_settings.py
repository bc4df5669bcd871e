"""Mechanisms of a listener by its configs, and the credentials that they check."""

from collections.abc import Callable
from functools import partial
from secrets import token_urlsafe
from typing import Final, cast

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
from mockbroker.state.security.sasl.unsecured_token import UnsecuredTokens

ENABLED: Final = "sasl.enabled.mechanisms"
JAAS: Final = "sasl.jaas.config"
HANDLER: Final = "sasl.server.callback.handler.class"
SESSION: Final = "connections.max.reauth.ms"
NONCE_BYTES: Final = 18
RECEIVE_MAX_BYTES: Final = 512 * 1024
"""Greatest size of a request before the authentication, where no config sets it."""
_UNSECURED: Final = "OAuthBearerUnsecuredValidatorCallbackHandler"
_DELAY: Final = "connection.failed.authentication.delay.ms"
_RECEIVE_MAX: Final = "sasl.server.max.receive.size"

_SCRAM: Final = {name: mechanism for mechanism, name in MECHANISM_NAMES.items()}
SUPPORTED: Final = (PLAIN, *_SCRAM, OAUTHBEARER)


def new_gate(cluster: ClusterState, listener: str, broker_id: int) -> SaslGate:
    """Begin the authentication of a connection, by the configs of the moment.

    Raises:
        SettingsError: a mechanism is not supported, or a JAAS configuration is invalid.

    """
    configs = cluster.configs
    delay_ms = 0
    if _DELAY in configs.broker_definitions:
        delay_ms = configs.broker_integer(_DELAY, broker_id)
    receive_max_bytes = RECEIVE_MAX_BYTES
    if _RECEIVE_MAX in configs.broker_definitions:
        receive_max_bytes = configs.broker_integer(_RECEIVE_MAX, broker_id)
    settings = ListenerSasl(cluster, listener, broker_id).settings()
    return SaslGate(settings, delay_ms, receive_max_bytes)


class ListenerSasl:
    """SASL of one listener."""

    def __init__(self, cluster: ClusterState, listener: str, broker_id: int) -> None:
        """Take the cluster, which has the configs and the users."""
        self._cluster = cluster
        self._listener = listener
        self._broker_id = broker_id

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
        handler = self._own_value(HANDLER, OAUTHBEARER)
        if handler is not None and not str(handler).endswith(f".{_UNSECURED}"):
            raise SettingsError(HANDLER, str(handler), f"supported is {_UNSECURED}")
        module = self._login_module(OAUTHBEARER)
        try:
            tokens = UnsecuredTokens.of_options({} if module is None else module.options)
        except ValueError as error:
            raise SettingsError(JAAS, "(hidden)", str(error)) from None
        return tokens.validate

    def _enabled(self) -> tuple[str, ...]:
        value = self._cluster.configs.listener_value(ENABLED, self._listener, self._broker_id)
        return cast("tuple[str, ...]", value)

    def _login_module(self, mechanism: str) -> LoginModule | None:
        text = self._own_value(JAAS, mechanism)
        if text is None:
            return None
        try:
            return parse_jaas_config(str(text))
        except JaasConfigError as error:
            key = f"{listener_prefix(self._listener)}{mechanism.lower()}.{JAAS}"
            raise SettingsError(key, "(hidden)", str(error)) from None

    def _session_max_ms(self, mechanism: str) -> int:
        if SESSION not in self._cluster.configs.broker_definitions:
            return 0
        value = self._own_value(SESSION, mechanism)
        if value is None:
            configs = self._cluster.configs
            value = configs.listener_value(SESSION, self._listener, self._broker_id)
        return int(cast("int", value))

    def _own_value(self, name: str, mechanism: str) -> object:
        """Return the value that the listener has for one mechanism; None if it has none."""
        return self._cluster.configs.own_listener_value(
            name, self._listener, self._broker_id, mechanism
        )


def _scram_server(mechanism: ScramMechanism, cluster: ClusterState) -> ScramServer:
    return ScramServer(
        mechanism,
        lambda user: cluster.clients.credentials.find(CredentialKey(user, mechanism)),
        lambda: token_urlsafe(NONCE_BYTES),
        nonce_check=cluster.options.security.scram_nonce_check,
    )

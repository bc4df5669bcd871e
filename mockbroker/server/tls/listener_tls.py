"""TLS of one listener: a context for each new connection, and the principal of its client."""

import asyncio
import ssl
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from mockbroker.broker.authentication.authentication_config import failure_delay_ms
from mockbroker.errors import SettingsError
from mockbroker.events import logging
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.server.tls.certificate_names import distinguished_name
from mockbroker.server.tls.configured_tls import ConfiguredTls
from mockbroker.server.tls.server_context import check_stores, server_context
from mockbroker.server.tls.ssl_principal_mapper import SslPrincipalMapper
from mockbroker.server.tls.tls_settings import IssuedTls, KeyStore
from mockbroker.settings.listener_settings import ListenerSettings
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import listener_prefix

_INVALID: Final = (
    "Invalid value org.apache.kafka.common.config.ConfigException: {}"
    " for configuration Invalid dynamic configuration"
)


class _Loaded(NamedTuple):
    """What new connections use, and what it was made of."""

    context: ssl.SSLContext
    key_store: KeyStore
    mapper: SslPrincipalMapper
    configs: ConfigRepository
    broker_changes: int


class ListenerTls:
    """TLS of one listener of one broker."""

    def __init__(
        self,
        configs: ConfigRepository,
        listener: ListenerSettings,
        broker_id: int,
        issued: IssuedTls | None = None,
    ) -> None:
        """Load the stores; where none is configured, what was issued holds.

        Raises:
            SettingsError: a config is missing or invalid, or a store cannot be read.

        """
        self._listener: Final = listener
        self._broker_id: Final = broker_id
        self._issued = issued
        self.handshaking: set[asyncio.Transport] = set()
        """Connections whose handshake has not ended."""
        self.failure_delay_s: float = failure_delay_ms(configs, broker_id) / 1000
        """How long a connection stays open after a handshake that failed."""
        self._loaded = self._load(configs)

    def context(self, configs: ConfigRepository) -> ssl.SSLContext:
        """Return the context for a new connection.

        As in Kafka, a change of a broker's configs also loads stores again whose files have
        changed. If they cannot be read, new connections go on with the ones before.
        """
        loaded = self._loaded
        if configs is not loaded.configs or configs.broker_changes != loaded.broker_changes:
            try:
                self._loaded = self._load(configs)
            except SettingsError as error:
                self._loaded = loaded._replace(
                    configs=configs, broker_changes=configs.broker_changes
                )
                logging.error("tls_not_reloaded", listener=self._listener.name, why=str(error))
        return self._loaded.context

    def check(
        self,
        configs: ConfigRepository,
        broker_id: int,
        changed: Collection[str],
        altered: Mapping[str, str],
    ) -> None:
        """Check configs that clients set for a broker, before they are stored.

        As in Kafka, all stores have to be readable then, and the certificate has to have the same
        names, unless `ssl.allow.dn.changes` and `ssl.allow.san.changes` allow others.

        Raises:
            ApiError: INVALID_REQUEST.

        """
        prefix = f"{listener_prefix(self._listener.name)}ssl."
        if broker_id != self._broker_id or not any(name.startswith(prefix) for name in changed):
            return
        then = ConfigRepository(configs.release, configs.static, configs.static_by_broker)
        then.set_broker_overrides(None, configs.dynamic_default)
        then.set_broker_overrides(broker_id, altered)
        configured = ConfiguredTls(then, self._listener, broker_id, self._issued)
        try:
            settings = configured.settings()
            check_stores(settings)
            configured.check_names(self._loaded.key_store, settings.key_store)
        except SettingsError as error:
            why = f"Validation of dynamic config update of SSLFactory failed: {error.why}"
            raise ApiError(ErrorCode.INVALID_REQUEST, _INVALID.format(why)) from None

    def issue(self, issued: IssuedTls) -> None:
        """Use another certificate for new connections, where no store is configured."""
        self._issued = issued
        self._loaded = self._load(self._loaded.configs)

    def _load(self, configs: ConfigRepository) -> _Loaded:
        configured = ConfiguredTls(configs, self._listener, self._broker_id, self._issued)
        settings = configured.settings()
        context, key_store = server_context(settings), settings.key_store
        return _Loaded(context, key_store, configured.mapper(), configs, configs.broker_changes)

    def principal(self, connection: ssl.SSLObject) -> str | None:
        """Return the principal of the client's certificate; None if it showed none.

        Raises:
            ValueError: no rule of `ssl.principal.mapping.rules` matches its name.

        """
        certificate = connection.getpeercert()
        if not certificate:
            return None
        full = distinguished_name(certificate["subject"])  # type: ignore[arg-type]
        name = self._loaded.mapper.name(full)
        if name is None:
            raise ValueError(f"no rule of ssl.principal.mapping.rules applies to {full}")
        return f"User:{name}"

"""TLS of a listener by its configs: `ssl.*`, alone or with the prefix of the listener."""

from importlib import import_module
from importlib.util import find_spec
from typing import Final

from mockbroker.errors import SettingsError
from mockbroker.server.tls.ssl_principal_mapper import SslPrincipalMapper
from mockbroker.server.tls.stores import (
    StoreConfigs,
    authorities_of_file,
    authorities_of_pem,
    key_store_of_file,
    key_store_of_pem,
)
from mockbroker.server.tls.tls_settings import (
    ClientAuth,
    IssuedTls,
    KeyStore,
    TlsSettings,
)
from mockbroker.settings.listener_settings import ListenerSettings
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.definition import ConfigValue
from mockbroker.state.release.options import Options

_NAMES: Final = "mockbroker.server.tls.compared_names"
"""Loaded by name: it needs the extra `tls`."""
_CHAIN: Final = "ssl.keystore.certificate.chain"
_KEY: Final = "ssl.keystore.key"
_KEY_PASSWORD: Final = "ssl.key.password"
_LOCATION: Final = "ssl.keystore.location"
_AUTHORITIES: Final = "ssl.truststore.certificates"
_CLIENT_AUTH: Final = "ssl.client.auth"
_MAPPING_RULES: Final = "ssl.principal.mapping.rules"


class ConfiguredTls:
    """The configs of TLS that one listener of one broker has."""

    def __init__(
        self,
        configs: ConfigRepository,
        listener: ListenerSettings,
        broker_id: int,
        issued: IssuedTls | None = None,
    ) -> None:
        """Read from the configs whenever asked, as clients can change them.

        What was issued by the authority of this process holds where no store is configured.
        """
        self._issued: Final = issued
        self._configs: Final = configs
        self._listener: Final = listener
        self._broker_id: Final = broker_id

    def settings(self) -> TlsSettings:
        """Read the configs and the files that they name.

        Raises:
            SettingsError: a store is missing or cannot be read, or a value is invalid.

        """
        suites = self._value("ssl.cipher.suites") or ()
        protocols = self._value("ssl.enabled.protocols")
        assert isinstance(suites, tuple), suites
        assert isinstance(protocols, tuple), protocols
        return TlsSettings(
            self._key_store(),
            authorities_pem=self._authorities(),
            client_auth=self._client_auth(),
            protocols=protocols,
            cipher_suites=tuple(filter(None, suites)),
        )

    def check_names(self, before: KeyStore, after: KeyStore) -> None:
        """Check that a certificate has the names of the one before, or that others are allowed.

        Without the extra `tls`, certificates are not compared.

        Raises:
            SettingsError: its distinguished name or its alternative names differ.

        """
        if find_spec("cryptography") is None:
            return
        names_of = import_module(_NAMES).names_of_certificate
        try:
            was, is_then = names_of(before.chain_pem), names_of(after.chain_pem)
        except ValueError as error:
            raise SettingsError(_LOCATION, "", f"the certificate is damaged: {error}") from None
        for config, what, old, new in (
            ("ssl.allow.dn.changes", "DistinguishedName does", was.subject, is_then.subject),
            ("ssl.allow.san.changes", "SubjectAltNames do", was.hosts, is_then.hosts),
        ):
            if old != new and not self._allows(config):
                why = f"Keystore {what} not match:  existing={old}, new={new}"
                raise SettingsError(_LOCATION, "", why)

    def _allows(self, config: str) -> bool:
        return config in self._configs.broker_definitions and self._value(config) is True

    def mapper(self) -> SslPrincipalMapper:
        """Read the rules for names of certificates.

        Raises:
            SettingsError: they do not have the form of rules.

        """
        rules = self._value(_MAPPING_RULES) or "DEFAULT"
        text = ",".join(rules) if isinstance(rules, tuple) else str(rules)
        try:
            return SslPrincipalMapper.parse(text)
        except ValueError as error:
            raise SettingsError(_MAPPING_RULES, text, str(error)) from None

    def _key_store(self) -> KeyStore:
        password = self._text(_KEY_PASSWORD)
        chain, key = self._text(_CHAIN), self._text(_KEY)
        configs = self._store("ssl.keystore")
        if chain is not None and key is not None:
            return key_store_of_pem(chain, key, password)
        if configs.location is None:
            if self._issued is not None:
                return self._issued.key_store
            wanted = f"{_LOCATION}, or {_CHAIN} and {_KEY}"
            raise SettingsError(
                "listeners",
                self._listener.name,
                f"TLS needs a certificate: set {wanted}; tls=True (serve --tls) makes one",
            )
        return key_store_of_file(configs, password)

    def _authorities(self) -> str | None:
        text, configs = self._text(_AUTHORITIES), self._store("ssl.truststore")
        if text is not None:
            return authorities_of_pem(text)
        if configs.location is not None:
            return authorities_of_file(configs)
        return None if self._issued is None else self._issued.ca_pem

    def _store(self, name: str) -> StoreConfigs:
        return StoreConfigs(
            name,
            type=self._text(f"{name}.type") or "",
            location=self._text(f"{name}.location"),
            password=self._text(f"{name}.password"),
        )

    def _client_auth(self) -> ClientAuth:
        if not self._listener.security_protocol.is_sasl:
            return ClientAuth(str(self._value(_CLIENT_AUTH)))
        # Clients authenticate by SASL: their certificates are checked only if the listener itself
        # says so.
        security = Options.for_release(self._configs.release).security
        if not security.sasl_listeners_ask_for_certificates:
            return ClientAuth.NONE
        name, broker_id = self._listener.name, self._broker_id
        own = self._configs.own_listener_value(_CLIENT_AUTH, name, broker_id)
        return ClientAuth.NONE if own is None else ClientAuth(str(own))

    def _text(self, name: str) -> str | None:
        value = self._value(name)
        return None if value in (None, "") else str(value)

    def _value(self, name: str) -> ConfigValue:
        if name not in self._configs.broker_definitions:
            return None  # a later release has it
        return self._configs.listener_value(name, self._listener.name, self._broker_id)

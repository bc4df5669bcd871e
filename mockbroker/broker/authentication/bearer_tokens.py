"""Tokens that a listener with OAUTHBEARER accepts: unsecured, or signed by a key of a JWKS."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from mockbroker.broker.authentication.authentication_config import ListenerConfigs
from mockbroker.errors import SettingsError, install_hint
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.security.sasl.oauthbearer_server import OAUTHBEARER, ValidateToken
from mockbroker.state.security.sasl.unsecured_token import UnsecuredTokens

if TYPE_CHECKING:
    from mockbroker.state.security.sasl.json_web_key import JsonWebKey

# Loaded by name: it needs the extra `jwt`.
_SIGNED: Final = "mockbroker.state.security.sasl.signed_token"

HANDLER: Final = "sasl.server.callback.handler.class"
KEYS_URL: Final = "sasl.oauthbearer.jwks.endpoint.url"
_PACKAGE: Final = "org.apache.kafka.common.security.oauthbearer"
_UNSECURED: Final = f"{_PACKAGE}.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler"
_VALIDATOR: Final = "sasl.oauthbearer.jwt.validator.class"
_OWN_VALIDATORS: Final = (f"{_PACKAGE}.DefaultJwtValidator", f"{_PACKAGE}.BrokerJwtValidator")
_REFRESH: Final = "sasl.oauthbearer.jwks.endpoint.refresh.ms"
_AUDIENCE: Final = "sasl.oauthbearer.expected.audience"
_ISSUER: Final = "sasl.oauthbearer.expected.issuer"
_ALLOWED: Final = {
    _AUDIENCE: "sasl.oauthbearer.allow.unverified.audience",
    _ISSUER: "sasl.oauthbearer.allow.unverified.issuer",
}


class KeySource(Protocol):
    """Place that keys are read from."""

    def keys(self, key_id: str | None, now_ms: int) -> "Sequence[JsonWebKey]":
        """Return the keys at a time; `key_id` is the one that is looked for."""

    def refresh_every(self, refresh_ms: int, cluster: ClusterState) -> None:
        """Read the keys again from time to time, by the clock of a cluster."""

    def wait(self) -> None:
        """Wait until the keys have been read.

        Raises:
            SettingsError: they cannot be.

        """


class OpenKeys(Protocol):
    """Function that opens the source at a URL; a file may be read again after each change."""

    def __call__(self, url: str, *, is_read_again: bool) -> KeySource:
        """Open it.

        Raises:
            SettingsError: there is none.

        """


class BearerTokens:
    """Tokens of a cluster's listeners, with the keys that check them."""

    def __init__(self, open_keys: OpenKeys) -> None:
        """Begin without keys; `open_keys` finds those of signed tokens."""
        self._open_keys: Final = open_keys
        self._sources: Final[dict[str, KeySource]] = {}

    def validator(
        self,
        cluster: ClusterState,
        configs: ListenerConfigs,
        options: Callable[[], Mapping[str, str]],
    ) -> ValidateToken:
        """Return the check of a listener's tokens; `options` are those of its login module.

        Raises:
            ValueError: an option is not valid.
            SettingsError: a config is missing or not valid, or the library is not installed.

        """
        handler = str(configs.own(HANDLER, OAUTHBEARER) or _UNSECURED)
        signed = cluster.options.security.signed_token_validators
        if handler in signed:
            return self._signed(cluster, configs)
        if handler != _UNSECURED:
            supported = ", ".join((_UNSECURED, *signed[:1]))
            raise SettingsError(HANDLER, handler, f"supported are {supported}")
        return UnsecuredTokens.of_options(options()).validate

    @property
    def have_keys(self) -> bool:
        """True if keys are read from anywhere."""
        return bool(self._sources)

    def wait_for_keys(self) -> None:
        """Wait until all keys have been read.

        Raises:
            SettingsError: they cannot be.

        """
        for source in self._sources.values():
            source.wait()

    def _signed(self, cluster: ClusterState, configs: ListenerConfigs) -> ValidateToken:
        def config(name: str) -> object:
            return configs.value(name, OAUTHBEARER)

        is_strict = cluster.options.security.token_parties_must_be_set
        for name in _ALLOWED if is_strict else ():
            if not config(name) and not config(_ALLOWED[name]):
                why = f"it has to be set, or {_ALLOWED[name]}=true"
                raise SettingsError(name, "", why)
        if is_strict and str(config(_VALIDATOR)) not in _OWN_VALIDATORS:
            why = f"supported are {', '.join(_OWN_VALIDATORS)}"
            raise SettingsError(_VALIDATOR, str(config(_VALIDATOR)), why)
        issuer, url = config(_ISSUER), str(config(KEYS_URL) or "")
        audiences = frozenset(cast("tuple[str, ...]", config(_AUDIENCE) or ()))
        try:
            source = self._source(cluster, url, config)
            tokens = import_module(_SIGNED).SignedTokens(
                source.keys,
                audiences,
                None if issuer is None else str(issuer),
                str(config("sasl.oauthbearer.sub.claim.name")),
                str(config("sasl.oauthbearer.scope.claim.name")),
                config("sasl.oauthbearer.clock.skew.seconds"),
                audience_is_checked=bool(audiences) or not is_strict,
            )
        except ImportError:
            why = f"signed tokens need PyJWT: {install_hint('jwt')}"
            raise SettingsError(KEYS_URL, url, why) from None
        validate: ValidateToken = tokens.validate
        return validate

    def _source(
        self, cluster: ClusterState, url: str, config: Callable[[str], object]
    ) -> "KeySource":
        refresh_ms = cast("int", config(_REFRESH))
        if refresh_ms <= 0:
            raise SettingsError(_REFRESH, str(refresh_ms), "it has to be greater than 0")
        source = self._sources.get(url)
        if source is None:
            is_read_again = cluster.options.security.key_files_are_read_again
            source = self._sources[url] = self._open_keys(url, is_read_again=is_read_again)
        source.refresh_every(refresh_ms, cluster)
        return source

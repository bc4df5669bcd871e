"""The check of a listener's tokens, by its configs."""

import re
from collections.abc import Mapping

import pytest

from mockbroker.broker.authentication.authentication_config import ListenerConfigs
from mockbroker.broker.authentication.bearer_tokens import BearerTokens
from mockbroker.errors import SettingsError, install_hint
from mockbroker.server.json_web_keys import source_at
from mockbroker.state.security.sasl.oauthbearer_server import ValidateToken
from tests.conformance.sasl import LISTENER, unsecured
from tests.conformance.signed_tokens import EXPECTING, WITH_KEYS, signed
from tests.support.in_process import NOW_MS, Brokers

HANDLER = f"listener.name.{LISTENER.lower()}.oauthbearer.sasl.server.callback.handler.class"
PACKAGE = "org.apache.kafka.common.security.oauthbearer"


def validator(configs: Mapping[str, str], release: str = "4.4") -> ValidateToken:
    state = Brokers(configs=configs, release=release).state
    return BearerTokens(source_at).validator(
        state, ListenerConfigs(state.configs, LISTENER, 1), dict
    )


def test_tokens_are_unsecured_by_default() -> None:
    token = unsecured({"sub": "alice", "exp": NOW_MS})
    assert validator({})(token, NOW_MS).principal == "alice"


@pytest.mark.parametrize(
    ("release", "package"), [("4.4", PACKAGE), ("3.9", PACKAGE), ("3.9", f"{PACKAGE}.secured")]
)
def test_a_handler_of_the_release_checks_signatures(release: str, package: str) -> None:
    configs = {**EXPECTING, HANDLER: f"{package}.OAuthBearerValidatorCallbackHandler"}
    assert validator(configs, release)(signed(), NOW_MS).principal == "alice"


@pytest.mark.parametrize(
    ("release", "handler"),
    [
        ("4.4", f"{PACKAGE}.secured.OAuthBearerValidatorCallbackHandler"),
        ("2.8", f"{PACKAGE}.OAuthBearerValidatorCallbackHandler"),
        ("4.4", "Own"),
    ],
)
def test_another_handler_is_an_error(release: str, handler: str) -> None:
    with pytest.raises(SettingsError, match=r"supported are .*OAuthBearerUnsecuredValidator"):
        validator({HANDLER: handler}, release)


@pytest.mark.parametrize("name", ["audience", "issuer"])
def test_4_4_wants_to_know_whom_a_token_is_for_and_from(name: str) -> None:
    configs = {key: value for key, value in EXPECTING.items() if not key.endswith(name)}
    with pytest.raises(SettingsError, match=f"allow.unverified.{name}=true"):
        validator(configs)
    validator({**configs, f"sasl.oauthbearer.allow.unverified.{name}": "true"})
    validator(WITH_KEYS, "3.9")


@pytest.mark.parametrize("name", ["org.Own", "com.example.DefaultJwtValidator"])
def test_another_validator_is_an_error(name: str) -> None:
    with pytest.raises(SettingsError, match=r"supported are org\.apache\.kafka"):
        validator({**EXPECTING, "sasl.oauthbearer.jwt.validator.class": name})


@pytest.mark.parametrize("refresh_ms", ["0", "-1"])
def test_keys_are_read_again_after_a_time(refresh_ms: str) -> None:
    with pytest.raises(SettingsError, match="greater than 0"):
        validator({**EXPECTING, "sasl.oauthbearer.jwks.endpoint.refresh.ms": refresh_ms})


def test_the_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("mockbroker.broker.authentication.bearer_tokens.import_module", fail)
    with pytest.raises(SettingsError, match=re.escape(install_hint("jwt"))):
        validator(EXPECTING)

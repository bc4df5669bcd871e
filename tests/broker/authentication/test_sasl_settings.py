"""A listener's mechanisms by its configs."""

import pytest

from mockbroker.broker.authentication.bearer_tokens import BearerTokens
from mockbroker.broker.authentication.sasl_settings import ListenerSasl, SaslGates
from mockbroker.errors import SettingsError
from mockbroker.server.json_web_keys import source_at
from mockbroker.state.security.sasl.mechanism import SaslAuthenticationError
from tests.conformance.sasl import bearer, unsecured
from tests.support.in_process import NOW_MS, Brokers

LISTENER = "OUTSIDE"
OWN = "listener.name.outside."
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
JAAS = f'{PLAIN} required user_alice="secret";'


def sasl(**configs: str) -> ListenerSasl:
    names = {name.replace("__", "-").replace("_", "."): value for name, value in configs.items()}
    return listener({OWN + name: value for name, value in names.items()})


def listener(configs: dict[str, str], release: str = "4.4") -> ListenerSasl:
    state = Brokers(configs=configs, release=release).state
    return ListenerSasl(state, LISTENER, 1, BearerTokens(source_at))


def test_the_mechanisms_are_those_that_are_enabled() -> None:
    found = sasl(sasl_enabled_mechanisms="SCRAM-SHA-512,PLAIN").settings()
    assert found.mechanisms == ["SCRAM-SHA-512", "PLAIN"]


def test_the_passwords_are_those_of_the_login_module() -> None:
    configs = {OWN + "sasl.enabled.mechanisms": "PLAIN", OWN + "plain.sasl.jaas.config": JAAS}
    server = listener(configs).settings().servers["PLAIN"]()
    server.evaluate(b"\0alice\0secret", NOW_MS)
    assert server.authorization_id == "alice"


def test_without_a_login_module_there_are_no_users() -> None:
    server = sasl(sasl_enabled_mechanisms="PLAIN").settings().servers["PLAIN"]()
    with pytest.raises(SaslAuthenticationError):
        server.evaluate(b"\0alice\0secret", NOW_MS)


@pytest.mark.parametrize("mechanism", ["GSSAPI", "oauthbearer", "plain"])
def test_another_mechanism_is_an_error(mechanism: str) -> None:
    with pytest.raises(SettingsError, match=f"{mechanism} is not supported; supported are PLAIN"):
        sasl(sasl_enabled_mechanisms=mechanism).settings()


def test_tokens_are_checked_by_the_options_of_the_login_module() -> None:
    module = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"
    jaas = OWN + "oauthbearer.sasl.jaas.config"
    configs = {
        OWN + "sasl.enabled.mechanisms": "OAUTHBEARER",
        jaas: f'{module} required unsecuredValidatorPrincipalClaimName="who";',
    }
    token = unsecured({"who": "alice", "exp": NOW_MS})
    server = listener(configs).settings().servers["OAUTHBEARER"]()
    server.evaluate(bearer(token), NOW_MS)
    assert server.authorization_id == "alice"
    configs[jaas] = f'{module} required unsecuredValidatorAllowableClockSkewMs="a";'
    with pytest.raises(SettingsError, match="no number from 0 on"):
        listener(configs).settings()


def test_the_default_of_kafka_is_an_error() -> None:
    with pytest.raises(SettingsError, match="GSSAPI is not supported"):
        listener({}).settings()


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_a_wrong_login_module_is_an_error_without_its_text(mechanism: str) -> None:
    configs = {
        OWN + "sasl.enabled.mechanisms": mechanism,
        f"{OWN}{mechanism.lower()}.sasl.jaas.config": 'secret required user_alice="secret"',
    }
    with pytest.raises(SettingsError, match="exactly one login module") as refused:
        listener(configs).settings()
    assert "secret" not in str(refused.value)


def test_a_session_has_the_limit_of_its_mechanism_or_of_its_listener() -> None:
    configs = {
        OWN + "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
        OWN + "connections.max.reauth.ms": "1000",
        OWN + "plain.connections.max.reauth.ms": "2000",
    }
    assert listener(configs).settings().session_max_ms == {"PLAIN": 2000, "SCRAM-SHA-256": 1000}


def test_old_releases_have_no_sessions() -> None:
    configs = {OWN + "sasl.enabled.mechanisms": "PLAIN"}
    assert listener(configs, "1.1").settings().session_max_ms == {"PLAIN": 0}


@pytest.mark.parametrize(("release", "max_bytes"), [("4.4", 524288), ("2.4", 524288)])
def test_requests_before_the_authentication_have_the_limit_of_the_release(
    release: str, max_bytes: int
) -> None:
    brokers = Brokers(configs={OWN + "sasl.enabled.mechanisms": "PLAIN"}, release=release)
    assert SaslGates(source_at).new(brokers.state, LISTENER, 1).max_size_bytes(1 << 30) == max_bytes

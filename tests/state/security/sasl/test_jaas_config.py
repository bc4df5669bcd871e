"""The login module of a listener's JAAS configuration."""

import pytest

from mockbroker.state.security.sasl.jaas_config import (
    JaasConfigError,
    LoginModule,
    parse_jaas_config,
)

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (f"{PLAIN} required;", {}),
        (f'{PLAIN} required user_alice="secret" ;', {"user_alice": "secret"}),
        (f"{PLAIN} REQUIRED a='b' c=d;", {"a": "b", "c": "d"}),
        (f'{PLAIN} required a="with \\"quotes\\" and ;";', {"a": 'with "quotes" and ;'}),
        (f'{PLAIN} required\n a="1" // a comment;\n /* another; */ b="";', {"a": "1", "b": ""}),
    ],
)
def test_a_login_module_is_read(text: str, options: dict[str, str]) -> None:
    assert parse_jaas_config(text) == LoginModule(PLAIN, options)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "exactly one login module"),
        (f"{PLAIN} required", "exactly one login module"),
        (f"{PLAIN} required; {PLAIN} required;", "exactly one login module"),
        (f"{PLAIN};", "the control flag"),
        (f"{PLAIN} needed;", "the control flag"),
        (f'{PLAIN} required user_alice "secret";', "name=value"),
        (f"{PLAIN} required user_alice=;", "name=value"),
        (f'{PLAIN} required user_alice="secret;', "has no end"),
    ],
)
def test_another_text_is_refused_without_being_quoted(text: str, why: str) -> None:
    with pytest.raises(JaasConfigError, match=why) as refused:
        parse_jaas_config(text)
    assert "secret" not in str(refused.value)


def test_passwords_are_the_options_of_users() -> None:
    module = LoginModule(PLAIN, {"username": "admin", "password": "x", "user_a": "1", "user_": "2"})
    assert module.passwords == {"a": "1", "": "2"}

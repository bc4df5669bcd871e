"""Login module of a listener's `sasl.jaas.config` (Kafka's JaasConfig)."""

import re
from typing import Final, NamedTuple

_FLAGS: Final = frozenset({"required", "requisite", "sufficient", "optional"})
_USER: Final = "user_"
_TOKEN: Final = re.compile(
    r"""
    \s+ | //[^\n]* | /\*.*?\*/
    | "(?P<double>(?:[^"\\\n]|\\.)*)" | '(?P<single>(?:[^'\\\n]|\\.)*)'
    | (?P<sign>[=;]) | (?P<word>[^\s"'=;/]+) | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class JaasConfigError(ValueError):
    """Text that is no JAAS configuration; the message never quotes it, as it has passwords."""


class _Token(NamedTuple):
    text: str
    is_sign: bool


_EQUALS: Final = _Token("=", is_sign=True)
_END: Final = _Token(";", is_sign=True)
_LEAST_TOKENS: Final = 3  # CLASS FLAG ;


class LoginModule(NamedTuple):
    """A login module with its options."""

    class_name: str
    options: dict[str, str]

    @property
    def passwords(self) -> dict[str, str]:
        """Passwords by user: the options `user_NAME` of PLAIN's login module."""
        return {
            name.removeprefix(_USER): value
            for name, value in self.options.items()
            if name.startswith(_USER)
        }


def parse_jaas_config(text: str) -> LoginModule:
    """Read `CLASS FLAG key="value" …;`, with exactly one login module.

    Raises:
        JaasConfigError: the form is wrong.

    """
    tokens = _tokens(text)
    if tokens.count(_END) != 1 or tokens[-1] != _END:
        raise JaasConfigError("it needs exactly one login module, with a semicolon at its end")
    if len(tokens) < _LEAST_TOKENS or tokens[1].text.lower() not in _FLAGS:
        raise JaasConfigError(
            f"the control flag after the login module is not one of {', '.join(sorted(_FLAGS))}"
        )
    options = tokens[2:-1]
    if len(options) % 3 or any(sign != _EQUALS for sign in options[1::3]):
        raise JaasConfigError("its options are not written as name=value")
    values = zip(options[::3], options[2::3], strict=True)
    return LoginModule(tokens[0].text, {name.text: value.text for name, value in values})


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for found in _TOKEN.finditer(text):
        if found["other"]:
            raise JaasConfigError("a quotation mark or a comment has no end")
        quoted = found["double"] if found["double"] is not None else found["single"]
        if quoted is not None:
            tokens.append(_Token(re.sub(r"\\(.)", r"\1", quoted), is_sign=False))
        elif found["word"] or found["sign"]:
            tokens.append(_Token(found["word"] or found["sign"], is_sign=bool(found["sign"])))
    return tokens

"""Rules that map the name of a client's certificate to its principal (KIP-371).

Follows Kafka's `SslPrincipalMapper`.
"""

import re
from typing import Final, NamedTuple, Self

_RULE: Final = r"(DEFAULT)|RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?).*?|(.*?)"
_SPLITTER: Final = re.compile(rf"\s*({_RULE})\s*(,\s*|$)")
_PARSER: Final = re.compile(_RULE)
_REFERENCE: Final = re.compile(r"\\(.)|\$(\d)")


class Rule(NamedTuple):
    """One rule."""

    pattern: re.Pattern[str]
    replacement: str
    case: str
    """`L`: lower, `U`: upper, or empty."""

    def apply(self, name: str) -> str | None:
        """Map a name; None if the pattern does not match the whole of it."""
        if self.pattern.fullmatch(name) is None:
            return None
        mapped = self.pattern.sub(self._expanded, name)
        if self.case == "L":
            return mapped.lower()
        return mapped.upper() if self.case == "U" else mapped

    def _expanded(self, match: re.Match[str]) -> str:
        def part(reference: re.Match[str]) -> str:
            literal, number = reference.groups()
            if literal is not None:
                return str(literal)
            # As in Kafka, a reference to a group that is not there stays as it is.
            is_there = int(number) <= self.pattern.groups
            return (match[int(number)] or "") if is_there else reference[0]

        return _REFERENCE.sub(part, self.replacement)


_DEFAULT: Final = Rule(re.compile(r"(?s:.*)"), "", "")


class SslPrincipalMapper:
    """Rules of a listener, of which the first that matches holds."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        """Take the rules."""
        self._rules: Final = rules

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `ssl.principal.mapping.rules`.

        Raises:
            ValueError: it does not have the form of rules.

        """
        rules = (_parsed(match[1]) for match in _SPLITTER.finditer(text.strip()))
        return cls(tuple(rule for rule in rules if rule is not None))

    def name(self, distinguished_name: str) -> str | None:
        """Return the name of the client's principal; None if no rule matches."""
        for rule in self._rules:
            if rule is _DEFAULT:
                return distinguished_name
            mapped = rule.apply(distinguished_name)
            if mapped is not None:
                return mapped
        return None


def _parsed(text: str) -> Rule | None:
    """Read one rule; None for an empty one, which is ignored."""
    match = _PARSER.match(text)
    assert match is not None, text  # the last alternative is empty
    if match.end() != len(text):
        raise ValueError(f"Invalid rule: `{text}`, unmatched substring: `{text[match.end() :]}`")
    if match[1] is not None:
        return _DEFAULT
    if match[2] is None:
        return None
    try:
        return Rule(re.compile(match[2]), match[3], match[4])
    except re.error as error:
        raise ValueError(f"Invalid rule: `{text}`: {error}") from None

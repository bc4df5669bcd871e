"""Distinguished name of a certificate, as Java writes it: `X500Principal.getName()` (RFC 2253)."""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

RelativeName: TypeAlias = Sequence[tuple[str, str]]
"""Attributes of one part of a name, as from Python's `ssl`: long names of OpenSSL, and values."""

_KEYWORDS: Final = {
    "commonName": "CN",
    "countryName": "C",
    "localityName": "L",
    "stateOrProvinceName": "ST",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "streetAddress": "STREET",
    "domainComponent": "DC",
    "userId": "UID",
}
_IA5: Final = 0x16
_PRINTABLE: Final = 0x13
_UTF8: Final = 0x0C
_NUMBERS: Final = {
    "businessCategory": ("2.5.4.15", _UTF8),
    "dnQualifier": ("2.5.4.46", _PRINTABLE),
    "emailAddress": ("1.2.840.113549.1.9.1", _IA5),
    "givenName": ("2.5.4.42", _UTF8),
    "name": ("2.5.4.41", _UTF8),
    "postalCode": ("2.5.4.17", _UTF8),
    "pseudonym": ("2.5.4.65", _UTF8),
    "serialNumber": ("2.5.4.5", _PRINTABLE),
    "surname": ("2.5.4.4", _UTF8),
    "title": ("2.5.4.12", _UTF8),
}
"""Attributes that Java writes as a number and the encoded value, with the usual types of these."""
_SHORT_LENGTH: Final = 128


def distinguished_name(subject: Sequence[RelativeName]) -> str:
    r"""Write the subject of a certificate, which is in the order of its encoding.

    >>> distinguished_name([[("organizationName", "Ours, Inc")], [("commonName", "app")]])
    'CN=app,O=Ours\\\\, Inc'
    """
    return ",".join("+".join(_attribute(*each) for each in name) for name in reversed(subject))


def _attribute(name: str, value: str) -> str:
    if name in _KEYWORDS:
        return f"{_KEYWORDS[name]}={_escaped(value)}"
    number, kind = _NUMBERS.get(name, (name, _UTF8))
    content = value.encode("utf-8").hex()
    return f"{number}=#{kind:02x}{_length(len(content) // 2)}{content}"


def _length(size_bytes: int) -> str:
    """Return the length in DER's form, in hexadecimal digits."""
    if size_bytes < _SHORT_LENGTH:
        return f"{size_bytes:02x}"
    digit_bytes = (size_bytes.bit_length() + 7) // 8
    return f"{_SHORT_LENGTH | digit_bytes:02x}{size_bytes:0{2 * digit_bytes}x}"


def _escaped(value: str) -> str:
    escaped = re.sub(r'([,+"\\<>;])', r"\\\1", value)
    if escaped.startswith(("#", " ")):
        escaped = "\\" + escaped
    return escaped[:-1] + "\\ " if escaped.endswith(" ") and len(value) > 1 else escaped

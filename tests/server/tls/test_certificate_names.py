"""Names of certificates, as Java writes them."""

import pytest

from mockbroker.server.tls.certificate_names import RelativeName, distinguished_name


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ([[("commonName", "app")]], "CN=app"),
        (
            [[("countryName", "DE")], [("organizationName", "Ours")], [("commonName", "app")]],
            "CN=app,O=Ours,C=DE",
        ),
        (
            [[("domainComponent", "org")], [("userId", "7")], [("stateOrProvinceName", "BW")]],
            "ST=BW,UID=7,DC=org",
        ),
        ([[("commonName", "a"), ("organizationalUnitName", "b")]], "CN=a+OU=b"),
        ([[("commonName", 'a,b+"c"\\<d>;')]], r"CN=a\,b\+\"c\"\\\<d\>\;"),
        ([[("commonName", "#1")]], r"CN=\#1"),
        ([[("commonName", " a ")]], r"CN=\ a\ "),
        ([[("emailAddress", "a@b")]], "1.2.840.113549.1.9.1=#1603614062"),
        ([[("serialNumber", "12")]], "2.5.4.5=#13023132"),
        ([[("1.2.3", "é")]], "1.2.3=#0c02c3a9"),
    ],
)
def test_a_name_is_written_as_by_java(subject: list[RelativeName], expected: str) -> None:
    assert distinguished_name(subject) == expected


def test_a_long_value_has_its_length_in_more_than_one_byte() -> None:
    name = distinguished_name([[("title", "x" * 200)]])
    assert name == "2.5.4.12=#0c81c8" + "78" * 200

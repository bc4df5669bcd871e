"""Names in certificates."""

import pytest

from mockbroker.server.tls.authority import process_authority
from mockbroker.server.tls.compared_names import names_of_certificate


@pytest.mark.parametrize("hosts", [["127.0.0.1", "localhost"], []])
def test_a_certificate_has_a_subject_and_perhaps_hosts(hosts: list[str]) -> None:
    issued = process_authority().issue("broker", hosts)
    found = names_of_certificate(issued.certificate_pem + process_authority().ca_pem)
    assert (found.subject, found.hosts) == ("CN=broker", hosts)


def test_a_damaged_certificate_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"\S"):
        names_of_certificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")

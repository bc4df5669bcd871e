"""Certificates of the authority in memory."""

from datetime import UTC, datetime

from cryptography import x509

from mockbroker.server.tls.authority import Authority, process_authority


def certificate(pem: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pem.encode())


def test_a_certificate_names_its_hosts_and_is_signed_by_the_authority() -> None:
    authority = Authority()
    issued = certificate(authority.issue("app", ["kafka", "10.0.0.1"]).certificate_pem)
    names = issued.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["kafka"]
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.1"]
    issued.verify_directly_issued_by(certificate(authority.ca_pem))
    assert issued.not_valid_after_utc > datetime.now(UTC)


def test_an_expired_certificate_ended_yesterday() -> None:
    issued = certificate(Authority().issue("app", is_expired=True).certificate_pem)
    age = datetime.now(UTC) - issued.not_valid_after_utc
    assert age.days == 1


def test_brokers_at_the_same_hosts_share_a_certificate() -> None:
    authority = Authority()
    first = authority.broker_certificate(["b", "a"])
    assert authority.broker_certificate(["a", "b", "localhost"]) is first
    assert authority.broker_certificate(["c"]) is not first
    assert authority.broker_certificate(["a", "b"], is_expired=True) is not first
    assert process_authority() is process_authority()


def test_keys_are_in_no_representation() -> None:
    authority = Authority()
    issued = authority.issue("app")
    assert "PRIVATE KEY" not in repr(issued)
    assert "PRIVATE KEY" not in repr(authority.broker_certificate([]))

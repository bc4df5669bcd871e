"""Quotas and credentials in the state's text."""

from mockbroker.state.client.client_quotas import QuotaAlteration
from mockbroker.state.client.clients import Clients
from mockbroker.state.client.scram_credential import (
    CredentialChange,
    CredentialKey,
    ScramCredential,
)
from mockbroker.state.config.initial_configs import initial_configs
from mockbroker.state.release.options import Options


def test_quotas_and_credentials_are_shown() -> None:
    options = Options.for_release()
    configs = initial_configs(options, [1], {}, {})
    clients = Clients(options.quotas, options.security, configs)
    assert clients.as_text() == []
    clients.quotas.alter(
        [QuotaAlteration({"user": "alice"}, [("producer_byte_rate", 1.0)])], validate_only=False
    )
    credential = ScramCredential(4096, b"salt", b"salted")
    clients.credentials.alter([CredentialChange(CredentialKey("bob", 1), credential)])
    quotas, credentials = clients.as_text()
    assert "alice" in quotas
    assert "bob" in credentials

"""Quotas, credentials and rights of clients."""

from typing import Final

from mockbroker.state.client.client_quotas import ClientQuotas
from mockbroker.state.client.scram_credentials import ScramCredentials
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.release.quota_options import QuotaOptions
from mockbroker.state.release.security_options import SecurityOptions
from mockbroker.state.security.configured_authorizer import configured_authorizer


class Clients:
    """The quotas, the credentials and the rights of a cluster's clients."""

    __slots__ = ("authorizer", "credentials", "quotas")

    def __init__(
        self, quotas: QuotaOptions, security: SecurityOptions, configs: ConfigRepository
    ) -> None:
        """Start with none of them."""
        self.quotas: Final = ClientQuotas(quotas)
        self.credentials: Final = ScramCredentials(security)
        self.authorizer: Final = configured_authorizer(configs)
        """The authorizer; None if no class is configured: clients may do everything."""

    def as_text(self) -> list[str]:
        """Show all in a stable form; return no lines if there are none."""
        acls = () if self.authorizer is None else self.authorizer.acls.as_text()
        return [*self.quotas.as_text(), *self.credentials.as_text(), *acls]

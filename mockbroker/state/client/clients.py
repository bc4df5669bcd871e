"""Quotas and credentials of clients."""

from typing import Final

from mockbroker.state.client.client_quotas import ClientQuotas
from mockbroker.state.client.scram_credentials import ScramCredentials
from mockbroker.state.release.quota_options import QuotaOptions
from mockbroker.state.release.security_options import SecurityOptions


class Clients:
    """The quotas and the credentials of a cluster's clients."""

    __slots__ = ("credentials", "quotas")

    def __init__(self, quotas: QuotaOptions, security: SecurityOptions) -> None:
        """Start with neither."""
        self.quotas: Final = ClientQuotas(quotas)
        self.credentials: Final = ScramCredentials(security)

    def as_text(self) -> list[str]:
        """Show both in a stable form; return no lines if there are none."""
        return [*self.quotas.as_text(), *self.credentials.as_text()]

"""What a cluster keeps of its clients, in one place."""

from mockbroker.state.client.client_quotas import ClientQuotas
from mockbroker.state.client.scram_credentials import ScramCredentials
from mockbroker.state.quota_options import QuotaOptions
from mockbroker.state.security_options import SecurityOptions


class Clients:
    """The quotas and the credentials of a cluster's clients."""

    __slots__ = ("credentials", "quotas")

    def __init__(self, quotas: QuotaOptions, security: SecurityOptions) -> None:
        """Begin with neither."""
        self.quotas = ClientQuotas(quotas)
        self.credentials = ScramCredentials(security)

    def as_text(self) -> list[str]:
        """Show all of it in a stable form, in no lines where there is nothing."""
        return [*self.quotas.as_text(), *self.credentials.as_text()]

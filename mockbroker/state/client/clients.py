"""Quotas and credentials of clients, created on first use."""

from typing import TYPE_CHECKING, Final

from mockbroker.state.release.quota_options import QuotaOptions
from mockbroker.state.release.security_options import SecurityOptions

if TYPE_CHECKING:
    from mockbroker.state.client.client_quotas import ClientQuotas
    from mockbroker.state.client.scram_credentials import ScramCredentials


class Clients:
    """The quotas and the credentials of a cluster's clients."""

    __slots__ = ("_credentials", "_quota_options", "_quotas", "_security_options")

    def __init__(self, quotas: QuotaOptions, security: SecurityOptions) -> None:
        """Start with neither."""
        self._quota_options: Final = quotas
        self._security_options: Final = security
        self._quotas: ClientQuotas | None = None
        self._credentials: ScramCredentials | None = None

    @property
    def quotas(self) -> "ClientQuotas":
        """The clients' quotas."""
        if self._quotas is None:
            from mockbroker.state.client.client_quotas import ClientQuotas

            self._quotas = ClientQuotas(self._quota_options)
        return self._quotas

    @property
    def credentials(self) -> "ScramCredentials":
        """The clients' SCRAM credentials."""
        if self._credentials is None:
            from mockbroker.state.client.scram_credentials import ScramCredentials

            self._credentials = ScramCredentials(self._security_options)
        return self._credentials

    def as_text(self) -> list[str]:
        """Show both in a stable form; return no lines if there are none."""
        kept = (self._quotas, self._credentials)
        return [line for each in kept if each is not None for line in each.as_text()]

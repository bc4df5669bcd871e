"""What a cluster keeps of its clients, in one place; each kind from when it is first asked for."""

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
        """Begin with neither."""
        self._quota_options: Final = quotas
        self._security_options: Final = security
        self._quotas: ClientQuotas | None = None
        self._credentials: ScramCredentials | None = None

    @property
    def quotas(self) -> "ClientQuotas":
        """What clients may use."""
        if self._quotas is None:
            from mockbroker.state.client.client_quotas import ClientQuotas

            self._quotas = ClientQuotas(self._quota_options)
        return self._quotas

    @property
    def credentials(self) -> "ScramCredentials":
        """How clients prove who they are."""
        if self._credentials is None:
            from mockbroker.state.client.scram_credentials import ScramCredentials

            self._credentials = ScramCredentials(self._security_options)
        return self._credentials

    def as_text(self) -> list[str]:
        """Show all of it in a stable form, in no lines where there is nothing."""
        kept = (self._quotas, self._credentials)
        return [line for each in kept if each is not None for line in each.as_text()]

"""Security of a cluster's listeners, and the certificates that it issues for them."""

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Final

from mockbroker.errors import SettingsError, install_hint
from mockbroker.server.listener import ListenerSecurity
from mockbroker.settings.listener_settings import ANYWHERE, ListenerSettings
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    import ssl

    from mockbroker.broker.authentication.bearer_tokens import KeySource
    from mockbroker.broker.authentication.sasl_settings import SaslGates
    from mockbroker.server.listener import NewGate
    from mockbroker.server.tls.authority import Authority
    from mockbroker.server.tls.listener_tls import ListenerTls
    from mockbroker.server.tls.tls_settings import IssuedTls

# Loaded by name, so that a plaintext cluster imports none of them.
_SASL: Final = "mockbroker.broker.authentication.sasl_settings"
_KEYS: Final = "mockbroker.server.json_web_keys"
_TLS: Final = "mockbroker.server.tls.listener_tls"
_TLS_SETTINGS: Final = "mockbroker.server.tls.tls_settings"
_CONTEXT: Final = "mockbroker.server.tls.server_context"
_AUTHORITY: Final = "mockbroker.server.tls.authority"


class ClusterSecurity:
    """TLS and SASL of all listeners of a cluster."""

    def __init__(self, *, issues_certificates: bool) -> None:
        """Issue certificates to listeners that have none, or expect all to have their own."""
        self._issues: Final = issues_certificates
        self._issued: Final[list[tuple[ListenerTls, tuple[str, ...]]]] = []
        """Listeners with issued certificates, and the hosts that these name."""
        self._gates: SaslGates | None = None

    def of(
        self, cluster: ClusterState, broker_id: int, listener: ListenerSettings
    ) -> ListenerSecurity:
        """Return the security of a listener, once its configs have proved valid.

        Raises:
            SettingsError: they are not valid, or need a library that is not installed.

        """
        tls: ListenerTls | None = None
        new_gate: NewGate | None = None
        if listener.security_protocol.is_ssl:
            hosts = (listener.host, listener.advertised_host)
            named = tuple(sorted({*hosts} - {*ANYWHERE}))
            issued = self._certificate(named) if self._issues else None
            tls = import_module(_TLS).ListenerTls(cluster.configs, listener, broker_id, issued)
            assert tls is not None
            self._issued.append((tls, named))
        if listener.security_protocol.is_sasl:
            if self._gates is None:
                self._gates = import_module(_SASL).SaslGates(_open_keys)
            assert self._gates is not None
            new_gate = self._gates.new
            new_gate(cluster, listener.name, broker_id)
        return ListenerSecurity(tls, new_gate)

    async def ready(self) -> None:
        """Wait until all that is read from other places is there: keys for tokens.

        Raises:
            SettingsError: it cannot be read.

        """
        if self._gates is not None and self._gates.tokens.have_keys:
            await asyncio.to_thread(self._gates.tokens.wait_for_keys)

    @property
    def authority(self) -> "Authority":
        """The authority of the certificates.

        Raises:
            RuntimeError: the cluster issues none.
            SettingsError: the library for it is not installed.

        """
        if not self._issues:
            raise RuntimeError("the cluster issues no certificates: start it with tls=True")
        try:
            authority: Authority = import_module(_AUTHORITY).process_authority()
        except ImportError:
            why = f"certificates need cryptography: {install_hint('tls')}"
            raise SettingsError("tls", "True", why) from None
        return authority

    def admin_context(self, host: str) -> "ssl.SSLContext":
        """Return the context for the HTTP API at a host, with a certificate of the authority.

        Raises:
            RuntimeError: the cluster issues none.

        """
        names = tuple({host} - {*ANYWHERE})
        settings = import_module(_TLS_SETTINGS).TlsSettings(self._certificate(names).key_store)
        context: ssl.SSLContext = import_module(_CONTEXT).server_context(settings)
        return context

    def renew(self, *, is_expired: bool = False) -> None:
        """Give each listener a valid certificate or an expired one, for new connections.

        Raises:
            RuntimeError: the cluster issues none.

        """
        for tls, hosts in self._issued:
            tls.issue(self._certificate(hosts, is_expired=is_expired))

    def _certificate(self, hosts: tuple[str, ...], *, is_expired: bool = False) -> "IssuedTls":
        return self.authority.broker_certificate(hosts, is_expired=is_expired)


def _open_keys(url: str, *, is_read_again: bool) -> "KeySource":
    source: KeySource = import_module(_KEYS).source_at(url, is_read_again=is_read_again)
    return source

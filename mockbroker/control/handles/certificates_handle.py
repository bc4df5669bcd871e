"""Handle of the certificates that a cluster with `tls=True` issues."""

from typing import TYPE_CHECKING

from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.cluster_security import ClusterSecurity

if TYPE_CHECKING:
    from mockbroker.server.tls.authority import IssuedCertificate


class CertificatesHandle:
    """The certificates of a cluster with `tls=True`.

    Raises:
        RuntimeError: by any of its methods, the cluster issues no certificates.

    """

    def __init__(self, control: ClusterControl, security: ClusterSecurity) -> None:
        """Take the cluster's control and the security of its listeners."""
        self._control = control
        self._security = security

    @property
    def ca_pem(self) -> str:
        """Certificate of the authority in PEM, which clients have to trust."""
        return self._security.authority.ca_pem

    def issue(self, common_name: str, *, expired: bool = False) -> "IssuedCertificate":
        """Issue a certificate for a client, with its private key; both are PEM.

        Its principal is `User:CN=<common_name>`, unless `ssl.principal.mapping.rules` says
        otherwise. An expired one ended yesterday, by real time: libraries for TLS do not know the
        cluster's clock.
        """
        return self._security.authority.issue(common_name, is_expired=expired)

    @action
    def expire(self) -> None:
        """Give the brokers expired certificates; as in Kafka, open connections go on."""
        self._control.change(lambda _cluster, _now_ms: self._security.renew(is_expired=True))

    @action
    def renew(self) -> None:
        """Give the brokers valid certificates."""
        self._control.change(lambda _cluster, _now_ms: self._security.renew())

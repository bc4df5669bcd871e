"""Security of the listeners of a cluster."""

import pytest

from mockbroker import Cluster, SettingsError
from mockbroker.control.cluster_security import ClusterSecurity
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from mockbroker.server.listener import ListenerSecurity
from mockbroker.settings.listener_settings import ListenerSettings, SecurityProtocol
from mockbroker.wire import WireClient
from tests.support.in_process import Brokers


def listener(protocol: SecurityProtocol) -> ListenerSettings:
    return ListenerSettings(protocol.value, "127.0.0.1", 0, "127.0.0.1", 0, protocol)


@pytest.mark.parametrize("protocol", list(SecurityProtocol))
def test_each_protocol_has_its_parts(protocol: SecurityProtocol) -> None:
    brokers = Brokers()
    brokers.state.configs.static["sasl.enabled.mechanisms"] = "PLAIN"
    security = ClusterSecurity(issues_certificates=True)
    found = security.of(brokers.state, 1, listener(protocol))
    assert (found.tls is not None) is protocol.is_ssl
    assert (found.new_gate is not None) is protocol.is_sasl
    assert (found == ListenerSecurity()) is (protocol is SecurityProtocol.PLAINTEXT)


def test_new_connections_get_a_renewed_certificate() -> None:
    brokers = Brokers()
    security = ClusterSecurity(issues_certificates=True)
    tls = security.of(brokers.state, 1, listener(SecurityProtocol.SSL)).tls
    assert tls is not None
    before = tls.context(brokers.state.configs)
    security.renew()
    assert tls.context(brokers.state.configs) is before
    security.renew(is_expired=True)
    assert tls.context(brokers.state.configs) is not before


def test_a_cluster_without_an_authority_says_so() -> None:
    with (
        Cluster() as cluster,
        pytest.raises(RuntimeError, match="issues no certificates: start it with tls=True"),
    ):
        _ = cluster.ca_pem


def test_a_listener_without_a_certificate_does_not_start() -> None:
    cluster = Cluster(config={"listeners": "SSL://127.0.0.1:0"})
    with pytest.raises(SettingsError, match="TLS needs a certificate"), cluster:
        pass


def test_changed_configs_are_checked_after_a_reset_too() -> None:
    store = AlterableConfig(name="listener.name.ssl.ssl.keystore.location", value="/no/such.p12")
    broker = AlterConfigsResource(resource_type=4, resource_name="1", configs=[store])
    request = IncrementalAlterConfigsRequest(resources=[broker])
    listeners = {"listeners": "PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0"}
    with Cluster(tls=True, config=listeners) as cluster:
        (plain,) = (each for each in cluster.listeners if each.name == "PLAINTEXT")
        cluster.reset()
        with WireClient(f"{plain.host}:{plain.port}") as client:
            answer = client.ask(request, 1, IncrementalAlterConfigsResponse)
    assert answer.responses[0].error_code == ErrorCode.INVALID_REQUEST

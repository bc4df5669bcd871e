"""ApiVersions, and requests of unknown APIs and versions."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from tests.conformance.releases import API_KEYS, CLASSIC, GENERATIONS, defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

NOT_ADVERTISED_AND_ANSWERED = {ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, ApiKey.PUSH_TELEMETRY}
SOFTWARE_BODY = b"\x02a\x021\x00"
"""The names "a" and "1" and no tagged fields, as ApiVersions v3 has them."""


@scenario(presets=(*GENERATIONS, CLASSIC))
def api_versions(talk: Talk) -> None:
    for version in talk.versions(ApiKey.API_VERSIONS):
        request = ApiVersionsRequest(client_software_name="a", client_software_version="1")
        talk.ask(f"v{version}", request, version)


@scenario()
def api_versions_too_new(talk: Talk) -> None:
    newest = talk.latest(ApiKey.API_VERSIONS)
    for version in (newest + 1, 99, 32_767, -1):
        talk.ask_raw(f"v{version}", 18, version, SOFTWARE_BODY, header_version=2, answer_version=0)
    talk.ask_raw("too new and without a body", 18, 99, header_version=1, answer_version=0)
    request = ApiVersionsRequest(client_software_name="a", client_software_version="1")
    talk.ask("the connection goes on", request, newest)


@scenario(presets=defaults_since("2.4"))
def api_versions_software_names(talk: Talk) -> None:
    newest = talk.latest(ApiKey.API_VERSIONS)
    for name, software_version in [
        ("", "1"),
        ("a", ""),
        ("a b", "1"),
        ("-a", "1"),
        ("a-", "1"),
        ("a.b", "1.0-SNAPSHOT"),
        ("ü", "1"),
        ("a_", "1"),
        (".", "1"),
        ("a", "-"),
        ("a", "1 0"),
    ]:
        request = ApiVersionsRequest(
            client_software_name=name, client_software_version=software_version
        )
        talk.ask(f"name {name!r}, version {software_version!r}", request, newest)


@scenario(presets=("4.4",))
def api_versions_wrong_cluster(talk: Talk) -> None:
    version = talk.latest(ApiKey.API_VERSIONS)
    for cluster_id, node_id in [(None, -1), (None, 1), (None, 2), ("x", -1), ("x", 1)]:
        request = ApiVersionsRequest(
            client_software_name="a",
            client_software_version="1",
            cluster_id=cluster_id,
            node_id=node_id,
        )
        talk.ask(f"cluster {cluster_id}, node {node_id}", request, version)


@scenario()
def unknown_requests(talk: Talk) -> None:
    for key, version in [(200, 0), (-1, 0), (1000, 0), (3, 99), (3, -1), (0, 99), (1, 99)]:
        talk.ask_raw(f"API {key} v{version}", key, version, b"\0" * 8)


@scenario()
def requests_to_controllers(talk: Talk) -> None:
    """Send APIs that brokers never advertise: those of controllers, and of later releases."""
    for key in sorted(API_KEYS - NOT_ADVERTISED_AND_ANSWERED):
        if key not in talk.release.versions and not ApiKey(key).is_extension:
            talk.ask_raw(f"API {key}", key, 0, header_version=1)


@scenario()
def undecodable_requests(talk: Talk) -> None:
    for title, key, version, body in [
        ("Metadata v1, cut off", 3, 1, b"\0\0"),
        ("Metadata v1 with a count of two billion", 3, 1, b"\x7f\xff\xff\xff"),
        ("Metadata v1 with a negative count", 3, 1, b"\xff\xff\xff\xfe"),
        ("Metadata v1 with bytes left over", 3, 1, b"\0\0\0\0more"),
        ("CreateTopics v2 with a null name", 19, 2, b"\0\0\0\1\xff\xff" + b"\0" * 20),
        ("InitProducerId v0, empty", 22, 0, b""),
    ]:
        talk.ask_raw(title, key, version, body)

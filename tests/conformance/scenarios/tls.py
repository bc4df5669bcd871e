"""TLS: which handshakes brokers complete, and whom they answer after that."""

import ssl
from typing import Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.tls import (
    CLIENT_AUTH,
    LISTENER,
    OWN,
    VERSIONS,
    WITH_TLS,
    client,
    name_of_the_broker,
    send_bytes,
)
from tests.conformance.tls import shake_hands as shake
from tests.conformance.tls_stores import BROKER, CLIENTS, FOLDER, OTHER_HOSTS, OTHER_NAME

RECORDED: Final = defaults_since("2.4")
V = ssl.TLSVersion
OF_1_2: Final = "ECDHE-ECDSA-AES128-GCM-SHA256"
RECORD: Final = bytes.fromhex("160301")
"""Begin of a record of a handshake, before its length."""


@scenario(listeners=(LISTENER,), settings=WITH_TLS, presets=RECORDED)
def tls_handshakes(talk: Talk) -> None:
    """Versions and suites that clients offer; no certificate is asked for."""
    for title, versions in {
        "1.2 and 1.3": (),
        "1.3": (V.TLSv1_3,),
        "1.2": (V.TLSv1_2,),
        "1.1": (V.TLSv1_1,),
        "1.0": (V.TLSv1,),
        "1.0 to 1.2": (V.TLSv1, V.TLSv1_2),
    }.items():
        shake(talk, f"a client of {title}", client(*versions))
    for title, ciphers in {
        "one suite": OF_1_2,
        "a suite without forward secrecy": "AES128-SHA256",
        "a suite for RSA": "ECDHE-RSA-AES128-GCM-SHA256",
    }.items():
        shake(talk, f"{title} of 1.2", client(V.TLSv1_2, ciphers=ciphers))
    shake(talk, "a certificate that is not asked for", client(certificate="foreign"))


@scenario(listeners=(LISTENER,), settings=WITH_TLS, presets=RECORDED)
def bytes_without_tls(talk: Talk) -> None:
    """What is no handshake ends the connection."""
    for title, data in {
        "nothing": b"",
        "a request": VERSIONS,
        "HTTP": b"GET / HTTP/1.1\r\n\r\n",
        "a byte": b"\x16",
        "the begin of a record": RECORD,
        "a record that is too long": RECORD + b"\xff\xff" + bytes(100),
        "an empty record": RECORD + b"\0\0",
        "half a record": RECORD + b"\0\x80" + bytes(64),
        "a record of zeros": RECORD + b"\0\x40" + bytes(64),
        "a record of data": bytes.fromhex("170303") + b"\0\x10" + bytes(16),
        "an alert": bytes.fromhex("150303000202") + b"\x28",
    }.items():
        send_bytes(talk, title, data)


def _with_certificates(talk: Talk) -> None:
    for version in (V.TLSv1_2, V.TLSv1_3):
        name = version.name.removeprefix("TLSv").replace("_", ".")
        shake(talk, f"no certificate, {name}", client(version))
        for each in CLIENTS:
            title = f"a certificate that is {each.replace('_', ' ')}, {name}"
            shake(talk, title, client(version, certificate=each))


@scenario(listeners=(LISTENER,), settings={**WITH_TLS, CLIENT_AUTH: "requested"}, presets=RECORDED)
def certificates_that_are_requested(talk: Talk) -> None:
    """A client may show a certificate, which has to be right then."""
    _with_certificates(talk)


@scenario(listeners=(LISTENER,), settings={**WITH_TLS, CLIENT_AUTH: "required"}, presets=RECORDED)
def certificates_that_are_required(talk: Talk) -> None:
    """A client has to show a certificate."""
    _with_certificates(talk)


# Without a secret of the encoder, 2.8 stores no passwords.
@scenario(
    listeners=(LISTENER,),
    settings={**WITH_TLS, "password.encoder.secret": "encoder"},
    presets=RECORDED,
    alone=True,
)
def stores_that_change(talk: Talk) -> None:
    """A store that cannot be read is refused, and so is a certificate of another broker."""
    talk.names.learn_text(str(FOLDER), "<stores>")
    keys, trust = OWN + "ssl.keystore.", OWN + "ssl.truststore."
    missing = "/there/is/no/such.p12"
    for title, change in {
        "a key store that is not there": {keys + "location": missing},
        "a key store of another password": {keys + "password": "wrong"},
        "a key store of another type": {keys + "type": "PEM"},
        "a key of another password": {OWN + "ssl.key.password": "wrong"},
        "a certificate of another name": {keys + "location": str(OTHER_NAME)},
        "a certificate of other hosts": {keys + "location": str(OTHER_HOSTS)},
        "no key store": {keys + "location": ""},
        "a trust store that is not there": {trust + "location": missing},
        "a trust store of another password": {trust + "password": "wrong"},
        "a trust store of another type": {trust + "type": "PEM"},
        "no kind of client authentication": {CLIENT_AUTH: "perhaps"},
        "no protocol": {OWN + "ssl.enabled.protocols": "TLSv9"},
        "no suite": {OWN + "ssl.cipher.suites": "TLS_NONE"},
        "the same key store": {keys + "location": str(BROKER)},
    }.items():
        entries = [AlterableConfig(name=name, value=value) for name, value in change.items()]
        talk.ask(
            title,
            IncrementalAlterConfigsRequest(
                resources=[
                    AlterConfigsResource(resource_type=4, resource_name="1", configs=entries)
                ]
            ),
            talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS),
        )
        talk.wait_a_moment(2)
        talk.note(title, "TLS handshake", {"the broker is": name_of_the_broker(talk)})

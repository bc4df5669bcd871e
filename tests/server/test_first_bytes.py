"""Detection of HTTP and TLS clients on a Kafka port."""

import pytest

from mockbroker.server.first_bytes import explain_first_bytes
from tests.support.in_process import Brokers, frame_of, sized
from tests.support.logged import Logged
from tests.support.requests import metadata


@pytest.mark.parametrize(
    "method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT"]
)
def test_an_http_request_gets_a_page(method: str) -> None:
    explained = explain_first_bytes(f"{method} / HTTP/1.1\r\n\r\n".encode())
    assert explained is not None
    assert explained.why == "an HTTP request on the Kafka port"
    head, _, page = explained.reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 421 Misdirected Request\r\n")
    assert f"Content-Length: {len(page)}\r\n".encode() in head
    assert b"bootstrap.servers" in page


@pytest.mark.parametrize("version", [b"\x01", b"\x03"])
def test_a_tls_hello_gets_no_answer_but_a_logged_reason(version: bytes) -> None:
    explained = explain_first_bytes(b"\x16\x03" + version + b"\x02\x00\x01")
    assert explained is not None
    assert not explained.reply
    assert "security.protocol=PLAINTEXT" in explained.why


@pytest.mark.parametrize("data", [sized(frame_of(metadata(), 12)), b"", b"\0", b"get / HTTP/1.1"])
def test_other_bytes_are_taken_for_kafka_requests(data: bytes) -> None:
    assert explain_first_bytes(data) is None


def test_a_client_that_connects_again_and_again_is_logged_and_then_counted(
    logged: Logged,
) -> None:
    brokers = Brokers()
    hello = b"\x16\x03\x01\x02\x00\x01"
    for _ in range(120):
        brokers.connect().feed(hello)
    assert [fields.get("connections") for fields in logged.named("not_kafka")] == [None, 10, 100]
    brokers.connect().feed(b"GET / HTTP/1.1\r\n\r\n")
    assert logged.named("not_kafka")[-1]["why"] == "an HTTP request on the Kafka port"

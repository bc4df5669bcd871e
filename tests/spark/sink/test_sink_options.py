"""Options of `kafka_eos`."""

import pytest

from mockbroker.protocol.types import Compression
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.sink_options import SinkOptions

SERVERS = {"kafka.bootstrap.servers": "localhost:9092"}
STREAM = {**SERVERS, "checkpointLocation": "/tmp/checkpoint"}


def of_stream(**options: str) -> SinkOptions:
    return SinkOptions.of(STREAM | options, is_stream=True)


def test_names_are_read_in_any_case() -> None:
    options = of_stream(
        TOPIC="orders",
        includeheaders="TRUE",
        failOnDataLoss="false",
        twoPhaseCommit="true",
        timeoutMs="1500",
        **{"kafka.compression.type": "zstd", "kafka.transaction.timeout.ms": "60000"},
    )
    assert options.topic == "orders"
    assert options.has_headers
    assert options.may_lose
    assert options.is_two_phase
    assert options.patience_s == 1.5
    assert options.compression is Compression.ZSTD
    assert options.transaction_timeout_ms == 60_000


def test_the_prefix_of_a_stream_is_the_same_at_every_start() -> None:
    assert of_stream().prefix == of_stream(checkpointLocation="/tmp/checkpoint/").prefix
    assert of_stream().prefix != of_stream(checkpointLocation="/tmp/other").prefix
    assert of_stream(transactionalIdPrefix="billing").prefix == "billing"


def test_a_save_has_a_prefix_of_its_own() -> None:
    first, second = (SinkOptions.of(SERVERS, is_stream=False) for _ in range(2))
    assert first.prefix != second.prefix


@pytest.mark.parametrize(
    ("options", "is_stream", "told"),
    [
        ({"tpic": "orders"}, True, "tpic: unknown option; did you mean 'topic'"),
        ({"batchId": "1"}, True, "batchId is an option of batch writes"),
        ({"batchId": "1"}, False, "batchId without transactionalIdPrefix"),
        ({"checkpointLocation": ""}, True, "a stream needs a name that is the same at every start"),
        ({"kafka.bootstrap.servers": ""}, True, "the option kafka.bootstrap.servers is missing"),
        ({"kafka.security.protocol": "SLS"}, True, "kafka.security.protocol=SLS.*protocols are"),
        ({"kafka.sasl.mechansim": "PLAIN"}, True, "did you mean 'kafka.sasl.mechanism'"),
        ({"kafka.compression.type": "zip"}, True, "zip: there are none, gzip, snappy, lz4, zstd"),
        ({"timeoutMs": "soon"}, True, "timeoutMs=soon: not a number above 0"),
        ({"kafka.max.request.size": "0"}, True, "kafka.max.request.size=0: not a number"),
        ({"failOnDataLoss": "no"}, True, "failOnDataLoss=no: write true or false"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, str], *, is_stream: bool, told: str) -> None:
    with pytest.raises(KafkaEosError, match=told):
        SinkOptions.of(STREAM | options, is_stream=is_stream)

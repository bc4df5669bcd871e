"""Results of records after errors, and the available clients."""

import sys

import pytest

from mockbroker.spark.load.load_producer import (
    Patience,
    ProducerSettings,
    SendResult,
    error_name,
    headers_of,
    make_producer,
    refusal,
)
from mockbroker.spark.load.load_script import LoadShape

SETTINGS = ProducerSettings(
    bootstrap_servers="127.0.0.1:1",
    topic="orders",
    client_id="load-0",
    delivery="plain",
    transactional_id=None,
)


class Named:
    """An error as confluent-kafka has them."""

    def name(self) -> str:
        return "_TRANSPORT"


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("_MSG_TIMED_OUT", "unknown"),
        ("KafkaTimeoutError", "unknown"),
        ("NOT_ENOUGH_REPLICAS_AFTER_APPEND", "unknown"),
        ("MSG_SIZE_TOO_LARGE", "failed"),
        ("_PURGE_QUEUE", "failed"),
        ("ProducerFencedError", "failed"),
    ],
)
def test_an_error_that_leaves_the_outcome_open_is_no_failure(name: str, outcome: str) -> None:
    assert refusal(name) == SendResult(outcome, None, name)  # type: ignore[arg-type]


def test_errors_have_the_names_of_their_clients() -> None:
    assert (error_name(Named()), error_name(TimeoutError())) == ("_TRANSPORT", "TimeoutError")


def test_a_record_names_itself_in_a_header() -> None:
    record = LoadShape(seed=7, tasks=1, records=1, partitions=1).record(0, 0)
    assert headers_of(record) == [("mockbroker.record", b"7-0-0")]


@pytest.mark.parametrize(
    ("client", "module", "package"),
    [
        ("confluent", "confluent_kafka", "confluent-kafka"),
        ("kafka-python", "kafka", "kafka-python"),
    ],
)
def test_a_client_that_is_not_installed_is_named(
    client: str, module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        make_producer("confluent" if client == "confluent" else "kafka-python", SETTINGS)


def test_patience_ends() -> None:
    assert not Patience().is_over
    assert Patience(0).is_over
    assert Patience(0).left_s == pytest.approx(0.1)

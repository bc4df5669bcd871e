"""Errors of formats, as they are found in Spark's exceptions."""

from collections.abc import Callable

import pytest

from mockbroker.spark import (
    KafkaBatchesError,
    KafkaEosError,
    kafka_batches_error,
    kafka_eos_error,
)
from mockbroker.spark.batches.batch_options import BatchOptions
from mockbroker.spark.format_errors import FormatError, cluster_of


@pytest.mark.parametrize("error", [KafkaBatchesError, KafkaEosError])
def test_the_text_has_its_name_once(error: type[FormatError]) -> None:
    assert str(error(str(error("no topic")))) == f"{error.NAME}: no topic"


@pytest.mark.parametrize(
    ("error", "found_in"),
    [(KafkaBatchesError, kafka_batches_error), (KafkaEosError, kafka_eos_error)],
)
def test_the_text_is_found_in_an_exception_of_spark(
    error: type[FormatError], found_in: Callable[[BaseException], str | None]
) -> None:
    failed = error("no topic")
    wrapped = RuntimeError(f"[STREAM_FAILED] ...\nx.{error.__name__}: {failed}\n\tat java")
    assert found_in(wrapped) == str(failed)
    assert found_in(RuntimeError("another")) is None


def test_errors_of_a_client_become_those_of_the_format() -> None:
    options = BatchOptions.of({"kafka.bootstrap.servers": "nobody", "subscribe": "t"})
    with (
        pytest.raises(KafkaEosError, match=r"kafka_eos: .*'nobody' is not written as host:port"),
        cluster_of(options, KafkaEosError),
    ):
        pass

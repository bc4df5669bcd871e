"""Error texts of `kafka_batches`."""

from mockbroker.spark.batches.batches_error import KafkaBatchesError, kafka_batches_error


def test_the_message_is_extracted_from_sparks_exception() -> None:
    error = KafkaBatchesError("topic orders does not exist")
    assert str(error) == "kafka_batches: topic orders does not exist"
    wrapped = RuntimeError(f"[DATA_SOURCE_ERROR] failed:\n x.KafkaBatchesError: {error}\n\n")
    assert kafka_batches_error(wrapped) == str(error)


def test_the_prefix_is_added_once() -> None:
    assert str(KafkaBatchesError(str(KafkaBatchesError("x")))) == "kafka_batches: x"


def test_other_errors_are_not_recognised() -> None:
    assert kafka_batches_error(ValueError("no")) is None

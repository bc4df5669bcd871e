"""The error of `kafka_eos`, as it is found in Spark's exceptions."""

from mockbroker.spark import KafkaEosError, kafka_eos_error


def test_the_text_has_its_prefix_once() -> None:
    error = KafkaEosError("kafka_eos: no topic")
    assert str(error) == str(KafkaEosError("no topic")) == "kafka_eos: no topic"


def test_the_sentence_is_found_in_an_exception_of_spark() -> None:
    wrapped = RuntimeError("[STREAM_FAILED] ...\nKafkaEosError: kafka_eos: no topic\n\tat java")
    assert kafka_eos_error(wrapped) == "kafka_eos: no topic"
    assert kafka_eos_error(RuntimeError("another")) is None

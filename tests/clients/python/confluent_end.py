"""End of a producer of confluent-kafka that nobody waits for."""

from contextlib import suppress

from confluent_kafka import KafkaException, Producer


def end(producer: Producer) -> None:
    """Purge, and serve the reports: one that is not served keeps the producer alive."""
    producer.purge()
    with suppress(KafkaException, SystemError):  # a fatal error that was not reported yet
        producer.poll(0)

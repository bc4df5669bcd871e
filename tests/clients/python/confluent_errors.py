"""Errors of confluent-kafka, by librdkafka's names."""

from collections.abc import Generator
from contextlib import contextmanager

from confluent_kafka import KafkaError, KafkaException

from tests.clients.support.transactional_client import ClientError


@contextmanager
def named_errors() -> Generator[None]:
    """Convert the client's errors to those of the scenarios."""
    try:
        yield
    except (KafkaException, SystemError) as exception:
        # serving a delivery report while a fatal error is being raised makes that a SystemError
        cause = exception.__cause__ if isinstance(exception, SystemError) else exception
        if not isinstance(cause, KafkaException):
            raise
        error: KafkaError = cause.args[0]
        raise ClientError(error.name(), str(error)) from exception

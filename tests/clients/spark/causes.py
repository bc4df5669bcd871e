"""Causes of Spark's failures: the Java exceptions inside Python's."""

from collections.abc import Callable, Iterator
from typing import Any, Final

_WRAPPINGS: Final = frozenset({"ExecutionException", "SparkException", "StreamingQueryException"})
"""Messages about failures that contain numbers of tasks and runs."""


def causes_of(run: Callable[[], object]) -> list[str]:
    """Run a failing Spark call, and return class and message of each cause, outermost first.

    Raises: AssertionError when it does not fail.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        run()
    except (Py4JJavaError, PySparkException) as error:
        return causes_in(error)
    raise AssertionError("it did not fail")


def causes_in(error: Exception) -> list[str]:
    """Return class and message of each cause of a failed Spark call, outermost first."""
    thrown = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    return list(_causes(thrown))


def _causes(thrown: Any) -> Iterator[str]:
    while thrown is not None:
        name = str(thrown.getClass().getSimpleName())
        message = str(thrown.getMessage() or "").strip()
        yield name if name in _WRAPPINGS else f"{name}: {message}"
        thrown = thrown.getCause()

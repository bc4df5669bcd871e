"""One-line reasons from Spark's exceptions, which contain whole stack traces."""

import re
from typing import Final

from pyspark.errors import PySparkException

try:
    from py4j.protocol import Py4JError
except ImportError:  # with Spark Connect it may be missing
    SPARK_ERRORS: tuple[type[Exception], ...] = (PySparkException,)
else:
    SPARK_ERRORS = (PySparkException, Py4JError)

_CAUSE: Final = re.compile(r"Caused by: (?:[\w.$]+: )?(?P<said>[^\n]+)")
_CONDITION: Final = re.compile(r"^(?:[\w.$]+: )*\[[A-Z_0-9.]+\] ")
_OF_PYTHON: Final = re.compile(
    r"^Traceback .*?^(?:[\w.]+\.)?(?P<said>\w+: [^\n]+)", re.MULTILINE | re.DOTALL
)
"""Exception in a Python worker: the first line after its indented frames."""
_STATE: Final = re.compile(r"\s*SQLSTATE: \w+")
_LENGTH_MAX: Final = 300


def reason_of(error: BaseException) -> str:
    """Return the innermost cause of a Spark exception, without its stack trace."""
    text = str(error)
    causes = [match["said"] for match in _CAUSE.finditer(text)]
    raised = _OF_PYTHON.search(text)
    if raised is not None:
        said = raised["said"]
    else:
        said = causes[-1] if causes else _first_line(text) or type(error).__name__
    return _shortened(_STATE.sub("", _CONDITION.sub("", said)))


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # py4j first names the failed call, and then has the JVM's message.
    of_java = [line.removeprefix(": ") for line in lines if line.startswith(": ")]
    return (of_java or lines or [""])[0]


def _shortened(text: str) -> str:
    text = text.strip().rstrip(".")
    return text if len(text) <= _LENGTH_MAX else f"{text[: _LENGTH_MAX - 1]}…"

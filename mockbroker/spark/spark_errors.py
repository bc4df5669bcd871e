"""What Spark says went wrong, in one line: its exceptions carry whole stack traces."""

import re
from typing import Final

_CAUSE: Final = re.compile(r"Caused by: (?:[\w.$]+: )?(?P<said>[^\n]+)")
_CONDITION: Final = re.compile(r"^(?:[\w.$]+: )*\[[A-Z_0-9.]+\] ")
_OF_PYTHON: Final = re.compile(
    r"^Traceback .*?^(?:[\w.]+\.)?(?P<said>\w+: [^\n]+)", re.MULTILINE | re.DOTALL
)
"""What a worker's Python raised: the first line behind its frames, which are indented."""
_STATE: Final = re.compile(r"\s*SQLSTATE: \w+")
_LENGTH_MAX: Final = 300


def spark_errors() -> tuple[type[Exception], ...]:
    """Return what calls of Spark raise; Spark Connect needs no py4j, and may be without it."""
    from pyspark.errors import PySparkException

    try:
        from py4j.protocol import Py4JError
    except ImportError:
        return (PySparkException,)
    return PySparkException, Py4JError


def reason_of(error: BaseException) -> str:
    """Return the innermost cause that an exception of Spark tells, without its stack trace."""
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
    # py4j says first which of its calls failed, and then what the JVM said.
    of_java = [line.removeprefix(": ") for line in lines if line.startswith(": ")]
    return (of_java or lines or [""])[0]


def _shortened(text: str) -> str:
    text = text.strip().rstrip(".")
    return text if len(text) <= _LENGTH_MAX else f"{text[: _LENGTH_MAX - 1]}…"

"""Structured logs on stderr: for people on a terminal, as JSON lines elsewhere.

structlog takes longer to import than a broker to start, so it is imported at the first event.
"""

import os
import sys
from functools import cache
from typing import Any, Final

from mockbroker.events.printable import printable, printable_lines

LEVELS: Final = ("debug", "info", "warning", "error")
_threshold: list[int] = [LEVELS.index("info")]
_formats: list[str] = ["auto"]


def configure(*, level: str | None = None, log_format: str | None = None) -> None:
    """Set the lowest level shown (info), and the format: `console`, `json`, or by the terminal."""
    _threshold[0] = LEVELS.index(level or "info")
    _formats[0] = log_format or "auto"
    _logger.cache_clear()


def debug(event: str, **fields: object) -> None:
    """Log a detail for developers of the broker."""
    _emit("debug", event, fields)


def info(event: str, **fields: object) -> None:
    """Log an event of normal operation."""
    _emit("info", event, fields)


def warning(event: str, **fields: object) -> None:
    """Log an event that needs the user's attention."""
    _emit("warning", event, fields)


def error(event: str, **fields: object) -> None:
    """Log a defect of mockbroker."""
    _emit("error", event, fields)


def _emit(level: str, event: str, fields: dict[str, object]) -> None:
    if LEVELS.index(level) >= _threshold[0]:
        getattr(_logger(), level)(event, **fields)


def _without_controls(_logger: Any, _level: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Escape control characters; the text of an exception keeps its lines."""
    escape = {"exception": printable_lines}
    return {
        name: escape.get(name, printable)(value) if isinstance(value, str) else value
        for name, value in fields.items()
    }


@cache
def _logger() -> Any:
    # Imported late: most starts log nothing.
    import structlog

    is_terminal = sys.stderr.isatty()
    as_json = _formats[0] == "json" or (_formats[0] == "auto" and not is_terminal)
    renderer = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=is_terminal and "NO_COLOR" not in os.environ)
    )
    return structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", key="ts"),
            structlog.processors.format_exc_info,
            *(() if as_json else (_without_controls,)),
            renderer,
        ],
    )

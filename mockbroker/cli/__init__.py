"""Command line interface, and the exit codes of its commands."""

from typing import Final

EXIT_FAILED: Final = 1
"""An expectation does not hold."""
EXIT_USAGE: Final = 2
EXIT_UNREACHABLE: Final = 3
"""No admin API or broker answers at the address."""
EXIT_TIMED_OUT: Final = 4
EXIT_INTERRUPTED: Final = 130

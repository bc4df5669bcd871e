"""Forms of values in a notebook."""

from typing import Final

_METHOD: Final = "_repr_html_"


def notebook_html(value: object) -> str:
    """Return what a notebook shows for a value."""
    shown: str = getattr(value, _METHOD)()
    return shown

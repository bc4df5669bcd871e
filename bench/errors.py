"""The bench's exception: a measurement failed, with the reason."""


class CannotMeasureError(RuntimeError):
    """Raised when something is missing or went wrong; the text is printed in the report's notes."""

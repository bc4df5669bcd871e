"""The one error of the bench: a measurement that could not be made, and why."""


class CannotMeasureError(RuntimeError):
    """Raised when something is missing or went wrong; the text is printed in the report's notes."""

"""Exception for a machine that cannot run Spark."""


class SparkUnavailableError(Exception):
    """Spark cannot start here; the text has the missing part and advice in one line."""

"""What stands in the way of Spark on this machine, in words."""


class SparkUnavailableError(Exception):
    """Spark cannot start here: one line says what is missing, and what to do."""

"""The error of a setting that cannot be."""


class SettingsError(ValueError):
    """A setting that cannot be: which, what it was set to, and what is allowed."""

    def __init__(self, key: str, value: str, why: str) -> None:
        """Name the setting as the user wrote it."""
        super().__init__(f"{key}={value}: {why}")
        self.key = key
        self.value = value
        self.why = why

"""Error of an invalid setting."""


class SettingsError(ValueError):
    """An invalid setting: its name, its value, and the allowed values."""

    def __init__(self, key: str, value: str, why: str) -> None:
        """Name the setting as the user wrote it."""
        super().__init__(f"{key}={value}: {why}")
        self.key = key
        self.value = value
        self.why = why

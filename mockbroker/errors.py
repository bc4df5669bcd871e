"""The error of a setting that cannot be, and names that may have been meant."""

from collections.abc import Iterable


class SettingsError(ValueError):
    """An invalid setting: its name, its value, and the allowed values."""

    def __init__(self, key: str, value: str, why: str) -> None:
        """Name the setting as the user wrote it."""
        super().__init__(f"{key}={value}: {why}")
        self.key = key
        self.value = value
        self.why = why


def similar_names(name: str, names: Iterable[str], count_max: int = 3) -> list[str]:
    """Return the names that resemble one that does not exist, the closest first."""
    # Imported late: only wrong names need it.
    from difflib import get_close_matches

    return get_close_matches(name, list(names), n=count_max)

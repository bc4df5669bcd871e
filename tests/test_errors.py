"""The error of a setting that cannot be."""

from mockbroker.errors import SettingsError


def test_a_settings_error_has_the_setting_and_the_reason() -> None:
    error = SettingsError("--port", "-1", "allowed are 0 to 65535")
    assert str(error) == "--port=-1: allowed are 0 to 65535"
    assert (error.key, error.value, error.why) == ("--port", "-1", "allowed are 0 to 65535")
    assert isinstance(error, ValueError)

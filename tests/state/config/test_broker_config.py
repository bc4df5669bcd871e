"""Known and unknown settings, valid and invalid values."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.broker_config import check_broker_configs


def test_known_and_unknown_settings_are_separated() -> None:
    known, unknown = check_broker_configs(
        "4.4", {"num.partitions": "3", "zookeeper.connect": "x", "mockbroker.seed": "1"}
    )
    assert known == {"num.partitions": "3", "mockbroker.seed": "1"}
    assert unknown == ["zookeeper.connect"]


def test_known_configs_depend_on_the_release() -> None:
    known, unknown = check_broker_configs("2.4", {"zookeeper.connect": "x"})
    assert (known, unknown) == ({"zookeeper.connect": "x"}, [])


def test_a_wrong_value_is_refused() -> None:
    with pytest.raises(ApiError) as refusal:
        check_broker_configs("4.4", {"num.partitions": "0"})
    assert refusal.value.code is ErrorCode.INVALID_CONFIG
    assert refusal.value.why == (
        "Invalid value 0 for configuration num.partitions: Value must be at least 1"
    )

"""Arguments of `Cluster`, as people write them."""

from typing import get_args

from mockbroker import Release
from mockbroker.settings.python_arguments import config_text
from mockbroker.state.release.options import SUPPORTED_RELEASES


def test_type_checkers_know_the_supported_releases() -> None:
    assert get_args(Release) == SUPPORTED_RELEASES


def test_a_config_has_the_text_that_kafka_reads() -> None:
    assert [config_text(value) for value in (True, False, 3, 0.5, "3")] == [
        "true",
        "false",
        "3",
        "0.5",
        "3",
    ]

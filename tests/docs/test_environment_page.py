"""The page on environment variables matches the code."""

import pytest

from mockbroker.settings.environment import OWN_VARIABLES
from tools.environment_reference import PAGE, is_modelled, page


def test_the_page_matches_the_code() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `make docs`"


@pytest.mark.parametrize(
    "config",
    [
        "auto.create.topics.enable",
        "message.max.bytes",
        "num.partitions",
        "producer.id.expiration.ms",
        "transaction.max.timeout.ms",
        "transaction.state.log.min.isr",
    ],
)
def test_configs_that_the_code_reads_are_modelled(config: str) -> None:
    assert is_modelled(config)


@pytest.mark.parametrize("config", ["log.roll.jitter.ms", "num.io.threads", "process.roles"])
def test_configs_that_the_code_does_not_read_are_not_modelled(config: str) -> None:
    assert not is_modelled(config)


def test_every_variable_of_mockbroker_is_explained() -> None:
    for row in OWN_VARIABLES:
        assert f"| `{row.name}` | " in page()

"""A listener's configs, which may differ by the mechanism."""

from mockbroker.broker.authentication.authentication_config import ListenerConfigs
from tests.support.in_process import Brokers

NAME = "connections.max.reauth.ms"


def test_the_value_of_the_mechanism_comes_before_the_listeners_and_that_before_the_brokers() -> (
    None
):
    given = {
        NAME: "1",
        f"listener.name.outside.{NAME}": "2",
        f"listener.name.outside.plain.{NAME}": "3",
    }
    repository = Brokers(configs=given).state.configs
    outside, inside = (ListenerConfigs(repository, name, 1) for name in ("OUTSIDE", "INSIDE"))
    assert [outside.value(NAME, "PLAIN"), outside.value(NAME, "SCRAM-SHA-256")] == [3, 2]
    assert [outside.value(NAME), inside.value(NAME, "PLAIN")] == [2, 1]
    assert [outside.own(NAME, "PLAIN"), inside.own(NAME, "PLAIN")] == [3, None]

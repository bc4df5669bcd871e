"""Initial configs of a cluster."""

from mockbroker.state.config.initial_configs import initial_configs
from mockbroker.state.release.options import Options


def test_configs_of_a_broker_override_those_of_all() -> None:
    configs = initial_configs(
        Options.for_release("4.4"),
        [1, 2],
        {"num.partitions": "3"},
        {2: {"broker.rack": "east"}},
    )
    assert configs.broker_integer("num.partitions") == 3
    assert [configs.broker_value("broker.rack", n) for n in (1, 2)] == [None, "east"]
    assert configs.broker_integer("broker.id", 2) == 2
    assert configs.broker_integer("log.roll.hours") == 168


def test_internal_topics_have_as_many_replicas_as_there_are_brokers_up_to_three() -> None:
    for brokers, replicas in [(1, 1), (2, 2), (5, 3)]:
        configs = initial_configs(Options.for_release("4.4"), range(brokers), {}, {})
        assert configs.broker_integer("offsets.topic.replication.factor") == replicas

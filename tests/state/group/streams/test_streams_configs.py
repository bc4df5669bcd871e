from mockbroker.state.config.named_configs import GROUP
from mockbroker.state.group.streams.streams_configs import StreamsConfigs
from tests.state.group.streams.streams_building import APP, cluster_of


def test_settings_of_a_group_come_before_those_of_its_broker() -> None:
    cluster = cluster_of()
    configs = StreamsConfigs(cluster.configs, 1)
    assert configs.integer("session.timeout.ms", APP) == 45_000
    cluster.configs.set_named_overrides(GROUP, APP, {"streams.session.timeout.ms": "50000"})
    assert configs.integer("session.timeout.ms", APP) == 50_000


def test_assignment_configs_have_tags_only_if_some_are_required() -> None:
    cluster = cluster_of()
    configs = StreamsConfigs(cluster.configs, 1)
    assert configs.assignment_configs(APP) == {"num.standby.replicas": "0"}
    tags = {"streams.rack.aware.assignment.tags": "zone, cluster"}
    cluster.configs.set_named_overrides(GROUP, APP, tags)
    assert configs.assignment_configs(APP) == {
        "num.standby.replicas": "0",
        "rack.aware.assignment.tags": "zone,cluster",
    }


def test_the_largest_size_is_that_of_the_broker() -> None:
    cluster = cluster_of(configs={"group.streams.max.size": "7"})
    assert StreamsConfigs(cluster.configs, 1).max_size() == 7

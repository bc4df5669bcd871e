"""The arguments of a cluster as one value."""

import inspect

import pytest

from mockbroker import Cluster, Options


def test_options_are_the_arguments_of_a_cluster_with_the_same_defaults() -> None:
    parameters = inspect.signature(Cluster).parameters
    assert Options.names() == tuple(parameters)
    for name, value in Options().as_arguments().items():
        default = parameters[name].default
        assert value == ({} if default is None and isinstance(value, dict) else default), name


def test_some_options_can_be_changed() -> None:
    options = Options(brokers=3, kafka="2.4")
    assert options.but({"kafka": "3.9"}) == Options(brokers=3, kafka="3.9")
    assert options == Options(brokers=3, kafka="2.4")


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"unknown option brokrs; the options are brokers, kafka, "
    ):
        Options().but({"brokrs": 3})


def test_a_cluster_can_be_made_with_options() -> None:
    with Cluster(**Options(brokers=2).as_arguments()) as cluster:
        assert len(cluster.bootstrap_servers.split(",")) == 2

"""The table of actions is made from the methods of a cluster."""

from datetime import timedelta
from inspect import isfunction

import msgspec
import pytest

from mockbroker import Cluster
from mockbroker.control.broker_control import BrokerControl
from mockbroker.control.cluster_control import ACTION
from mockbroker.control.handles.coordinator_control import CoordinatorControl
from mockbroker.control.handles.group_handle import GroupHandle
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.replica_handle import ReplicaHandle
from mockbroker.control.handles.transaction_handle import TransactionHandle
from mockbroker.scenario.actions import action_of, actions, find_action

READ_ONLY = {"coordinator_of", "handle", "replica", "to_svg"}


@pytest.mark.parametrize(
    "kind",
    [
        BrokerControl,
        CoordinatorControl,
        GroupHandle,
        PartitionHandle,
        ReplicaHandle,
        TransactionHandle,
    ],
)
def test_every_method_that_changes_a_cluster_is_an_action(kind: type) -> None:
    methods = {
        name for name, each in vars(kind).items() if isfunction(each) and not name.startswith("_")
    }
    marked = {name for name in methods if hasattr(getattr(kind, name), ACTION)}
    assert methods - marked <= READ_ONLY
    assert all(action_of(f"{kind.__name__}.{name}") for name in marked)


def test_an_action_has_the_name_and_the_arguments_of_python() -> None:
    elect = find_action("partition.elect")
    assert elect.document.__struct_encode_fields__[:3] == ("topic", "partition", "to")
    assert elect.first_argument == "topic"
    assert elect.needs_arguments
    assert elect.about.startswith("Elect a leader")
    assert not find_action("flush").needs_arguments
    assert find_action("stop_broker").method == "BrokerControl.stop"


def test_an_action_is_performed_on_its_part() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, journal=True) as cluster:
        find_action("partition.elect").perform(
            cluster, {"topic": "orders", "partition": 0, "to": 3}
        )
        find_action("replica.hold_offsets").perform(
            cluster, {"topic": "orders", "partition": 0, "broker": 1}
        )
        find_action("transaction.hold_ending").perform(cluster, {"transactional_id": "mine"})
        find_action("group.hold_reconciliation").perform(cluster, {"group": "readers"})
        find_action("quotas.set").perform(
            cluster, {"quota": "producer_byte_rate", "value": 5.0, "user": "alice"}
        )
        assert cluster.partition("orders", 0).leader == 3
        assert len(cluster.quotas.all()) == 1


def test_the_arguments_of_a_call_are_those_that_differ_from_their_defaults() -> None:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        cluster.partition("orders", 0).elect(2, producer_state="full", log="truncate")
        (call,) = cluster.action_log().entries
        action = action_of("PartitionHandle.elect")
        assert action is not None
        given = action.arguments_of(call.holder, call.args, call.kwargs)  # type: ignore[union-attr]
    assert given == {"topic": "orders", "partition": 0, "to": 2, "log": "truncate"}


def test_the_durations_of_a_call_are_written_as_text() -> None:
    with Cluster() as cluster:
        cluster.create_topic("orders", config={"retention.ms": timedelta(days=7)})
        (call,) = cluster.action_log().entries
        action = find_action("create_topic")
        given = action.arguments_of(call.holder, call.args, call.kwargs)  # type: ignore[union-attr]
        assert given == {"name": "orders", "config": {"retention.ms": "7d"}}
        action.perform(cluster, given | {"name": "again"})


def test_faults_are_made_replaced_released_and_removed() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        for error in ("REQUEST_TIMED_OUT", "NOT_LEADER_OR_FOLLOWER"):
            find_action("fault").perform(
                cluster, {"id": "a", "match": {"api": "Produce"}, "effect": {"answer": error}}
            )
        (fault,) = cluster.faults
        assert "NOT_LEADER_OR_FOLLOWER" in str(fault)
        find_action("fault.release").perform(cluster, {"fault": "a"})
        find_action("fault.remove").perform(cluster, {"fault": "a"})
        assert not cluster.faults
        with pytest.raises(LookupError, match="there is no fault 'a'"):
            find_action("fault.remove").perform(cluster, {"fault": "a"})


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("advance", "there is no action 'advance'; did you mean clock.advance?"),
        ("release", "did you mean fault.release or transaction.release or group.release?"),
        ("kil", "there is no action 'kil'; did you mean kill?"),
        ("wait_four", "did you mean wait_for?"),
        ("zzzzzz", "there is no action 'zzzzzz'"),
    ],
)
def test_an_unknown_action_is_refused_with_names_that_are_near(name: str, why: str) -> None:
    with pytest.raises(ValueError, match="there is no action") as refused:
        find_action(name)
    assert str(refused.value).endswith(why)


def test_arguments_are_checked_by_their_types_and_forms() -> None:
    find_action("clock.advance").check({"by": "7d"})
    find_action("clock.set").check({"to": "2027-01-01T00:00:00Z"})
    with pytest.raises(ValueError, match="'7x' is not a duration"):
        find_action("clock.advance").check({"by": "7x"})
    with pytest.raises(ValueError, match="is not a time"):
        find_action("clock.set").check({"to": "soon"})
    with pytest.raises(msgspec.ValidationError, match=r"Expected `int`, got `str`.*\$.broker"):
        find_action("kill").check({"broker": "one"})
    with pytest.raises(msgspec.ValidationError, match="Invalid enum value 'some'"):
        find_action("start").check({"broker": 1, "producer_snapshot": "some"})


def test_the_description_of_every_action_is_a_sentence() -> None:
    assert all(each.about and each.about[0].isupper() for each in actions().values())

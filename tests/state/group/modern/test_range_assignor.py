from mockbroker.state.group.modern.group_spec import GroupSpec, MemberSpec
from mockbroker.state.group.modern.range_assignor import assign_ranges
from tests.state.group.modern.group_specs import OTHER, TOPIC, group_spec


def test_each_member_gets_a_range_of_each_topic() -> None:
    spec = group_spec({"b": (TOPIC, OTHER), "a": (TOPIC, OTHER)}, {TOPIC: 3, OTHER: 1})
    assert assign_ranges(spec) == {"a": {TOPIC: {0, 1}, OTHER: {0}}, "b": {TOPIC: {2}}}


def test_a_topic_is_divided_among_its_subscribers() -> None:
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC, OTHER), "c": ()}, {TOPIC: 4, OTHER: 2})
    assert assign_ranges(spec) == {
        "a": {TOPIC: {0, 1}},
        "b": {TOPIC: {2, 3}, OTHER: {0, 1}},
        "c": {},
    }


def test_static_members_come_first_by_instance_id() -> None:
    members = {
        "a": MemberSpec((TOPIC,), None),
        "b": MemberSpec((TOPIC,), None, "y"),
        "c": MemberSpec((TOPIC,), None, "x"),
    }
    found = assign_ranges(GroupSpec(members, True, {}, {TOPIC: 3}))
    assert found == {"c": {TOPIC: {0}}, "b": {TOPIC: {1}}, "a": {TOPIC: {2}}}

from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.modern_records import (
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)
from mockbroker.state.group.modern.range_assignor import assign_ranges
from mockbroker.state.group.modern.target_assignment import TargetAssignment, compute_target
from tests.state.group.modern.group_specs import TOPIC, group_spec

KIND = GroupKind.CONSUMER


def record(member_id: str, *partitions: int) -> TargetAssignmentRecord:
    value = {TOPIC: frozenset(partitions)} if partitions else None
    return TargetAssignmentRecord(KIND, "g", member_id, value)


def test_only_changed_targets_have_records() -> None:
    owned = {"a": {TOPIC: frozenset({0})}, "b": None, "c": {}}
    spec = group_spec({"a": (TOPIC,), "b": (TOPIC,), "c": ()}, {TOPIC: 2}, owned)
    computed = compute_target((KIND, "g"), 7, spec, assign_ranges, 99)
    assert computed.records == [
        record("b", 1),
        TargetEpochRecord(KIND, "g", TargetEpoch(7, 99)),
    ]
    assert computed.members["a"] == {TOPIC: {0}}


def test_a_new_member_has_a_record_even_without_partitions() -> None:
    spec = group_spec({"a": ()}, {}, {"a": None})
    computed = compute_target((KIND, "g"), 2, spec, assign_ranges, 99)
    assert computed.records[0] == TargetAssignmentRecord(KIND, "g", "a", {})


def test_owners_follow_the_records() -> None:
    target = TargetAssignment()
    target.replay(record("a", 0, 1))
    target.replay(record("b", 1))
    target.replay(record("a", 0))
    assert target.owners[TOPIC] == {0: "a", 1: "b"}
    target.replay(record("b"))
    assert target.owners[TOPIC] == {0: "a"}
    assert not target.of("b")
    assert target.as_text()[1] == f"  target a {TOPIC}:[0]"


def test_the_next_computation_waits_for_the_interval() -> None:
    target = TargetAssignment()
    assert target.can_be_computed(1000, 5)
    target.replay(TargetEpochRecord(KIND, "g", TargetEpoch(2, 5_000)))
    assert not target.can_be_computed(1000, 5_999)
    assert target.can_be_computed(1000, 6_000)
    assert target.can_be_computed(0, 5_000)
    target.replay(TargetEpochRecord(KIND, "g", None))
    assert (target.epoch, target.timestamp_ms) == (-1, 0)

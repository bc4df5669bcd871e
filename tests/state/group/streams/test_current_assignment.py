import json
from pathlib import Path
from typing import Any

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.group.streams.current_assignment import (
    TaskHolders,
    held_back,
    reconcile,
)
from mockbroker.state.group.streams.streams_group_member import (
    StreamsGroupMember,
    StreamsMemberState,
)
from mockbroker.state.group.streams.tasks import (
    NO_TASKS,
    NONE_ASSIGNED,
    AssignedTasks,
    TaskId,
    TasksTuple,
)

RECORDED = Path(__file__).with_name("recorded_reconciliations.jsonl")
"""Random members, and what the `CurrentAssignmentBuilder` of Kafka 4.4.0 made of them."""

STABLE, UNREVOKED, UNRELEASED, UNKNOWN = StreamsMemberState
ACTIVE_0 = TasksTuple({"0": frozenset({0})})
STANDBY_0 = TasksTuple(standby={"0": frozenset({0})})


def recorded() -> list[Any]:
    return [json.loads(line) for line in RECORDED.read_text().splitlines()]


def tasks(roles: list[dict[str, list[int]]]) -> TasksTuple:
    return TasksTuple(
        *({name: frozenset(listed) for name, listed in role.items()} for role in roles)
    )


def assigned(roles: list[Any]) -> AssignedTasks:
    epochs, standby, warmup = roles
    _, others, warm = tasks([{}, standby, warmup])
    active = {name: {int(p): epoch for p, epoch in each.items()} for name, each in epochs.items()}
    return AssignedTasks(active, others, warm)


@pytest.mark.parametrize("case", recorded())
def test_steps_are_those_of_kafka(case: Any) -> None:
    member = StreamsGroupMember(
        "m",
        case["epoch"],
        case["epoch"] - 1,
        StreamsMemberState(case["state"]),
        process_id="p0",
        assigned=assigned(case["assigned"]),
        pending_revocation=assigned(case["pending"]),
    )
    holders = TaskHolders(
        lambda task: case["active"].get(str(task)),
        lambda task: frozenset(case["standby"][str(task)]),
        lambda task: frozenset(case["warmup"][str(task)]),
    )
    owned = None if case["owned"] is None else tasks(case["owned"])
    target = tasks(case["target"])
    if case["result"] is None:
        with pytest.raises(ApiError) as refused:
            reconcile(member, case["target_epoch"], target, holders, owned)
        assert refused.value.code is ErrorCode.FENCED_MEMBER_EPOCH
        return
    epoch, previous, state, kept, revoked = case["result"]
    assert reconcile(member, case["target_epoch"], target, holders, owned) == member._replace(
        member_epoch=epoch,
        previous_member_epoch=previous,
        state=StreamsMemberState(state),
        assigned=assigned(kept),
        pending_revocation=assigned(revoked),
    )


def free() -> TaskHolders:
    return TaskHolders(lambda _: None, lambda _: frozenset(), lambda _: frozenset())


def test_a_new_member_gets_what_nobody_holds() -> None:
    member = reconcile(StreamsGroupMember("m"), 2, ACTIVE_0, free(), NO_TASKS)
    assert member.member_epoch == 2
    assert member.state is STABLE
    assert member.assigned == AssignedTasks({"0": {0: 2}})


def test_a_member_waits_for_a_task_of_another_process() -> None:
    held = free()._replace(active={TaskId("0", 0): "q"}.get)
    member = reconcile(StreamsGroupMember("m", process_id="p"), 2, ACTIVE_0, held, NO_TASKS)
    assert (member.state, member.member_epoch) == (UNRELEASED, 2)
    assert member.assigned == NONE_ASSIGNED
    assert reconcile(member, 2, ACTIVE_0, free(), None).state is STABLE


def test_a_member_keeps_its_epoch_until_it_has_given_up_its_tasks() -> None:
    owner = StreamsGroupMember("m", 2, assigned=AssignedTasks({"0": {0: 2}}))
    waiting = reconcile(owner, 3, NO_TASKS, free(), None)
    assert (waiting.state, waiting.member_epoch) == (UNREVOKED, 2)
    assert waiting.pending_revocation == AssignedTasks({"0": {0: 2}})
    assert reconcile(waiting, 3, NO_TASKS, free(), ACTIVE_0) is waiting
    released = reconcile(waiting, 3, NO_TASKS, free(), NO_TASKS)
    assert (released.state, released.member_epoch) == (STABLE, 3)
    assert released.pending_revocation == NONE_ASSIGNED


def test_a_member_makes_an_active_task_standby_at_once() -> None:
    owner = StreamsGroupMember("m", 2, process_id="p", assigned=AssignedTasks({"0": {0: 2}}))
    held = free()._replace(active={TaskId("0", 0): "p"}.get)
    waiting = reconcile(owner, 3, STANDBY_0, held, None)
    assert (waiting.state, waiting.assigned.standby) == (UNREVOKED, {"0": frozenset({0})})


def test_a_reconciled_member_stays_as_it_is() -> None:
    member = StreamsGroupMember("m", 2)
    assert reconcile(member, 2, ACTIVE_0, free(), None) is member


def test_a_member_in_an_unknown_state_starts_over_without_tasks() -> None:
    member = StreamsGroupMember("m", 2, state=UNKNOWN)
    assert reconcile(member, 4, ACTIVE_0, free(), NO_TASKS).member_epoch == 4


def test_a_held_member_stays_unless_it_joins_or_has_given_up() -> None:
    member = StreamsGroupMember("m", 2, 1, assigned=AssignedTasks({"0": {0: 2}}))
    assert held_back(member, 3, None) == member
    joined = held_back(StreamsGroupMember("m"), 3, NO_TASKS)
    assert joined == StreamsGroupMember("m", 3, 0, UNRELEASED)
    revoking = member._replace(
        state=UNREVOKED, pending_revocation=AssignedTasks(standby={"1": frozenset({0})})
    )
    assert held_back(revoking, 3, None) == revoking
    assert held_back(revoking, 3, TasksTuple(standby={"1": frozenset({0})})) == revoking
    after = held_back(revoking, 3, ACTIVE_0)
    assert after == member._replace(member_epoch=3, previous_member_epoch=2, state=UNRELEASED)

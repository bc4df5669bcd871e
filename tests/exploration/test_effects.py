"""Experiments at a call: what may become of its request, its answer, and the cluster meanwhile."""

import json

import pytest

from mockbroker import API
from mockbroker.exploration.effects import experiments_at
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.points import Point, SeenCall
from mockbroker.scenario.reading import scenario_of

OWNER = ("transactional_id", "billing")
PRODUCE = SeenCall(Point(API.PRODUCE, "app", OWNER, 2), 10, "Ongoing", (("orders", 0),), "billing")
END_TXN = SeenCall(Point(API.END_TXN, "app", OWNER, 1), 4, "Ongoing", (), "billing")
INIT = SeenCall(Point(API.INIT_PRODUCER_ID, "app", OWNER, 1), 4, "Empty", (), "billing")
COMMIT = SeenCall(Point(API.OFFSET_COMMIT, "app", ("group", "g"), 1), 8, "Stable", (), None)
CONNECT = SeenCall(Point(API.API_VERSIONS, "app", None, 1), 3, "", (), None)


def api_of(call: SeenCall) -> str:
    return call.point.api.title


def effects(call: SeenCall, broker_count: int = 3) -> dict[str, Experiment]:
    return {each.effect: each for each in experiments_at(call, broker_count=broker_count)}


@pytest.mark.parametrize("call", [PRODUCE, END_TXN, INIT, COMMIT, CONNECT], ids=api_of)
def test_every_experiment_is_a_valid_scenario(call: SeenCall) -> None:
    for experiment in effects(call).values():
        scenario = scenario_of(json.dumps(experiment.scenario()), "experiment.json")
        assert scenario.name == f"{call.point}: {experiment.effect}"
        assert scenario.faults[0].document.match.api == call.point.api.title


def test_a_request_and_its_answer_are_lost_at_every_call() -> None:
    for call in (PRODUCE, END_TXN, INIT, COMMIT, CONNECT):
        assert {"the answer is lost", "the request is lost"} <= effects(call).keys()
        assert effects(call)["the answer never comes"].needs_time


def test_only_what_writes_arrives_twice_or_late() -> None:
    assert {"it arrives twice", "it arrives after its retry"} <= effects(END_TXN).keys()
    assert not {"it arrives twice", "it arrives after its retry"} & effects(COMMIT).keys()


def test_an_end_arrives_with_the_first_produce_of_the_next_transaction() -> None:
    assert "it arrives in the next transaction" not in effects(END_TXN)
    followed = END_TXN._replace(next_produce=PRODUCE.point)
    later, held = effects(followed)["it arrives in the next transaction"].faults
    assert held["effect"]["until"] == {"fault": later["id"], "hits": 1}
    assert (later["match"]["api"], later["trigger"]) == ("Produce", {"on_call": 2})


def test_a_call_is_answered_with_the_errors_that_brokers_send_there() -> None:
    assert "it is answered with PRODUCER_FENCED" in effects(END_TXN)
    assert "it is answered with NOT_LEADER_OR_FOLLOWER" in effects(PRODUCE)
    assert "it is answered with NOT_LEADER_OR_FOLLOWER" not in effects(END_TXN)
    assert "it is applied, and answered with REQUEST_TIMED_OUT" in effects(PRODUCE)
    assert "it is applied, and answered with DUPLICATE_SEQUENCE_NUMBER" in effects(PRODUCE)
    assert "it is answered with DUPLICATE_SEQUENCE_NUMBER" not in effects(PRODUCE)
    assert not any("answered" in each for each in effects(CONNECT))


def test_a_transaction_times_out_while_it_is_open_and_its_id_expires_while_it_is_not() -> None:
    assert {"its transaction times out", "another instance fences it"} <= effects(END_TXN).keys()
    assert "its transactional id expires" not in effects(END_TXN)
    assert "its transactional id expires" in effects(INIT)
    assert "its transaction times out" not in effects(INIT)


def test_coordinators_move_and_leaders_change_where_there_are_other_brokers() -> None:
    for call in (PRODUCE, END_TXN, COMMIT):
        assert "its coordinator moves" in effects(call)
        assert "its coordinator moves" not in effects(call, broker_count=1)
    assert "another leader is elected" in effects(PRODUCE)
    assert "another leader is elected" not in effects(PRODUCE, broker_count=1)


def test_a_coordinator_moves_between_the_steps_of_an_end() -> None:
    between = {
        "its coordinator moves when the end is prepared",
        "its coordinator moves after the first marker",
    }
    assert between <= effects(END_TXN).keys()
    assert not between & effects(END_TXN, broker_count=1).keys()
    assert not between & effects(INIT).keys()


def test_sessions_end_where_members_have_them() -> None:
    assert "the sessions of all members end" in effects(COMMIT)
    assert "the sessions of all members end" not in effects(PRODUCE)


def test_a_group_with_members_rebalances_when_one_of_them_sends_a_request() -> None:
    rebalances = "its group rebalances"
    member = COMMIT._replace(group="g", group_state="Stable")
    assert {"group.rebalance": {"group": "g"}} in effects(member)[rebalances].steps
    in_transaction = PRODUCE.point._replace(api=API.TXN_OFFSET_COMMIT)
    assert rebalances in effects(member._replace(point=in_transaction))
    beat = member.point._replace(api=API.CONSUMER_GROUP_HEARTBEAT)
    assert rebalances in effects(member._replace(point=beat, group_state="Reconciling"))
    for without in ("", "Empty"):
        assert rebalances not in effects(member._replace(group_state=without))
    scenario_of(json.dumps(effects(member)[rebalances].scenario()), "experiment.json")


def test_a_coordinator_that_is_not_there_yet_does_not_move() -> None:
    for call in (INIT, COMMIT):
        first = call._replace(has_coordinator=False)
        assert "its coordinator moves" not in effects(first)


def test_a_leader_may_lack_what_the_acknowledgements_allow() -> None:
    lost = {"its acknowledged batch is lost", "its batch and the answer are lost"}
    assert lost & effects(PRODUCE).keys() == {"its batch and the answer are lost"}
    one = PRODUCE._replace(acks=1)
    assert lost & effects(one).keys() == {"its acknowledged batch is lost"}
    assert not lost & effects(PRODUCE._replace(acks=0)).keys()


def test_only_an_idempotent_producer_has_a_state_to_lose() -> None:
    known = {"a leader without producer state is elected", "its producer id expires"}
    assert not known & effects(PRODUCE).keys()
    transactional = PRODUCE._replace(has_producer_id=True)
    assert known & effects(transactional).keys() == {"a leader without producer state is elected"}
    assert known <= effects(transactional._replace(transactional_id=None)).keys()


def test_a_right_that_is_revoked_is_missed_by_all_later_calls() -> None:
    revoked = effects(COMMIT)["its right is revoked"]
    assert revoked.faults[0]["effect"] == {"answer": "GROUP_AUTHORIZATION_FAILED"}
    assert revoked.steps[1]["fault"]["trigger"] == {"every_time": True}
    assert "its right is revoked" not in effects(INIT)


def test_an_authorizer_refuses_what_its_acls_deny() -> None:
    offsets = COMMIT._replace(group="g")
    for call, denied in (
        (PRODUCE, {"operation": "write", "topic": "orders"}),
        (END_TXN, {"operation": "write", "transactional_id": "billing"}),
        (offsets, {"operation": "read", "group": "g"}),
    ):
        (revoked,) = (
            each
            for each in experiments_at(call, broker_count=1, has_authorizer=True)
            if each.effect == "its right is revoked"
        )
        assert {"acls.deny": denied} in revoked.steps
        scenario_of(json.dumps(revoked.scenario()), "experiment.json")


def test_no_step_names_an_owner_that_differs_in_each_run() -> None:
    owner = ("transactional_id", "billing-*")
    end = END_TXN._replace(point=END_TXN.point._replace(owner=owner), transactional_id=None)
    group = COMMIT._replace(point=COMMIT.point._replace(owner=("group", "g-*")))
    assert "the answer is lost" in effects(end)
    found = [each for call in (end, group) for each in effects(call).values()]
    named = {next(iter(step)) for each in found for step in each.steps}
    assert named <= {"wait_for", "fault", "fault.release", "clock.advance"}

"""Choices of the form for a fault."""

import pytest

from mockbroker.faults.effect import Effect
from mockbroker.faults.kinds import effects
from mockbroker.http.documents.fault_form_view import FaultFormView, fault_form_view
from mockbroker.protocol.api_keys import ApiKey
from tests.support.in_process import Brokers


def form_of(api: ApiKey) -> FaultFormView:
    routes = Brokers(topics={"orders": 1}).service.routes
    return fault_form_view(api, {ApiKey(key): route for key, route in routes.items()})


def test_toxics_are_not_offered_on_an_api() -> None:
    offered = {effects()[name] for name in form_of(ApiKey.PRODUCE).effects}
    assert all(issubclass(kind, Effect) for kind in offered)


@pytest.mark.parametrize("api", [ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.END_TXN])
def test_errors_are_those_that_brokers_send(api: ApiKey) -> None:
    form = form_of(api)
    assert "NONE" not in form.errors
    assert form.errors == sorted(form.errors)
    assert ("INVALID_TXN_STATE" in form.errors) == (api is not ApiKey.FETCH)


def test_effects_depend_on_what_a_response_has_room_for() -> None:

    assert "corrupt" in form_of(ApiKey.PRODUCE).effects
    assert "corrupt" not in form_of(ApiKey.END_TXN).effects


def test_each_choice_has_its_fields() -> None:
    form = form_of(ApiKey.PRODUCE)
    kinds = {each.name: each for each in form.kinds}
    assert {*form.effects, *form.toxics, *form.triggers, *form.events} == set(kinds)
    latency = kinds["latency"]
    assert [(each.name, each.kind, each.default) for each in latency.fields] == [
        ("latency", "duration", None),
        ("jitter", "duration", "0ms"),
        ("stream", "choice", "downstream"),
    ]
    assert (latency.is_nested, latency.constant) == (True, None)
    until, block = kinds["hold"].fields
    assert (until.kind, block.kind, block.default) == ("event", "flag", True)
    assert kinds["hold"].constant == "request"
    assert [each.kind for each in kinds["marker"].fields] == ["choice", "text", "number", "number"]


def test_an_error_at_the_top_is_offered_where_responses_have_room_for_it() -> None:
    def fields_of(api: ApiKey) -> list[str]:
        (answer,) = [each for each in form_of(api).kinds if each.name == "answer"]
        return [each.name for each in answer.fields]

    assert fields_of(ApiKey.PRODUCE) == ["answer"]
    assert fields_of(ApiKey.HEARTBEAT) == ["answer", "top_level"]

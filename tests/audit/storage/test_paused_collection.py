"""A pause of the garbage collector."""

import gc
import weakref

import pytest

from mockbroker.audit.judgement import MACHINES
from mockbroker.audit.rule_context import Machine, RuleContext
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from mockbroker.audit.storage.paused_collection import paused_collection


def test_the_collector_pauses_and_goes_on() -> None:
    with paused_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    with paused_collection():
        with paused_collection():
            pass
        assert not gc.isenabled()


def test_the_collector_goes_on_after_an_error() -> None:
    with pytest.raises(RuntimeError), paused_collection():
        raise RuntimeError
    assert gc.isenabled()


@pytest.mark.parametrize("make", MACHINES)
def test_machines_need_no_collector(make: type[Machine]) -> None:
    with paused_collection():
        context = RuleContext(A_JOURNAL, THRESHOLDS)
        machine = make(context)
        machine.end()
        are_there = weakref.ref(machine), weakref.ref(context)
        del machine, context
        assert [each() for each in are_there] == [None, None]

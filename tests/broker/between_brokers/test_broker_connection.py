"""A broker's connection to another one has one request in flight at a time."""

import pytest

from mockbroker.broker.between_brokers.broker_connection import BrokerConnection, Waiting
from mockbroker.faults.effects.hold_response import HoldResponse
from mockbroker.protocol.errors import ErrorCode
from tests.support.broker_calls import RETRY, TIMEOUT_S, Scene, code_in, other_producer, sent
from tests.support.transactions import ABORTABLE, Transactor


class Script:
    """A busy connection whose requests note what becomes of them."""

    def __init__(self) -> None:
        self.connection = BrokerConnection()
        self.connection.is_busy = True
        self.notes: list[str] = []

    def wait(self, name: str, note: str = "", *, stays: bool = False) -> None:
        """Let a request wait, which stays in flight or is answered at once."""
        note = note or name

        def send() -> None:
            self.notes.append(f"{note} sent")
            self.connection.is_busy = stays

        self.connection.wait(name, Waiting(send, lambda: self.notes.append(f"{note} given up")))


def test_requests_are_sent_in_their_order() -> None:
    script = Script()
    script.wait("a")
    script.wait("b")
    assert script.notes == []
    script.connection.become_free()
    assert script.notes == ["a sent", "b sent"]
    assert not script.connection.is_busy


def test_requests_wait_again_for_one_that_stays_in_flight() -> None:
    script = Script()
    script.wait("a", stays=True)
    script.wait("b")
    script.connection.become_free()
    assert script.notes == ["a sent"]
    script.connection.become_free()
    assert script.notes == ["a sent", "b sent"]


def test_a_later_request_of_a_transaction_replaces_the_one_that_waits() -> None:
    script = Script()
    script.wait("a", "first")
    script.wait("b")
    script.wait("a", "second")
    assert script.notes == ["first given up"]
    script.connection.become_free()
    assert script.notes == ["first given up", "b sent", "second sent"]


@pytest.mark.parametrize("is_released", [True, False])
def test_a_leader_asks_a_coordinator_one_question_at_a_time(*, is_released: bool) -> None:
    scene = Scene(HoldResponse())
    scene.send()
    waiting = [sent(other_producer(scene))]
    assert scene.brokers.service.faults is None  # nothing but the held question delays it
    assert [len(peer.transport.written) for peer in waiting] == [0]
    if is_released:
        scene.release()
    else:
        scene.brokers.loop.advance(TIMEOUT_S)
    assert scene.code() is (ErrorCode.NONE if is_released else RETRY)
    assert [code_in(peer) for peer in waiting] == [ErrorCode.NONE]
    assert scene.brokers.service.broker_calls_in_flight == 0


def test_a_retry_replaces_a_question_that_waits() -> None:
    scene = Scene(HoldResponse())
    scene.send()
    retries = [sent(scene.producer), sent(scene.producer)]
    assert [len(peer.transport.written) > 0 for peer in retries] == [True, False]
    assert code_in(retries[0]) is RETRY
    scene.release()
    assert (scene.code(), code_in(retries[1])) == (ErrorCode.NONE, ErrorCode.NONE)
    assert scene.end == 1  # the last one is a duplicate


def test_a_question_that_waited_may_be_held_itself() -> None:
    scene = Scene(HoldResponse())
    scene.send()
    again = scene.affect(HoldResponse(), between_brokers=True)
    peer = sent(other_producer(scene))
    scene.release()
    assert (scene.code(), again.held_ever) == (ErrorCode.NONE, 1)
    assert len(peer.transport.written) == 0
    scene.plan.release(again)
    assert code_in(peer) is ErrorCode.NONE


def test_coordinators_on_different_brokers_do_not_wait_for_each_other() -> None:
    scene = Scene(HoldResponse())
    scene.send()
    other = Transactor(scene.brokers, "elsewhere", versions=ABORTABLE)
    assert other.coordinator_id != scene.producer.coordinator_id
    other.init()
    other.add(0)
    assert code_in(sent(other)) is ErrorCode.NONE

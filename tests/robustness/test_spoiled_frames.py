"""A quarter of a million spoiled frames affect no other client, and every refusal is logged.

What a frame reaches depends on those before it, so that more clusters reach more than more frames
do: after 15,000 of them, a cluster refuses hardly any in another way. `SPOIL_FROM=4` sends others
than each test run does.
"""

import os
from random import Random
from typing import Final

import pytest

from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.robustness.corpus import TOPIC, corpus
from tests.robustness.spoiling import spoiled
from tests.support.in_process import Brokers, Peer, sized
from tests.support.logged import Logged
from tests.support.requests import fetch, produce

_FIRST: Final = int(os.environ.get("SPOIL_FROM", "0"))
PARTS: Final = range(_FIRST, _FIRST + 4)
SPOILED_FRAMES: Final = 20_000
HALF_FRAMES: Final = 12_000
CHECK_EVERY: Final = 5_000
REASONS: Final = {
    "bad_frame_size",
    "malformed_records",
    "produce_failed_without_acks",
    "too_many_elements",
    "undecodable_request",
    "unknown_api",
    "unsupported_version",
}


@pytest.fixture(params=["4.4", "2.4"])
def brokers(request: pytest.FixtureRequest) -> Brokers:
    return Brokers(topics={TOPIC: 2, "quiet": 1}, release=request.param)


def assert_serves(brokers: Brokers) -> None:
    """Let a regular client produce, and read its records."""
    peer = brokers.connect()
    answer = peer.ask(produce("quiet"), 7, ProduceResponse)
    offset = answer.responses[0].partition_responses[0].base_offset
    assert offset >= 0
    found = peer.ask(fetch("quiet", offset=offset), 11, FetchResponse).responses[0].partitions[0]
    assert found.high_watermark == offset + 1
    assert found.records
    peer.leave()


def assert_nothing_is_left(brokers: Brokers) -> None:
    """Check that no connections, delayed answers or timers are left."""
    assert not brokers.listeners[1].connections
    assert not brokers.service.purgatory.waiting
    assert not brokers.state.pending
    assert brokers.loop.is_idle


def settled(brokers: Brokers, peer: Peer) -> bool:
    """Await a delayed answer, and return whether the connection accepts another frame."""
    brokers.loop.run()
    if brokers.loop.timers:
        brokers.pass_time(20)
    return not (peer.is_hung_up or brokers.loop.timers)


def assert_refusals_are_explained(logged: Logged, hang_ups: int) -> None:
    """Expect a line in the log for each hang-up, and a reason in every line."""
    assert len(logged.named("connection_closed")) == hang_ups
    for _, event, fields in logged.events:
        if event == "connection_closed":
            assert fields["reason"] in REASONS
            assert {"why", "errors", "key", "version"} & fields.keys(), fields
        elif event == "refusals_not_shown":
            assert fields["count"]
        else:
            assert event.endswith("_refused"), event
            assert {"error", "why"} <= fields.keys()
    logged.events.clear()


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_corrupted_frames_are_refused_one_by_one(
    brokers: Brokers, part: int, logged: Logged
) -> None:
    random = Random(part)
    frames = corpus(brokers)
    peer = brokers.connect()
    hang_ups = 0
    for number in range(1, SPOILED_FRAMES + 1):
        peer.feed(sized(spoiled(random.choice(frames), random)))
        if not settled(brokers, peer):
            hang_ups += peer.is_hung_up
            peer.leave()
            peer = brokers.connect()
        if number % CHECK_EVERY == 0:
            assert_refusals_are_explained(logged, hang_ups)
            hang_ups = 0
            assert_serves(brokers)
    peer.leave()
    assert_nothing_is_left(brokers)


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_incomplete_frames_leave_nothing_behind(
    brokers: Brokers, part: int, logged: Logged
) -> None:
    random = Random(part)
    frames = [sized(frame) for frame in corpus(brokers)]
    before = brokers.state.as_text()
    for _ in range(HALF_FRAMES):
        frame = random.choice(frames)
        peer = brokers.connect()
        peer.feed(frame[: random.randrange(len(frame))])
        assert not peer.transport.written
        peer.leave()
    assert brokers.state.as_text() == before
    assert_nothing_is_left(brokers)
    assert_refusals_are_explained(logged, 0)
    assert_serves(brokers)


@pytest.mark.slow
def test_a_refused_frame_changes_nothing(brokers: Brokers, logged: Logged) -> None:
    random = Random(0)
    frames = corpus(brokers)
    refused = 0
    while refused < 1_500:
        before = brokers.state.as_text()
        peer = brokers.connect()
        peer.feed(sized(spoiled(random.choice(frames), random)))
        if peer.is_hung_up:
            refused += 1
            assert brokers.state.as_text() == before
        settled(brokers, peer)
        peer.leave()
    assert len(logged.named("connection_closed")) == refused
    assert_nothing_is_left(brokers)


@pytest.mark.slow
def test_random_bytes_are_refused(brokers: Brokers, logged: Logged) -> None:
    random = Random(0)
    for _ in range(20_000):
        peer = brokers.connect()
        peer.feed(random.randbytes(random.choice((1, 3, 4, 5, 40, 300))))
        settled(brokers, peer)
        peer.leave()
    assert_nothing_is_left(brokers)
    assert {event.event for event in logged.events} == {"connection_closed"}
    assert {fields["reason"] for fields in logged.named("connection_closed")} <= REASONS
    assert_serves(brokers)

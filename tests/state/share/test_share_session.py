"""Epochs of share sessions, their partitions and what responses list."""

from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.share.share_session import (
    FINAL_EPOCH,
    FetchedRecords,
    MemberKey,
    ShareContext,
    ShareSessions,
    next_epoch,
)

KEY = MemberKey("g", "m")
TOPIC = UUID(int=7)
A, B, C = ((TOPIC, index) for index in range(3))
EMPTY = FetchedRecords(0, 0)
FULL = FetchedRecords(100, 0)
REFUSED = FetchedRecords(0, ErrorCode.NOT_LEADER_OR_FOLLOWER)


def fetch(
    sessions: ShareSessions,
    epoch: int,
    *partitions: tuple[UUID, int],
    forgotten: tuple[tuple[UUID, int], ...] = (),
    unknown: tuple[tuple[UUID, int], ...] = (),
    acknowledges: bool = False,
    key: MemberKey = KEY,
    sessions_max: int = 2,
) -> ShareContext:
    return sessions.fetch(
        key,
        epoch,
        partitions,
        forgotten=forgotten,
        unknown=unknown,
        acknowledges=acknowledges,
        connection_id=len(key.member_id),
        sessions_max=sessions_max,
    )


def code_of(call: object, *arguments: object, **named: object) -> ErrorCode:
    assert callable(call)
    with pytest.raises(ApiError) as caught:
        call(*arguments, **named)
    return caught.value.code


def test_epochs_count_from_one_and_wrap() -> None:
    assert next_epoch(0) == 1
    assert next_epoch(5) == 6
    assert next_epoch((1 << 31) - 1) == 1


def test_a_session_gathers_partitions() -> None:
    sessions = ShareSessions()
    assert fetch(sessions, 0, A, A).partitions == (A,)
    assert fetch(sessions, 1, B).partitions == (A, B)
    assert fetch(sessions, 2, C, forgotten=(A,)).partitions == (B, C)
    assert fetch(sessions, 3).partitions == (B, C)
    assert fetch(sessions, 0, C).partitions == (C,), "a first fetch begins anew"
    assert len(sessions) == 1


def test_a_session_knows_which_topics_did_not_exist() -> None:
    sessions = ShareSessions()
    assert set(fetch(sessions, 0, A, B, unknown=(A,)).unknown) == {A}
    assert set(fetch(sessions, 1, C, unknown=(C,)).unknown) == {A, C}
    assert set(fetch(sessions, 2, forgotten=(A,)).unknown) == {C}


def test_wrong_epochs() -> None:
    sessions = ShareSessions()
    assert code_of(fetch, sessions, 1) is ErrorCode.SHARE_SESSION_NOT_FOUND
    assert code_of(fetch, sessions, FINAL_EPOCH) is ErrorCode.SHARE_SESSION_NOT_FOUND
    assert code_of(sessions.acknowledge, KEY, 1) is ErrorCode.SHARE_SESSION_NOT_FOUND
    assert code_of(sessions.acknowledge, KEY, FINAL_EPOCH) is ErrorCode.SHARE_SESSION_NOT_FOUND
    fetch(sessions, 0, A)
    for epoch in (2, 7):
        assert code_of(fetch, sessions, epoch) is ErrorCode.INVALID_SHARE_SESSION_EPOCH
        assert code_of(sessions.acknowledge, KEY, epoch) is ErrorCode.INVALID_SHARE_SESSION_EPOCH
    assert code_of(sessions.acknowledge, KEY, 0) is ErrorCode.INVALID_SHARE_SESSION_EPOCH
    sessions.acknowledge(KEY, 1)
    sessions.acknowledge(KEY, FINAL_EPOCH)
    assert fetch(sessions, 2).partitions == (A,)


def test_the_first_fetch_acknowledges_nothing() -> None:
    refused = code_of(fetch, ShareSessions(), 0, A, acknowledges=True)
    assert refused is ErrorCode.INVALID_REQUEST


def test_there_is_a_limit() -> None:
    sessions = ShareSessions()
    fetch(sessions, 0, A, sessions_max=1)
    other = MemberKey("g", "other")
    refused = code_of(fetch, sessions, 0, A, key=other, sessions_max=1)
    assert refused is ErrorCode.SHARE_SESSION_LIMIT_REACHED
    fetch(sessions, 0, A, sessions_max=1)
    assert sessions.remove(KEY) == [A]
    assert sessions.remove(KEY) == []
    fetch(sessions, 0, A, key=other, sessions_max=1)


def test_the_last_fetch_has_no_partitions() -> None:
    sessions = ShareSessions()
    fetch(sessions, 0, A)
    context = fetch(sessions, FINAL_EPOCH)
    assert context.partitions == ()
    assert context.select({}) == []
    assert len(sessions) == 1, "it ends when its records are released"


def test_a_first_response_lists_all_partitions() -> None:
    context = fetch(ShareSessions(), 0, A, B)
    assert context.select({A: EMPTY, B: REFUSED}) == [A, B]


def test_later_responses_list_what_is_new_has_records_or_was_refused() -> None:
    sessions = ShareSessions()
    fetch(sessions, 0, A, B)
    assert fetch(sessions, 1, C).select({A: EMPTY, B: FULL, C: EMPTY}) == [B, C]
    assert fetch(sessions, 2).select({A: REFUSED, B: EMPTY, C: EMPTY}) == [A]
    assert fetch(sessions, 3).select({A: EMPTY, B: EMPTY, C: EMPTY}) == [A], "it was refused"
    assert fetch(sessions, 4).select({A: EMPTY, B: EMPTY, C: EMPTY}) == []


def test_a_session_that_went_on_refuses_the_response() -> None:
    sessions = ShareSessions()
    fetch(sessions, 0, A)
    waiting = fetch(sessions, 1)
    sessions.acknowledge(KEY, 2)
    assert code_of(waiting.select, {A: FULL}) is ErrorCode.INVALID_SHARE_SESSION_EPOCH


def test_sessions_of_a_connection() -> None:
    sessions = ShareSessions()
    fetch(sessions, 0, A)
    assert sessions.of_connection(1) == [KEY]
    assert sessions.of_connection(2) == []

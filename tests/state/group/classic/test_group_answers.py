"""Answers that are present at once, or come later."""

from mockbroker.state.group.classic.group_answers import Awaited, SyncResult


def test_an_answer_may_be_there_at_once() -> None:
    assert Awaited(SyncResult()).answer == SyncResult()


def test_an_answer_may_come_later_and_has_an_identity() -> None:
    one: Awaited[SyncResult] = Awaited()
    other: Awaited[SyncResult] = Awaited()
    assert one.answer is None
    assert len({one, other}) == 2

"""Packed attempts."""

import pytest

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.storage import attempt_store
from mockbroker.audit.storage.attempt_store import AttemptStore
from mockbroker.events.produce_outcome import Appended, ResponseOutcome

_PLAIN = Attempt(call=1, connection=2, client_id=None, came_at=3)
_FULL = Attempt(
    4, 5, "shop", 6, 7, 8, (1 << 31) - 1, 9, True, (1 << 32) - 1, Appended.RETRY, 10, 1 << 40, 11,
    ResponseOutcome.LOST, "REQUEST_TIMED_OUT", 12, True, 13,
)  # fmt: skip


@pytest.mark.parametrize("in_memory", [1 << 20, 150])
def test_attempts_come_back_as_they_were_also_from_a_file(
    in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_store, "_IN_MEMORY_MAX", in_memory)
    store = AttemptStore()
    for each in (_PLAIN, _FULL, _PLAIN):
        store.append(each)
    assert list(store) == [_PLAIN, _FULL, _PLAIN]
    store.append(_FULL)
    assert list(store) == [_PLAIN, _FULL, _PLAIN, _FULL], "it can go on after it was read"


def test_attempts_in_a_file_can_be_read_while_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempt_store, "_IN_MEMORY_MAX", 150)
    monkeypatch.setattr(attempt_store, "_READ_AT_ONCE", 104)
    store = AttemptStore()
    for each in (_PLAIN, _FULL, _PLAIN):
        store.append(each)
    pairs = [(one, list(store)) for one in store]
    assert pairs == [(one, [_PLAIN, _FULL, _PLAIN]) for one in (_PLAIN, _FULL, _PLAIN)]
    next(iter(store))
    store.append(_FULL)
    assert list(store) == [_PLAIN, _FULL, _PLAIN, _FULL]

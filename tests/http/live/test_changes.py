"""Changes that a page is told of: names, once each, and no more than a bounded number."""

from uuid import UUID

from mockbroker.events.event_types import ConnectionOpened, Event
from mockbroker.http.live.changes import NAMES_MAX, Changes, ChangesView
from mockbroker.state.events import GroupChanged, SharePlace, ShareStartMoved, TopicDeleted


def changes_of(*events: Event) -> ChangesView | None:
    changes = Changes(lambda: None)
    for event in events:
        changes.on_event(event)
    return changes.take()


def deleted(topic: str) -> TopicDeleted:
    return TopicDeleted(topic, UUID(int=1))


def test_a_name_is_reported_once() -> None:
    view = changes_of(deleted("orders"), deleted("orders"), deleted("a"))
    assert view is not None
    assert (view.topics, view.groups, view.is_all) == (["a", "orders"], [], False)


def test_nothing_is_reported_twice() -> None:
    changes = Changes(lambda: None)
    changes.on_event(GroupChanged("readers", "Empty", "Stable", 1, ()))
    first = changes.take()
    assert first is not None
    assert first.groups == ["readers"]
    assert changes.take() is None


def test_the_reader_is_woken_at_the_first_change_only() -> None:
    woken: list[int] = []
    changes = Changes(lambda: woken.append(1))
    changes.on_event(deleted("a"))
    changes.on_event(deleted("b"))
    assert woken == [1]
    changes.take()
    changes.on_event(deleted("c"))
    assert woken == [1, 1]


def test_more_names_than_fit_are_reported_as_all() -> None:
    view = changes_of(*(deleted(f"t-{number}") for number in range(NAMES_MAX + 1)))
    assert view is not None
    assert len(view.topics) == NAMES_MAX
    assert view.is_all


def test_flags_stand_for_what_has_no_name() -> None:
    view = changes_of(ConnectionOpened(1, 7, "/127.0.0.1"))
    assert view is not None
    assert (view.connections, view.faults, view.clock, view.cluster) == (True, False, False, False)


def test_an_event_that_changes_no_view_wakes_nobody() -> None:
    woken: list[int] = []
    changes = Changes(lambda: woken.append(1))
    changes.on_event(ShareStartMoved(SharePlace("g", UUID(int=1), 0, 1), 0, 1))
    assert woken == []
    assert changes.take() is None

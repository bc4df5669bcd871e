"""Values that differ between runs have the same placeholder in every run."""

from uuid import UUID

import pytest

from tests.conformance.placeholders import HOUR_MS, LONGEST_MS, Placeholders

START_MS = 1_795_000_000_000
RANDOM = UUID("393f07b3-b6c9-432a-b42c-4c7b32ceb9da")
OTHER = UUID("00000001-0000-0000-0000-000000000000")


def placeholders() -> Placeholders:
    return Placeholders([("127.0.0.1", 9092), ("127.0.0.1", 9093)], START_MS)


@pytest.mark.parametrize(
    ("time_ms", "shown"),
    [
        (START_MS, "now"),
        (START_MS + 60_000, "now"),
        (START_MS - HOUR_MS, "T+0"),
        (START_MS - HOUR_MS + 7, "T+7"),
        (START_MS - HOUR_MS - 1, "T-1"),
        (START_MS + 2 * HOUR_MS + 5, "now+2h"),
        (START_MS - 24 * HOUR_MS, "now-24h"),
        (START_MS + HOUR_MS // 2, START_MS + HOUR_MS // 2),
        (-1, -1),
        (1_600_000_000_000, 1_600_000_000_000),
    ],
)
def test_times_are_shown_as_distances(time_ms: int, shown: int | str) -> None:
    assert placeholders().time(time_ms) == shown


def test_times_and_ports_within_texts_get_placeholders() -> None:
    text = f"{START_MS} is not in [{START_MS - LONGEST_MS}, 12], 127.0.0.1:9093"
    assert placeholders().text(text) == "now is not in [now-ever, 12], 127.0.0.1:<port 2>"


def test_topic_ids_have_the_names_of_their_topics() -> None:
    names = placeholders()
    names.learn_topic("t", RANDOM)
    names.learn_topic("t", RANDOM)
    names.learn_topic("t", OTHER)
    assert names.uuid(RANDOM) == "<id of t>"
    assert names.uuid(OTHER) == "<id of t, 2>"
    assert names.text("no topic OT8Hs7bJQyq0LEx7Ms652g") == "no topic <id of t>"


def test_values_that_a_script_chooses_have_no_placeholder() -> None:
    names = placeholders()
    names.learn_topic("t", UUID(int=5))
    assert names.uuid(UUID(int=5)) == "5"
    assert names.producer(1_000_000) == 1_000_000


def test_producers_and_sessions_are_numbered_in_order_of_appearance() -> None:
    names = placeholders()
    names.learn_producer(2000)
    names.learn_producer(2001)
    names.learn_producer(2000)
    assert [names.producer(each) for each in (2000, 2001)] == ["<producer 1>", "<producer 2>"]
    assert [names.session(each) for each in (0, 77, 5, 77)] == [
        0,
        "<session 1>",
        "<session 2>",
        "<session 1>",
    ]


def test_member_ids_keep_their_prefix_before_the_uuid() -> None:
    names = placeholders()
    first, second = f"client-{RANDOM}", f"instance-1-{OTHER}"
    assert names.text(first) == "client-<uuid 1>"
    assert names.text(f"{second} took {first}") == "instance-1-<uuid 2> took client-<uuid 1>"
    assert names.text("nobody") == "nobody"


def test_the_controller_has_a_name_only_among_several() -> None:
    assert placeholders().controller(2) == "<a broker>"
    assert Placeholders([("127.0.0.1", 9092)], START_MS).controller(1) == 1


def test_a_request_that_a_message_quotes_is_not_shown() -> None:
    names = placeholders()
    quoted = "Request Request(processor=1, session=Session(User:a,/::1), buffer=null)"
    assert names.text(f"{quoted} is not authorized.") == "Request <request> is not authorized."
    assert names.text(f"{quoted} needs ALTER permission.") == (
        "Request <request> needs ALTER permission."
    )

"""Values of a file keep their places."""

from mockbroker.scenario.json_text import read_json

TEXT = '{"match": {"topic": "orders"},\n "steps": [1, {"kill": 2}]}'


def test_a_path_of_json_has_a_place() -> None:
    root = read_json(TEXT, "a.json")
    assert str(root.place_of("$")) == "a.json:1:1"
    assert str(root.place_of("$.match.topic")) == "a.json:1:21"
    assert str(root.place_of("$.steps[1].kill")) == "a.json:2:24"


def test_a_path_that_leads_nowhere_has_the_place_of_its_last_known_part() -> None:
    root = read_json(TEXT, "a.json")
    assert root.place_of("$.match.api") == root.place_of("$.match")
    assert root.place_of("$.steps[7]") == root.place_of("$.steps")
    assert root.place_of("$.match.topic.more") == root.place_of("$.match.topic")


def test_a_key_has_a_place_of_its_own() -> None:
    root = read_json(TEXT, "a.json")
    assert str(root.place_of_key("$.match", "topic")) == "a.json:1:12"
    assert root.place_of_key("$.match", "nothing") == root.place_of("$.match")


def test_plain_values_have_no_places() -> None:
    root = read_json(TEXT, "a.json")
    assert root.plain() == {"match": {"topic": "orders"}, "steps": [1, {"kill": 2}]}
    assert root.member("nothing") is None
    steps = root.member("steps")
    assert steps is not None
    assert steps.member("kill") is None

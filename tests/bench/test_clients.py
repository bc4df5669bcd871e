"""The messages of the real client's load."""

from bench.clients import varied_messages

SEED = 11


def test_messages_differ_as_those_of_applications_do() -> None:
    messages = varied_messages(SEED, 100)
    keys, values, headers = zip(*messages, strict=True)
    assert {len(key) for key in keys} == set(range(4, 21))
    assert {len(value) for value in values} == set(range(50, 151))
    assert {len(some) for some in headers} == {0, 1, 2, 3}
    assert 0.2 < sum(1 for some in headers if some) / len(messages) < 0.3
    assert len(set(values)) == len(messages)


def test_a_seed_makes_the_same_messages() -> None:
    assert varied_messages(SEED, 100) == varied_messages(SEED, 100)
    assert varied_messages(SEED, 100) != varied_messages(SEED + 1, 100)

"""The page of explored clients has what was found."""

import json

from tools.explored_clients import FOUND, PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(json.loads(FOUND.read_text("utf-8")))


def test_a_client_without_failures_and_one_with_many_are_told() -> None:
    failure = {
        "name": "EndTxn 1: it is lost",
        "kind": "broken",
        "is_flaky": True,
        "reason": "a|b",
        "more": 2,
    }
    text = page(
        {
            "calm 1.0": {"outcomes": {"survived": 7}, "left": 3, "failures": []},
            "wild 2.0": {"outcomes": {"broken": 14}, "left": 0, "failures": [failure] * 14},
        }
    )
    assert "| calm 1.0 | 7 | 0 | 0 | 0 | 0 | 3 |" in text
    assert "Nothing was found in 7 runs." in text
    assert "| EndTxn 1: it is lost, and at 2 more | broken at times | a\\|b |" in text
    assert "2 more are not shown." in text

"""Problems for unknown names, with suggestions."""

import pytest

from mockbroker.http.missing import missing, topic_of
from mockbroker.http.problem import Problem
from tests.support.in_process import Brokers


def test_a_missing_name_suggests_similar_names() -> None:
    problem = missing("rule", "lost-akc", ["lost-ack", "other"])
    assert problem.document.detail == "there is no rule 'lost-akc'; did you mean lost-ack?"
    assert problem.document.near == ["lost-ack"]
    assert missing("rule", "x", []).document.detail == "there is no rule 'x'"


def test_a_topic_is_found_or_missing() -> None:
    brokers = Brokers(topics={"orders": 1})
    assert topic_of(brokers.state, "orders").name == "orders"
    with pytest.raises(Problem, match="did you mean orders"):
        topic_of(brokers.state, "order")

"""What is asked for by name and is not there: the names that may have been meant."""

from collections.abc import Iterable
from difflib import get_close_matches

from mockbroker.http.problem import Problem
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import Topic


def missing(kind: str, name: str, known: Iterable[str]) -> Problem:
    """Say that there is nothing of that name, and which names look like it."""
    near = get_close_matches(name, list(known), n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return Problem("not-found", f"there is no {kind} {name!r}{hint}", near=near)


def topic_of(cluster: ClusterState, name: str) -> Topic:
    """Return a topic.

    Raises:
        Problem: there is none of that name.

    """
    topic = cluster.topics.get(name)
    if topic is None:
        raise missing("topic", name, (each.name for each in cluster.topics))
    return topic

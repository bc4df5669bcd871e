"""Problems for unknown names, with similar names as suggestions."""

from collections.abc import Iterable
from difflib import get_close_matches

from mockbroker.http.problem import Problem
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.topic import Topic


def missing(kind: str, name: str, known: Iterable[str]) -> Problem:
    """Return the problem for an unknown name, with similar names."""
    near = get_close_matches(name, list(known), n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return Problem("not-found", f"there is no {kind} {name!r}{hint}", near=near)


def topic_of(cluster: ClusterState, name: str) -> Topic:
    """Return a topic.

    Raises:
        Problem: there is no topic with that name.

    """
    topic = cluster.topics.get(name)
    if topic is None:
        raise missing("topic", name, (each.name for each in cluster.topics))
    return topic

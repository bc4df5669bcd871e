"""Validation of topic names (Kafka's `Topic.validate`)."""

import re
from collections.abc import Iterable
from typing import Final

from mockbroker.state.release.admin_refusals import AdminRefusals

_LENGTH_MAX: Final = 249
_LEGAL: Final = r"[a-zA-Z0-9._-]+"


def check_topic_name(name: str, refusals: AdminRefusals) -> None:
    """Check that a topic may have this name.

    Raises:
        ApiError: INVALID_TOPIC_EXCEPTION, with the reason.

    """
    if not name:
        raise refusals.topic_name_empty.error()
    if name in {".", ".."}:
        raise refusals.topic_name_dots.error(name)
    if len(name) > _LENGTH_MAX:
        raise refusals.topic_name_too_long.error(name, _LENGTH_MAX)
    if not re.fullmatch(_LEGAL, name):
        raise refusals.topic_name_characters.error(name)


def is_legal_topic_name(name: str) -> bool:
    """Return whether a topic may have this name."""
    return (
        len(name) <= _LENGTH_MAX
        and name not in {".", ".."}
        and re.fullmatch(_LEGAL, name) is not None
    )


def collision_key(name: str) -> str:
    """Return the name with `_` for `.`: names with the same key share their metrics."""
    return name.replace(".", "_")


def check_collision(name: str, others: Iterable[str], refusals: AdminRefusals) -> None:
    """Check a new name against those that share its collision key.

    Raises:
        ApiError: INVALID_TOPIC_EXCEPTION, naming the topics it collides with.

    """
    colliding = sorted(others)
    if colliding:
        raise refusals.topic_collides.error(name, ", ".join(colliding))

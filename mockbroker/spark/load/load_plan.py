"""Plans of a load: the planned failures, and the findings that an audit must have.

Failures of clients work on any cluster. Failures of brokers need a mockbroker, and use its
HTTP API: faults as in `docs/how-to/drive-it-over-http.md`, and requests at moments of the
load. Texts can contain `{topic}`, `{partition}` and `{client_id}`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Delivery: TypeAlias = Literal["plain", "idempotent", "transactional"]
"""Kind of producer: without a producer id, idempotent, or transactional."""

Scope: TypeAlias = Literal["round", "task"]
"""Contents of one transaction: a round of records, or all records of a task."""

When: TypeAlias = Literal["first round", "some rounds", "load"]
"""Time of a request to the HTTP API; `load` is after all tasks are done."""

_LOCAL: Final = re.compile(r"local(?:\[[^],]*(?:,\s*(?P<failures>\d+))?\])?")
_NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientChaos:
    """Failures of clients. A share above 0 means at least one."""

    aborted: float = 0.0
    """Share of a task's transactions that it aborts and repeats."""
    taken_over: float = 0.0
    """Share of a task's transactions in which a second producer with the same transactional id
    starts, and the first one continues."""
    failing: float = 0.0
    """Share of tasks that fail after a part of their records; Spark retries them."""
    dying: float = 0.0
    """Share of tasks whose process dies, without a commit, an abort or a close."""
    abandoned: bool = False
    """True if each attempt has its own transactional id, so that open transactions stay open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminCall:
    """A request to the HTTP API at a moment of the load."""

    after: When
    path: str
    """Below `/api/v1/`."""
    document: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Planned failures of a load, and the audit rules that must have findings."""

    about: str
    """Summary in one sentence."""
    expected: Mapping[Delivery, frozenset[str]]
    """Rules with findings, by kind of producer; the first kind is the default."""
    chaos: ClientChaos = field(default_factory=ClientChaos)
    scope: Scope = "round"
    rules: Sequence[Mapping[str, object]] = ()
    """Faults of the HTTP API; one that contains `{client_id}` is created for each client."""
    moments: Sequence[AdminCall] = ()

    @property
    def needs_mockbroker(self) -> bool:
        """Return True if brokers have to fail, which needs a mockbroker."""
        return bool(self.rules or self.moments)

    @property
    def needs_retries(self) -> bool:
        """Return True if Spark has to retry tasks."""
        return bool(self.chaos.failing or self.chaos.dying)


DUPLICATE_PAYLOAD: Final = "DUPLICATE_PAYLOAD"
ACKED_NOT_DURABLE: Final = "ACKED_NOT_DURABLE"

_CLEAN: Final[Mapping[Delivery, frozenset[str]]] = {
    "idempotent": _NOTHING,
    "transactional": _NOTHING,
    "plain": _NOTHING,
}
_SENT_AGAIN: Final[Mapping[Delivery, frozenset[str]]] = {
    "idempotent": frozenset({DUPLICATE_PAYLOAD}),
    "transactional": _NOTHING,
    "plain": frozenset({DUPLICATE_PAYLOAD}),
}
_GONE: Final[Mapping[Delivery, frozenset[str]]] = {
    "idempotent": frozenset({ACKED_NOT_DURABLE}),
    "plain": frozenset({ACKED_NOT_DURABLE}),
}

PLANS: Final[Mapping[str, Plan]] = {
    "clean": Plan(about="Nothing goes wrong.", expected=_CLEAN),
    "retried-tasks": Plan(
        about="Half of the tasks fail after a part of their records, and Spark retries them.",
        expected=_SENT_AGAIN,
        chaos=ClientChaos(failing=0.5),
        scope="task",
    ),
    "dying-workers": Plan(
        about="The processes of half of the tasks die, and Spark retries the tasks.",
        expected=_SENT_AGAIN,
        chaos=ClientChaos(dying=0.5),
        scope="task",
    ),
    "aborts": Plan(
        about="A third of the transactions is aborted and repeated.",
        expected={"transactional": _NOTHING},
        chaos=ClientChaos(aborted=0.33),
    ),
    "zombies": Plan(
        about="In a third of the transactions a second producer takes over; the first continues.",
        expected={"transactional": _NOTHING},
        chaos=ClientChaos(taken_over=0.33),
    ),
    "abandoned-transactions": Plan(
        about="Half of the tasks fail, and their records stay in transactions that never end.",
        expected={"transactional": _NOTHING},
        chaos=ClientChaos(failing=0.5, abandoned=True),
        scope="task",
    ),
    "storm": Plan(
        about="Workers die, tasks fail, transactions are aborted, zombies write: all at once.",
        expected={"transactional": frozenset({DUPLICATE_PAYLOAD})},
        chaos=ClientChaos(aborted=0.25, taken_over=0.25, failing=0.34, dying=0.34),
    ),
    "lost-answers": Plan(
        about="The response to each client's first Produce is lost after the broker applied it.",
        expected={
            "idempotent": _NOTHING,
            "transactional": _NOTHING,
            "plain": frozenset({DUPLICATE_PAYLOAD}),
        },
        rules=(
            {
                "id": "lost-answer-of-{client_id}",
                "match": {"api": "Produce", "topic": "{topic}", "client_id": "{client_id}"},
                "trigger": {"once": True},
                "effect": {"lose_response": "after_apply"},
            },
        ),
    ),
    "leader-moves": Plan(
        about="After some rounds another broker becomes a partition's leader.",
        expected=_CLEAN,
        moments=(
            AdminCall(
                after="some rounds",
                path="elect",
                document={"topic": "{topic}", "partition": "{partition}"},
            ),
        ),
    ),
    "first-write-lost": Plan(
        about="After the first round a leader with an empty log is elected for a partition.",
        expected=_GONE,
        moments=(
            AdminCall(
                after="first round",
                path="elect",
                document={
                    "topic": "{topic}",
                    "partition": "{partition}",
                    "producer_state": "from_log",
                    "log": "truncate",
                    "log_end_offset": 0,
                },
            ),
        ),
    ),
    "truncation": Plan(
        about="After all records are sent, partition 0 loses its last three records.",
        expected=_GONE,
        moments=(
            AdminCall(
                after="load",
                path="topics/{topic}/partitions/0/lose-tail",
                document={"records": 3},
            ),
        ),
    ),
}
"""Named plans."""


def retries_of(master: str) -> int | None:
    """Return the maximum number of runs of a task at a master; None if Spark's config sets it."""
    found = _LOCAL.fullmatch(master)
    return None if found is None else int(found["failures"] or 1)

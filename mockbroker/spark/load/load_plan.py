"""The plans of a load: what goes wrong, and what an audit must find of it.

What clients do wrong works on any cluster. What brokers do wrong is asked of a mockbroker over
HTTP: rules in the words of `docs/how-to/drive-it-over-http.md`, and requests at moments of the
load. Texts may hold `{topic}`, `{partition}` and `{client_id}`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Delivery: TypeAlias = Literal["plain", "idempotent", "transactional"]
"""How producers send: without a producer id, with one, or in transactions."""

Scope: TypeAlias = Literal["round", "task"]
"""What one transaction holds: a round of records, or all that a task sends."""

When: TypeAlias = Literal["first round", "some rounds", "load"]
"""After what a broker is asked for something: `load` is when all tasks are done."""

_NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientChaos:
    """What clients do wrong. A share that is above 0 means at least one."""

    aborted: float = 0.0
    """The share of a task's transactions that it aborts, and does again."""
    taken_over: float = 0.0
    """The share of a task's transactions in which a second producer of the same transactional id
    begins, and the first goes on."""
    failing: float = 0.0
    """The share of tasks that fail after a part of their records; Spark tries them again."""
    dying: float = 0.0
    """The share of tasks whose process dies, without a commit, an abort or a goodbye."""
    abandoned: bool = False
    """Whether each attempt has a transactional id of its own: nobody ends what it left open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A request to the admin API at a moment of the load."""

    after: When
    path: str
    """Below `/api/v1/`."""
    document: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What goes wrong in a load, and which rules of the audit have to find something."""

    about: str
    """One sentence."""
    expected: Mapping[Delivery, frozenset[str]]
    """By how producers send: the rules with findings. The first is meant where nothing is said."""
    chaos: ClientChaos = field(default_factory=ClientChaos)
    scope: Scope = "round"
    rules: Sequence[Mapping[str, object]] = ()
    """Rules of the admin API; one that says `{client_id}` is made for each client."""
    moments: Sequence[Moment] = ()

    @property
    def needs_mockbroker(self) -> bool:
        """Whether brokers take part, which only a mockbroker's do."""
        return bool(self.rules or self.moments)

    @property
    def needs_retries(self) -> bool:
        """Whether Spark has to try tasks again."""
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
        about="Half of the tasks fail after a part of their records, and Spark tries them again.",
        expected=_SENT_AGAIN,
        chaos=ClientChaos(failing=0.5),
        scope="task",
    ),
    "dying-workers": Plan(
        about="The processes of half of the tasks die, and Spark tries the tasks again.",
        expected=_SENT_AGAIN,
        chaos=ClientChaos(dying=0.5),
        scope="task",
    ),
    "aborts": Plan(
        about="A third of the transactions is aborted, and done again.",
        expected={"transactional": _NOTHING},
        chaos=ClientChaos(aborted=0.33),
    ),
    "zombies": Plan(
        about="In a third of the transactions a second producer takes over, and the first goes on.",
        expected={"transactional": _NOTHING},
        chaos=ClientChaos(taken_over=0.33),
    ),
    "abandoned-transactions": Plan(
        about="Half of the tasks fail, and what they sent stays in transactions that nobody ends.",
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
        about="The answer of each client's first Produce is lost, after the broker applied it.",
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
        about="After some rounds another broker leads a partition.",
        expected=_CLEAN,
        moments=(
            Moment(
                after="some rounds",
                path="elect",
                document={"topic": "{topic}", "partition": "{partition}"},
            ),
        ),
    ),
    "first-write-lost": Plan(
        about="After the first round a leader is elected that has nothing of a partition.",
        expected=_GONE,
        moments=(
            Moment(
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
        about="When all is sent, partition 0 loses its last three records.",
        expected=_GONE,
        moments=(
            Moment(
                after="load",
                path="topics/{topic}/partitions/0/lose-tail",
                document={"records": 3},
            ),
        ),
    ),
}
"""The plans that have names."""

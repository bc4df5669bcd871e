"""Table of a cluster's assertions by name, for HTTP and the command line.

Names and meanings are those of `ClusterAssertions`. A row lists the arguments and their kinds; a
wrong argument raises an error that names it.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, cast

from mockbroker.errors import nearest_name, plain_name
from mockbroker.journal.record_identity import FORMS

if TYPE_CHECKING:
    from mockbroker.control.cluster_handle import ClusterHandle

Kind: TypeAlias = Literal["text", "integer", "flag", "texts"]

_PREFIX: Final = "assert_"


class Argument(NamedTuple):
    """An argument of an assertion."""

    name: str
    kind: Kind
    about: str
    is_required: bool = False


class AssertionRow(NamedTuple):
    """One assertion."""

    name: str
    """As in Python: `assert_no_loss`."""
    about: str
    arguments: tuple[Argument, ...] = ()
    needs_any: bool = False
    """True if at least one argument is needed, though none of them is required."""
    judges_sent: bool = False
    """True if it judges the batches that producers have sent: without any it holds emptily."""

    @property
    def word(self) -> str:
        """The name on the command line: `no-loss`."""
        return self.name.removeprefix(_PREFIX).replace("_", "-")

    @property
    def needs_arguments(self) -> bool:
        """True if there is a required argument."""
        return self.needs_any or any(argument.is_required for argument in self.arguments)

    def check(
        self, cluster: "ClusterHandle", arguments: Mapping[str, object] | None = None
    ) -> None:
        """Check the assertion.

        Raises:
            AssertionError: it does not hold.
            LookupError: there is nothing of a name that it was given.
            RuntimeError: the cluster does not run, or keeps no ledger.
            ValueError: an argument is missing, unknown, or of another kind.

        """
        given = {} if arguments is None else dict(arguments)
        self.refuse_wrong(given)
        check = cast("Callable[..., None]", getattr(cluster, self.name))
        check(**{name: value for name, value in given.items() if value is not None})

    def refuse_wrong(self, given: Mapping[str, object]) -> None:
        """Validate the arguments only.

        Raises:
            ValueError: one is missing, unknown, or of another kind.

        """
        known = {argument.name: argument for argument in self.arguments}
        for name, value in given.items():
            if name not in known:
                names = ", ".join(known) or "none"
                raise ValueError(f"{self.name} has no argument {name!r}; its arguments are {names}")
            if value is not None and not _FITS[known[name].kind](value):
                raise ValueError(f"{self.name}: {name}={value!r} is not of type {known[name].kind}")
        for argument in self.arguments:
            if argument.is_required and given.get(argument.name) is None:
                raise ValueError(f"{self.name} needs {argument.name}")
        if self.needs_any and all(value is None for value in given.values()):
            raise ValueError(f"{self.name} needs one of {', '.join(known)}")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(
        isinstance(each, str) for each in cast("list[object]", value)
    )


_FITS: Final[Mapping[Kind, Callable[[Any], bool]]] = {
    "text": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "flag": lambda value: isinstance(value, bool),
    "texts": _are_texts,
}

_TOPIC: Final = Argument("topic", "text", "the topic (all that are not internal)")
_ONE_TOPIC: Final = Argument("topic", "text", "the topic", is_required=True)
_EXPECTED: Final = Argument("expected", "texts", "the values that readers get")
_ID: Final = Argument("transactional_id", "text", "the transactional id", is_required=True)

_ROWS: Final = (
    AssertionRow(
        "assert_exactly_once",
        "no acknowledged record is lost, none is stored twice, and no aborted one is visible",
        (_TOPIC, _EXPECTED, Argument("allow_open", "flag", "transactions may be open")),
        judges_sent=True,
    ),
    AssertionRow(
        "assert_no_duplicates",
        "no record that was sent once is stored twice",
        (_TOPIC, Argument("key", "text", f"the identity of a record: {FORMS}")),
        judges_sent=True,
    ),
    AssertionRow(
        "assert_no_loss",
        "no acknowledged record is lost",
        (_TOPIC, _EXPECTED),
        judges_sent=True,
    ),
    AssertionRow(
        "assert_records",
        "readers get these values, in this order",
        (
            _ONE_TOPIC,
            Argument("expected", "texts", "the values", is_required=True),
            Argument("partition", "integer", "one partition of the topic"),
            Argument("isolation", "text", "read_committed or read_uncommitted"),
        ),
    ),
    AssertionRow("assert_no_hanging_transactions", "no transaction hangs"),
    AssertionRow("assert_no_open_transactions", "every transaction has ended"),
    AssertionRow(
        "assert_no_zombie_writes",
        "no producer wrote after it was fenced",
        (_TOPIC,),
        judges_sent=True,
    ),
    AssertionRow("assert_committed", "the last transaction of an id was committed", (_ID,)),
    AssertionRow("assert_aborted", "the last transaction of an id was aborted", (_ID,)),
    AssertionRow(
        "assert_fenced",
        "a producer got the error that fences it",
        (
            _ID._replace(is_required=False),
            Argument("producer_id", "integer", "its producer id"),
            Argument("producer_epoch", "integer", "its producer epoch"),
        ),
        needs_any=True,
    ),
    AssertionRow(
        "assert_producer_epoch",
        "a transactional id has this producer epoch",
        (_ID, Argument("producer_epoch", "integer", "the epoch", is_required=True)),
    ),
    AssertionRow(
        "assert_error_handled",
        "producers handled an error as retriable, abortable or fatal (KIP-691)",
        (
            Argument("error", "text", "the error, by Kafka's name", is_required=True),
            Argument("as_", "text", "retriable, abortable or fatal", is_required=True),
            _ID._replace(is_required=False),
        ),
    ),
    AssertionRow(
        "assert_no_partition_owned_twice",
        "no partition was owned by two members of a group at once",
        (Argument("group", "text", "the group", is_required=True),),
    ),
    AssertionRow(
        "assert_no_record_delivered_beyond_limit",
        "a share group delivered no record more often than its limit allows",
        (Argument("group", "text", "the share group", is_required=True),),
    ),
    AssertionRow(
        "assert_each_record_acknowledged_once",
        "the members of a share group have accepted or rejected each record once",
        (Argument("group", "text", "the share group", is_required=True),),
    ),
    AssertionRow(
        "assert_no_unhandled_requests", "no connection was closed for an unsupported request"
    ),
    AssertionRow("assert_all_faults_fired", "every fault has fired"),
)

ASSERTIONS: Final[Mapping[str, AssertionRow]] = {row.name: row for row in _ROWS}
"""The assertions by their names."""


def find_assertion(name: str) -> AssertionRow:
    """Return an assertion by its name; `no-loss` is accepted for `no_loss`.

    Raises:
        ValueError: there is none.

    """
    plain = name.replace("-", "_")
    row = ASSERTIONS.get(plain if plain.startswith(_PREFIX) else _PREFIX + plain)
    if row is None:
        words = [each.word for each in ASSERTIONS.values()]
        near = nearest_name(name, {plain_name(word): word for word in words})
        advice = near or f"; the assertions are {', '.join(words)}"
        raise ValueError(f"there is no assertion {name!r}{advice}")
    return row

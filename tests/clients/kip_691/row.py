"""One row of the table of KIP-691: an error, the call that raises it, and its cause."""

import inspect
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from mockbroker import API, MockbrokerWarning, Release
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from tests.clients.transactors.transactor import Setup

if TYPE_CHECKING:
    from tests.clients.kip_691.scene import Scene


_AS_USUAL: Final = Setup()
IMPATIENT: Final = Setup(call_timeout_ms=1_500, request_timeout_ms=500)
IDEMPOTENT: Final = replace(IMPATIENT, is_transactional=False)


class Moment(Enum):
    """Time of the error: before the transactions, in the first one, or else in the second one.

    A producer that is only idempotent knows the first, and the first record of a transaction.
    """

    START = "before init_transactions"
    BEGIN = "before begin_transaction"
    FIRST_SEND = "before the first record is sent"
    SECOND_SEND = "between two records"
    OFFSETS = "before send_offsets_to_transaction"
    COMMIT = "before commit_transaction"
    FIRST_COMMIT = "before commit_transaction of the first transaction, and until the next one ends"


Recipe = Callable[["Scene"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row."""

    error: ErrorCode
    api: ApiKey
    """The call whose answer has the error."""
    reach: Recipe
    line: str
    """How it is reached, in Python."""
    is_fault: bool
    moment: Moment
    kafka: Release = "4.4"
    """The release that the brokers behave like."""
    brokers: int = 1
    has_authorizer: bool = False
    """Whether ACLs decide what the client may do; without any it may do everything."""
    setup: Setup = _AS_USUAL
    """How producers are configured until it has happened."""
    topic: str | None = None
    """Where the first attempt writes to, if not where it should."""
    is_timed: bool = False
    """Whether it depends on time limits of the client, and so on a machine that does not stall."""
    on_real_kafka: bool = False
    """Whether the same happens to a real Kafka without a hand inside it."""

    @property
    def apis(self) -> tuple[ApiKey]:
        """The call whose errors are recorded."""
        return (self.api,)

    def cause(self, scene: "Scene") -> None:
        """Lead to the error."""
        self.reach(scene)

    @property
    def name(self) -> str:
        """The name of the row: unique, and unchanged when rows are added."""
        how = "by fault" if self.is_fault else f"by{self.reach.__name__}".replace("_", " ")
        return f"{self.error.name} from {self.api.title} of {self.kafka}, {how}"


_MOMENTS: Final = {
    API.FIND_COORDINATOR: Moment.START,
    API.INIT_PRODUCER_ID: Moment.START,
    API.ADD_PARTITIONS_TO_TXN: Moment.BEGIN,
    API.PRODUCE: Moment.BEGIN,
    API.ADD_OFFSETS_TO_TXN: Moment.BEGIN,
    API.TXN_OFFSET_COMMIT: Moment.BEGIN,
    API.END_TXN: Moment.COMMIT,
}
_LAST_ASKED_OF_JAVA: Final[dict[API, Release]] = {
    API.ADD_PARTITIONS_TO_TXN: "3.9",
    API.ADD_OFFSETS_TO_TXN: "3.9",
}
"""With transaction.version 2 the Java client leaves these to the brokers (KIP-890)."""


def by_fault(api: ApiKey, error: ErrorCode) -> Row:
    """Return the row of an error that a call gets once as its response."""

    def reach(scene: "Scene") -> None:
        with warnings.catch_warnings():
            # The KIP names some that no broker sends there.
            warnings.simplefilter("ignore", MockbrokerWarning)
            scene.cluster.fault(api).answer(error)

    return Row(
        error=error,
        api=api,
        reach=reach,
        line=f'cluster.fault(API.{api.name}).answer("{error.name}")',
        is_fault=True,
        moment=_MOMENTS[api],
        kafka=_LAST_ASKED_OF_JAVA.get(api, "4.4"),
    )


def source_of(recipe: Recipe) -> str:
    """Return the body of a recipe as it is shown to readers."""
    lines, _ = inspect.getsourcelines(recipe)
    starts = next(number for number, line in enumerate(lines) if line.startswith("def ")) + 1
    return textwrap.dedent("".join(lines[starts:])).replace("scene.", "").strip()

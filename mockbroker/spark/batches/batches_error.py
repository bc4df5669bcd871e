"""Error of `kafka_batches`, which can be found again in Spark's exceptions."""

import re
from typing import Final

_PREFIX: Final = "kafka_batches: "
_SENTENCE: Final = re.compile(rf"{_PREFIX}.*")


class KafkaBatchesError(Exception):
    """Unreadable batches; the text begins with `kafka_batches: `, and has location and reason."""

    def __init__(self, why: str) -> None:
        """Set the reason; the prefix is added unless the text has it."""
        super().__init__(_PREFIX + why.removeprefix(_PREFIX))


def kafka_batches_error(error: BaseException) -> str | None:
    """Return the error text of `kafka_batches` in a Spark exception; None if there is none."""
    found = _SENTENCE.search(str(error))
    return found[0].strip() if found else None

"""Why batches cannot be read, in a sentence that is found again in Spark's own words."""

import re
from typing import Final

_PREFIX: Final = "kafka_batches: "
_SENTENCE: Final = re.compile(rf"{_PREFIX}.*")


class KafkaBatchesError(Exception):
    """Batches cannot be read; the text begins with `kafka_batches: ` and says which, and why."""

    def __init__(self, why: str) -> None:
        """Say why; the prefix is added, unless the text has it."""
        super().__init__(_PREFIX + why.removeprefix(_PREFIX))


def kafka_batches_error(error: BaseException) -> str | None:
    """Return what `kafka_batches` had to say in an exception of Spark's; None if it is not ours."""
    found = _SENTENCE.search(str(error))
    return found[0].strip() if found else None

"""Error of `kafka_eos`, which can be found again in Spark's exceptions."""

import re
from typing import Final

_PREFIX: Final = "kafka_eos: "
_SENTENCE: Final = re.compile(rf"{_PREFIX}.*")


class KafkaEosError(Exception):
    """Records that are not written; the text begins with `kafka_eos: `, and has the reason."""

    def __init__(self, why: str) -> None:
        """Set the reason; the prefix is added unless the text has it."""
        super().__init__(_PREFIX + why.removeprefix(_PREFIX))


def kafka_eos_error(error: BaseException) -> str | None:
    """Return the error text of `kafka_eos` in a Spark exception; None if there is none."""
    found = _SENTENCE.search(str(error))
    return found[0].strip() if found else None

"""Entry of rows whose errors brokers raise by themselves.

A recipe leads to one. The page shows the body of each recipe, without `scene.`, which has the names
of the application. A recipe that uses the protocol only can also run against a real Kafka.
"""

from collections.abc import Callable
from typing import Any

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from tests.clients.kip_691.row import Moment, Recipe, Row, source_of

Entry = Callable[..., Callable[[Recipe], Recipe]]


def entry_into(rows: list[Row]) -> Entry:
    """Return a decorator that adds a recipe to the rows.

    Its `error` is the resulting error in the response of `api`.
    """

    def row(
        error: ErrorCode, api: ApiKey, moment: Moment, **more: Any
    ) -> Callable[[Recipe], Recipe]:
        def enter(recipe: Recipe) -> Recipe:
            rows.append(
                Row(
                    error=error,
                    api=api,
                    reach=recipe,
                    line=source_of(recipe),
                    is_fault=False,
                    moment=moment,
                    **more,
                )
            )
            return recipe

        return enter

    return row

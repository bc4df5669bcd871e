"""APIs by their names in documents: `Produce`, or `PRODUCE`."""

from difflib import get_close_matches
from typing import Final

from mockbroker.protocol.api_keys import ApiKey

_APIS: Final = {name: key for key in ApiKey for name in (key.title, key.name)}


def api_of(name: str) -> ApiKey:
    """Return an API by its name.

    Raises:
        ValueError: there is none; the text names one that is near.

    """
    found = _APIS.get(name)
    if found is None:
        near = get_close_matches(name, _APIS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"Kafka has no API {name!r}{hint}")
    return found

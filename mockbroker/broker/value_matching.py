"""Matching of a value with the value of a selector, in faults and journal queries."""

from collections.abc import Collection
from fnmatch import fnmatchcase
from typing import cast


def fits(wanted: object, found: object) -> bool:
    """Return whether a value is the wanted one or one of several; texts may hold wildcards."""
    if found is None:
        return False
    if isinstance(wanted, str):
        # Only these are wildcards: names may hold brackets.
        return isinstance(found, str) and fnmatchcase(found, wanted.replace("[", "[[]"))
    if isinstance(wanted, Collection):
        return any(fits(each, found) for each in cast("Collection[object]", wanted))
    return wanted == found

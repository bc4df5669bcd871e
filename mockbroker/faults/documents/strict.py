"""Base classes of JSON documents: those that are decoded, strictly, and those that are encoded."""

from collections.abc import Mapping

import msgspec


class Document(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A decoded document: an unknown name is an error, and never ignored."""


class View(msgspec.Struct):
    """An encoded document: it has every field, `null` if there is no value."""


def require_one(document: Document, forms: Mapping[str, frozenset[str]]) -> str:
    """Return the one field of `forms` that a document uses.

    `forms` has, by field, the fields that may stand beside it.

    Raises:
        ValueError: it uses none, or several, or what does not go with the one.

    """
    given = {name for name in document.__struct_fields__ if _is_given(document, name)}
    chosen = [name for name in forms if name in given]
    if len(chosen) != 1:
        found = ", ".join(chosen) or "none"
        raise ValueError(f"expected exactly one of {', '.join(forms)}, found {found}")
    unexpected = sorted(given - {chosen[0]} - forms[chosen[0]])
    if unexpected:
        raise ValueError(f"`{', '.join(unexpected)}` does not go with `{chosen[0]}`")
    return chosen[0]


def _is_given(document: Document, name: str) -> bool:
    fields, defaults = document.__struct_fields__, document.__struct_defaults__
    at = fields.index(name) - (len(fields) - len(defaults))
    return at < 0 or bool(getattr(document, name) != defaults[at])

"""Documents with exactly one form and no unknown fields."""

import msgspec
import pytest

from mockbroker.faults.documents.strict import Document, View, require_one

FORMS = {"by": frozenset({"how"}), "at": frozenset[str]()}


class Jump(Document):
    by: str | None = None
    at: int | None = None
    how: str = "once"

    def __post_init__(self) -> None:
        require_one(self, FORMS)


class Named(Document):
    name: str


class Shown(View):
    by: str | None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{}", "expected exactly one of by, at, found none"),
        ('{"by": "7d", "at": 1}', "expected exactly one of by, at, found by, at"),
        ('{"at": 1, "how": "twice"}', "`how` does not go with `at`"),
        ('{"at": 1, "hwo": "twice"}', "unknown field `hwo`"),
    ],
)
def test_a_document_has_one_form_and_no_unknown_field(text: str, why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        msgspec.json.decode(text, type=Jump)


def test_the_given_form_is_named_and_defaults_are_left_out() -> None:
    jump = msgspec.json.decode('{"by": "7d", "how": "twice"}', type=Jump)
    assert require_one(jump, FORMS) == "by"
    assert msgspec.json.encode(jump) == b'{"by":"7d","how":"twice"}'
    assert msgspec.json.encode(Jump(at=0)) == b'{"at":0}'


def test_a_field_without_a_default_counts_as_given() -> None:
    assert require_one(Named(name="x"), {"name": frozenset()}) == "name"


def test_a_view_shows_unknown_values_as_null() -> None:
    assert msgspec.json.encode(Shown(by=None)) == b'{"by":null}'

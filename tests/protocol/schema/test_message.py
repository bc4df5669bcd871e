from typing import Any

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.schema.message import (
    INT32,
    STRING,
    Message,
    Struct,
    Versions,
    array,
    field,
    struct,
)


class Inner(Struct):
    number: int = field(INT32, default=-1)
    name: str | None = field(STRING, nullable="0+")


class Outer(Message, api=ApiKey.PRODUCE, kind="request", versions="0-3", flexible="2+"):
    inner: Inner = field(struct(Inner))
    inners: list[Inner] = field(array(Inner), "1+")
    numbers: list[int] | None = field(array(INT32), nullable="0+", default=None)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("3+", (3, 99), (2,)), ("0-2", (0, 2), (3,)), ("7", (7,), (6, 8)), ("none", (), (0, 1))],
)
def test_versions_are_written_as_in_kafkas_schemas(
    text: str, inside: tuple[int, ...], outside: tuple[int, ...]
) -> None:
    versions = Versions.parse(text)
    assert str(versions) == text
    assert all(version in versions for version in inside)
    assert not any(version in versions for version in outside)


@pytest.mark.parametrize("text", ["", "3-", "a", "1-2-3"])
def test_an_invalid_range_of_versions_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a range of versions"):
        Versions.parse(text)


def test_a_message_knows_its_own_facts() -> None:
    assert Outer.API is ApiKey.PRODUCE
    assert Outer.KIND == "request"
    assert Versions(0, 3) == Outer.VERSIONS
    assert Versions(2, None) == Outer.FLEXIBLE
    assert list(Outer.FIELDS) == ["inner", "inners", "numbers"]


def test_a_kind_reads_as_in_kafkas_schemas() -> None:
    kinds = [str(spec.kind) for spec in Outer.FIELDS.values()]
    assert kinds == ["Inner", "[]Inner", "[]int32"]
    assert str(INT32) == "int32"


def test_fields_that_are_not_given_have_their_initial_value() -> None:
    message = Outer()
    assert message.inner == Inner(number=-1, name="")
    assert message.inners == []
    assert message.numbers is None
    assert Outer.FIELDS["numbers"].initial() is None


def test_initial_lists_and_structs_are_not_shared() -> None:
    first, second = Outer(), Outer()
    first.inners.append(Inner())
    first.inner.number = 5
    assert second == Outer()
    assert first != second


def test_a_message_has_only_its_fields() -> None:
    with pytest.raises(AttributeError):
        Outer().__setattr__("typo", 1)
    with pytest.raises(TypeError):
        Outer(typo=1)  # type: ignore[call-arg]


def test_messages_are_values_that_may_change() -> None:
    assert Inner(number=1) != Inner(number=2)
    assert Inner() != "an inner"
    assert repr(Inner(number=1, name=None)) == "Inner(number=1, name=None)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Inner())


def test_a_struct_takes_no_facts_of_a_message() -> None:
    make: Any = type(Struct)
    with pytest.raises(AssertionError):
        make("Wrong", (Struct,), {}, versions="0")


def test_the_sentinel_has_a_readable_repr() -> None:
    assert repr(Outer.FIELDS["inner"].default) == "MISSING"

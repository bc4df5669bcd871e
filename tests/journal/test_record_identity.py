"""Identity of records, as users write it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import pytest

from mockbroker.journal.record_identity import OFF, RecordIdentity, identity_of

VALUE: Final = b'{"order": {"id": 7, "lines": [{"no": "a"}], "at": null}}'


class Record(NamedTuple):
    """A record."""

    key: bytes | None = b"k1"
    value: bytes | None = VALUE
    headers: Sequence[tuple[str, bytes | None]] = (("id", b"old"), ("id", b"h1"), ("none", None))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("key", "k1"),
        ("value", VALUE.decode()),
        ("header:id", "h1"),
        ("header:none", None),
        ("header:other", None),
        ("json:$.order.id", "7"),
        ("json:order.id", "7"),
        ("json:order.lines.0.no", "a"),
        ("json:order.lines.1.no", None),
        ("json:order.lines.0", '{"no": "a"}'),
        ("json:order.at", None),
        ("json:order.id.deeper", None),
    ],
)
def test_an_identity_is_a_part_of_a_record(text: str, found: str | None) -> None:
    identity = identity_of(text)
    assert identity is not None
    assert str(identity) == text
    assert identity.of(Record()) == found


def test_records_without_the_part_have_no_identity() -> None:
    assert RecordIdentity("key").of(Record(key=None)) is None
    for value in (None, b"", b"no json", b"\xff", b"[" * 200_000):
        assert RecordIdentity("json", "id").of(Record(value=value)) is None


def test_an_index_beyond_a_list_is_no_identity_however_long_it_is() -> None:
    for index in ("2", "9" * 10_000):
        assert RecordIdentity("json", f"ids.{index}").of(Record(value=b'{"ids": [7, 8]}')) is None
    one = RecordIdentity("json", f"ids.{'0' * 10_000}1")
    assert one.of(Record(value=b'{"ids": [7, 8]}')) == "8"


def test_half_of_a_surrogate_pair_is_written_in_a_way_that_files_can_hold() -> None:
    for value in (rb'{"id": "a\ud800"}', rb'{"id": ["a\ud800"]}'):
        found = RecordIdentity("json", "id").of(Record(value=value))
        assert found is not None
        assert r"a\ud800" in found.encode().decode()


def test_different_bytes_are_different_identities() -> None:
    one, other = (RecordIdentity("key").of(Record(key=key)) for key in (b"\xfe", b"\xff"))
    assert one != other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"1700000000.123456781", b"1700000000.123456782"),
        (b"1e400", b"2e400"),
        (b"9007199254740993.0", b"9007199254740992.0"),
        (b'{"at": 0.1234567890123456781}', b'{"at": 0.1234567890123456782}'),
    ],
)
def test_different_numbers_are_different_identities(one: bytes, other: bytes) -> None:
    identity = RecordIdentity("json", "id")
    found = {identity.of(Record(value=b'{"id": %s}' % number)) for number in (one, other)}
    assert len(found) == 2
    assert None not in found


def test_a_number_that_a_float_can_hold_is_written_as_before() -> None:
    identity = RecordIdentity("json", "id")
    texts = (b"1", b"1.0", b"0.1", b"1e3", b"-7.25", b"1e999999999999999999999")
    found = [identity.of(Record(value=b'{"id": %s}' % text)) for text in texts]
    assert found == ["1", "1.0", "0.1", "1000.0", "-7.25", None]


@pytest.mark.parametrize("text", ["", "id", "key:a", "header:", "json:", "json:$", "Off"])
def test_other_texts_are_no_identity(text: str) -> None:
    with pytest.raises(
        ValueError, match="is no identity of records: write key, value, header:NAME"
    ):
        identity_of(text)


def test_identities_can_be_turned_off() -> None:
    assert identity_of(OFF) is None

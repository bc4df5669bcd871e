"""The syntax of server.properties, as Java reads it."""

import pytest

from mockbroker.settings.java_properties import parse_properties


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1\nb = 2\nc:3\nd 4\n", {"a": "1", "b": "2", "c": "3", "d": "4"}),
        ("# comment\n! comment\n\n  a=1\r\nb=2\rc=3", {"a": "1", "b": "2", "c": "3"}),
        ("a=1,\\\n   2,\\\n   3", {"a": "1,2,3"}),
        ("a=ends\\\\\nb=1", {"a": "ends\\", "b": "1"}),
        ("a=\\\n", {"a": ""}),
        ("a=1\\", {"a": "1"}),
        ("a\nb=", {"a": "", "b": ""}),
        ("a\\ b\\=c=1\\t2", {"a b=c": "1\t2"}),
        ("a=\\u00e9\\x", {"a": "éx"}),
        ("a=1\na=2", {"a": "2"}),
        ("a==1", {"a": "=1"}),
        ("", {}),
    ],
)
def test_a_file_is_read_as_java_reads_it(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


def test_a_comment_does_not_end_a_continued_line() -> None:
    assert parse_properties("a=1\\\n#2") == {"a": "1#2"}

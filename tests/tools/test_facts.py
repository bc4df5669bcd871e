"""The extract of Kafka's message files has every fact and no descriptions."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tools.facts import UnknownKeyError, error_facts, extracts, main, message_facts, written

MESSAGE = """
// A licence, and a history of versions.
{
  "apiKey": 22, "type": "request", "name": "InitProducerIdRequest",
  // Why version 1 is the same as version 0.
  "validVersions": "0-6", "flexibleVersions": "2+", "latestVersionUnstable": true,
  "fields": [
    { "name": "TransactionalId", "type": "string", "versions": "0+", "nullableVersions": "0+",
      "about": "Prose." },
    { "name": "Topics", "type": "[]Topic", "versions": "1+", "fields": [
      { "name": "Name", "type": "string", "versions": "1+", "mapKey": true, "about": "Prose." } ] }
  ],
  "commonStructs": [
    { "name": "Extra", "versions": "3+", "about": "Prose.", "fields": [] } ]
}
"""
FACTS: dict[str, Any] = {
    "name": "InitProducerIdRequest",
    "type": "request",
    "apiKey": 22,
    "validVersions": "0-6",
    "latestVersionUnstable": True,
    "flexibleVersions": "2+",
    "fields": [
        {
            "name": "TransactionalId",
            "type": "string",
            "versions": "0+",
            "nullableVersions": "0+",
        },
        {
            "name": "Topics",
            "type": "[]Topic",
            "versions": "1+",
            "fields": [{"name": "Name", "type": "string", "versions": "1+", "mapKey": True}],
        },
    ],
    "commonStructs": [{"name": "Extra", "versions": "3+", "fields": []}],
}


def test_facts_are_written_without_descriptions() -> None:
    assert message_facts(MESSAGE) == FACTS


def test_an_undecided_key_is_refused() -> None:
    with pytest.raises(UnknownKeyError, match="TransactionalId: secret"):
        message_facts(MESSAGE.replace('"about"', '"secret"', 1))


def test_an_error_loses_its_message() -> None:
    error: dict[str, Any] = {"code": 3, "name": "UNKNOWN_TOPIC_OR_PARTITION", "message": "Prose."}
    assert error_facts(error) == {"code": 3, "name": "UNKNOWN_TOPIC_OR_PARTITION"}


def test_each_field_is_written_on_a_line() -> None:
    text = written([message_facts(MESSAGE)])
    assert json.loads(text) == [FACTS]
    assert [line.split(",")[0].strip() for line in text.splitlines()] == [
        "[",
        '{"name": "InitProducerIdRequest"',
        '{"name": "TransactionalId"',
        '{"name": "Topics"',
        '{"name": "Name"',
        '{"name": "Extra"',
    ]


def test_a_folder_of_everything_gives_a_file_for_each_source(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "messages-9.9").mkdir(parents=True)
    (source / "messages-9.9" / "InitProducerIdRequest.json").write_text(MESSAGE)
    (source / "apiversions-kafka-9.9.json").write_text('{"apis": [{"key": 0, "name": "Produce"}]}')
    (source / "errors.json").write_text('[{"code": 0, "name": "NONE", "message": "Prose."}]')
    assert main([str(source), str(target)]) == 0
    assert {path.name: json.loads(path.read_text()) for path in target.iterdir()} == {
        "messages-9.9.json": [FACTS],
        "apiversions-9.9.json": {"apis": [{"key": 0, "name": "Produce"}]},
        "errors.json": [{"code": 0, "name": "NONE"}],
    }


def test_a_folder_of_messages_is_enough(tmp_path: Path) -> None:
    folder = tmp_path / "message"
    folder.mkdir()
    (folder / "X.json").write_text(MESSAGE)
    assert {name: json.loads(text) for name, text in extracts(folder).items()} == {
        "message.json": [FACTS]
    }


def test_a_jar_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "kafka-clients-9.9.jar"
    with ZipFile(path, "w") as jar:
        jar.writestr("common/message/X.json", MESSAGE)
        jar.writestr("common/message/README", "Prose.")
        jar.writestr("other/Y.json", "{}")
    assert {name: json.loads(text) for name, text in extracts(path).items()} == {
        "messages-9.9.json": [FACTS]
    }


def test_an_empty_source_is_an_error(tmp_path: Path) -> None:
    assert main([str(tmp_path), str(tmp_path / "target")]) == 1


def test_the_arguments_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "SOURCE TARGET" in capsys.readouterr().err

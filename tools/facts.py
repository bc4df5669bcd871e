"""Extract the facts of Kafka's message files: names, types, versions and defaults, and no prose.

    python -m tools.facts SOURCE TARGET

SOURCE is a Kafka clients jar, a folder of message files, or a folder that holds any of: folders
`messages-*` of message files, `apiversions-kafka-RELEASE.json` and `errors.json`. In TARGET each
source becomes one JSON file with one line per field, sorted, so that a new release is a readable
diff.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias
from zipfile import ZipFile

Json: TypeAlias = "bool | int | str | list[Json] | dict[str, Json] | None"
Object: TypeAlias = dict[str, Json]

PROSE: Final = {"about"}
MESSAGE_KEYS: Final = (
    "name", "type", "apiKey", "listeners", "validVersions", "latestVersionUnstable",
    "flexibleVersions", "fields", "commonStructs",
)  # fmt: skip
FIELD_KEYS: Final = (
    "name", "type", "versions", "nullableVersions", "taggedVersions", "tag", "flexibleVersions",
    "default", "ignorable", "mapKey", "entityType", "zeroCopy", "fields",
)  # fmt: skip
ERROR_KEYS: Final = (
    "code", "name", "retriable", "refresh_retriable", "invalid_metadata", "abortable",
    "application_recoverable", "invalid_configuration", "exception", "parent",
)  # fmt: skip


class UnknownKeyError(ValueError):
    """A source has a key that is neither a known fact nor known prose: decide which."""


def message_facts(text: str) -> Object:
    """Return the facts of one of Kafka's message files, which are JSON with line comments.

    Raises:
        UnknownKeyError: the file has a key this extract does not know.

    """
    message: Object = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    return _kept(message, MESSAGE_KEYS, PROSE)


def error_facts(error: Object) -> Object:
    """Return an error's code, name and properties, without its message."""
    return _kept(error, ERROR_KEYS, {"message"})


def _kept(source: Object, keys: tuple[str, ...], dropped: set[str]) -> Object:
    if unknown := source.keys() - set(keys) - dropped:
        raise UnknownKeyError(f"{source.get('name')}: {', '.join(sorted(unknown))}")
    return {key: _nested(source[key]) for key in keys if key in source}


def _nested(value: Json) -> Json:
    if not isinstance(value, list):
        return value
    return [_kept(item, FIELD_KEYS, PROSE) if isinstance(item, dict) else item for item in value]


def written(value: Json, depth: int = 0) -> str:
    """Write JSON so that each object that holds no others is one line, indented by depth."""
    if isinstance(value, dict):
        items = (f"{json.dumps(key)}: {written(item, depth)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        indent = "\n" + "  " * (depth + 1)
        items = (indent + written(item, depth + 1) for item in value)
        return f"[{','.join(items)}]"
    return json.dumps(value)


def messages_in(source: Path) -> dict[str, str]:
    """Return the text of each message file in a folder or in a jar, by file name."""
    if source.is_dir():
        return {path.name: path.read_text("utf-8") for path in source.glob("*.json")}
    with ZipFile(source) as jar:
        paths = [Path(name) for name in jar.namelist() if name.startswith("common/message/")]
        return {
            path.name: jar.read(path.as_posix()).decode()
            for path in paths
            if path.suffix == ".json"
        }


def extracted_messages(files: Mapping[str, str]) -> str:
    """Write the facts of many message files as one list, sorted by file name."""
    return written([message_facts(text) for _, text in sorted(files.items())]) + "\n"


def extracts(source: Path) -> dict[str, str]:
    """Return the extract files of a source, by name."""
    if source.is_file():
        release = source.stem.removeprefix("kafka-clients-")
        return {f"messages-{release}.json": extracted_messages(messages_in(source))}
    found = {
        f"{folder.name}.json": extracted_messages(messages_in(folder))
        for folder in source.glob("messages-*")
        if folder.is_dir()
    }
    for path in source.glob("apiversions-kafka-*.json"):
        found[path.name.replace("-kafka-", "-")] = (
            written(json.loads(path.read_text("utf-8"))) + "\n"
        )
    for path in source.glob("errors.json"):
        errors: list[Json] = [error_facts(error) for error in json.loads(path.read_text("utf-8"))]
        found[path.name] = written(errors) + "\n"
    if not found and (files := messages_in(source)):
        found[f"{source.name}.json"] = extracted_messages(files)
    return found


def main(arguments: list[str]) -> int:
    """Refresh the extract, and print the written files."""
    if len(arguments) != 2:
        print("usage: python -m tools.facts SOURCE TARGET", file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    files = extracts(source)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in sorted(files.items()):
        (target / name).write_text(text, "utf-8")
        print(f"{target / name}: {len(text.splitlines())} lines")
    return 0 if files else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

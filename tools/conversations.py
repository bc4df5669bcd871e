"""Archive of the scripts and the recordings of real Kafka, for `mockbroker diff`.

    python -m tools.conversations FILE

A wheel contains it. A working copy needs none: it has the folders that the archive is made of.
"""

import json
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
ARCHIVE: Final = Path("mockbroker/diff/conversations.zip")
CONFORMANCE: Final = Path("tests/conformance")
NOT_SCRIPTS: Final = frozenset({"explore", "golden", "record", "refusals", "tls_stores"})
"""Modules that record, or check recordings."""
LEFT_OUT: Final[Mapping[str, str]] = {
    "signed_tokens": "needs a listener with SASL, and the keys of its tokens",
    "tls": "needs a listener with TLS, and its certificates",
}
"""Modules that no foreign broker can be asked, and that need more files or packages."""
LIST_OF_LEFT_OUT: Final = CONFORMANCE / "left_out.json"
_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every entry, so that the same content makes the same bytes."""


def scripts(root: Path) -> Iterator[Path]:
    """Yield the scripts, and what they import."""
    for folder in (CONFORMANCE, CONFORMANCE / "scenarios", CONFORMANCE / "walks"):
        for path in sorted((root / folder).glob("*.py")):
            name = path.stem
            if not name.startswith("test_") and name not in NOT_SCRIPTS | LEFT_OUT.keys():
                yield path


def recordings(root: Path) -> Iterator[Path]:
    """Yield the recordings of these scripts."""
    for path in sorted((root / CONFORMANCE / "golden").rglob("*.txt")):
        if path.stem not in LEFT_OUT:
            yield path


def write(archive: Path, root: Path = ROOT) -> bool:
    """Write the archive; return False if there are no recordings."""
    recorded = list(recordings(root))
    if not recorded:
        return False
    facts = sorted((root / "tests" / "facts").glob("apiversions-*.json"))
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as opened:
        # So that no folder of a user is taken for a part of these packages.
        for package in (Path("tests"), CONFORMANCE, CONFORMANCE / "walks"):
            _add(opened, package / "__init__.py", b"", zipfile.ZIP_STORED)
        # Python imports what is deflated; recordings take a third of that with bzip2.
        for path in (*scripts(root), *facts):
            _add(opened, path.relative_to(root), path.read_bytes(), zipfile.ZIP_DEFLATED)
        for path in recorded:
            _add(opened, path.relative_to(root), path.read_bytes(), zipfile.ZIP_BZIP2)
        reasons = json.dumps(LEFT_OUT, indent=1).encode()
        _add(opened, LIST_OF_LEFT_OUT, reasons, zipfile.ZIP_DEFLATED)
    return True


def _add(opened: zipfile.ZipFile, path: Path, data: bytes, compression: int) -> None:
    opened.writestr(zipfile.ZipInfo(path.as_posix(), _TIME), data, compression)


if __name__ == "__main__":
    (target,) = map(Path, sys.argv[1:])
    is_written = write(target)
    sys.stdout.write(f"wrote {target}\n" if is_written else "there are no recordings\n")
    sys.exit(not is_written)

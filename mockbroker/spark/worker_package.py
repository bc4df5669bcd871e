"""This package as a zip, for workers on which it is not installed."""

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from mockbroker import version

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME: Final = "mockbroker.zip"
_SUFFIXES: Final = frozenset({".js", ".py", ".xml", ".typed"})
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
_given: set[int] = set()


def write_package(folder: Path) -> Path:
    """Write the package into a folder as `mockbroker.zip`; the result is reproducible.

    Raises:
        OSError: it cannot be written.

    """
    root = Path(version.__file__).parent
    path = folder / NAME
    with ZipFile(path, "w", ZIP_DEFLATED) as package:
        for file in sorted(root.rglob("*")):
            if file.suffix in _SUFFIXES:
                name = ZipInfo(str(file.relative_to(root.parent)), _EARLIEST)
                name.compress_type = ZIP_DEFLATED
                package.writestr(name, file.read_bytes())
    return path


def give_to_workers(spark: "SparkSession") -> None:
    """Make this version importable for the workers of a session, once per session.

    If this package itself is in a zip, that zip was submitted, and workers already have it.
    """
    if id(spark) in _given or not Path(version.__file__).is_file():
        return
    folder = Path(tempfile.mkdtemp(prefix="mockbroker-package-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    package = write_package(folder)
    # Spark refuses two files with one name, and another version may have been submitted.
    state = hashlib.sha256(package.read_bytes()).hexdigest()[:12]
    spark.addArtifacts(str(package.rename(folder / f"mockbroker-{state}.zip")), pyfile=True)
    _given.add(id(spark))

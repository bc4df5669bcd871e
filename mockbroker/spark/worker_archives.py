"""Archives from which Spark's Python workers import."""

import re
import sys
from pathlib import Path
from typing import Final
from zipimport import zipimporter

_OURS: Final = re.compile(
    r"pyspark\.zip|py4j-.+\.zip|spark-core_.+\.jar|mockbroker(-[0-9a-f]+)?\.zip"
)
"""Archives of Spark and of this package (`worker_package`)."""


def forget_archives() -> None:
    """Spare Spark's next call of this process the reading of archives.

    A call begins with `importlib.invalidate_caches`. Before Python 3.13 it reads the directory of
    an archive once for each package that was imported from it, in a tenth of a second. A finder
    that is missing is made when it is needed, from what was read before: an archive that is
    replaced in place is not noticed.
    """
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter) and _OURS.fullmatch(Path(finder.archive).name):
            sys.path_importer_cache.pop(path, None)

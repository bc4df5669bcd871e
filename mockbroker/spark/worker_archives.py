"""Archives from which Spark's Python workers import."""

import sys
from pathlib import Path
from typing import Final
from zipimport import zipimporter

from mockbroker.spark.worker_package import NAME

_NAMES: Final = ("pyspark.zip", "py4j-", "spark-core_", NAME)
"""Those of Spark and of this package, which nobody changes while a worker runs."""


def forget_archives() -> None:
    """Spare Spark's next call of this process the reading of archives.

    A call begins with `importlib.invalidate_caches`. Before Python 3.13 it reads the directory of
    an archive once for each package that was imported from it, in a tenth of a second. A finder
    that is missing is made when it is needed.
    """
    for path, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter) and Path(finder.archive).name.startswith(_NAMES):
            del sys.path_importer_cache[path]

"""Cost of audits of synthetic journals, without the generation of these."""

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bench.arena import Arena
from bench.competitors import Competitor
from bench.errors import CannotMeasureError
from bench.measurement import Measurement, Sample, program
from mockbroker.errors import install_hint
from mockbroker.journal.files.manifest import parts_of

_ROWS: Final = 1_000_000
_EACH: Final = 10
_SEED: Final = 7
_SPARK_TIMEOUT_S: Final = 900


def measure_audit(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a million rows of a journal in one process; and again, cut and shuffled."""
    del arena, competitor
    write_journal, plan = _writer(_ROWS)
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as directory:
        few, many = Path(directory) / "few", Path(directory) / "many"
        write_journal(few, plan, rows_a_part=_ROWS // 10)
        written = write_journal(many, plan, rows_a_part=_ROWS // 200)
        shuffle_parts(many)
        in_few = _audited("bench.audit_in_process", few, written)
        in_many = _audited("bench.audit_in_process", many, written)
    return Sample(
        {
            "audit_local_s": in_few["seconds"] * _ROWS / in_few["events"],
            "audit_local_peak": in_few["peak_mib"],
            "audit_local_parts": in_many["seconds"] / in_few["seconds"],
        }
    )


def measure_on_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a million rows by the pipeline, on Spark, which also reads and sorts them."""
    del arena, competitor
    audit = _on_spark(_ROWS, is_compared=True)
    return Sample({"audit_spark_sorts": audit["seconds"] / audit["sort_seconds"]})


def measure_large_on_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Audit ten million rows and a hundred million by the pipeline, on Spark."""
    del arena, competitor
    ten, hundred = _on_spark(10 * _ROWS), _on_spark(100 * _ROWS)
    return Sample(
        {
            "audit_spark_10m_s": ten["seconds"],
            "audit_spark_100m": hundred["seconds"] / ten["seconds"],
            "audit_spark_driver": hundred["driver_mib"],
        }
    )


def _on_spark(rows: int, *, is_compared: bool = False) -> Mapping[str, float]:
    write_journal, plan = _writer(rows)
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as directory:
        folder = Path(directory) / "journal"
        written = write_journal(folder, plan)
        words = ("beside",) if is_compared else ()
        return _audited("bench.audit_on_spark", folder, written, *words)


def _audited(name: str, folder: Path, written: Any, *words: str) -> Mapping[str, float]:
    """Run an audit program on a journal, and check that it finds exactly the injected anomalies."""
    from tools.synthetic_journal.injected import write_injected

    injected = folder.with_suffix(".injected.json")
    write_injected(injected, written.injected)
    audit = program(name, str(folder), str(injected), *words, timeout_s=_SPARK_TIMEOUT_S)["audit"]
    wrong = {name: audit.get(name, 0) for name in ("missed", "surplus", "differ")}
    if audit["events"] != written.rows or any(wrong.values()):
        raise CannotMeasureError(
            f"of {len(written.injected)} anomalies: {wrong}, in {audit['events']:.0f} of "
            f"{written.rows} rows"
        )
    return audit


def _writer(rows: int) -> tuple[Any, Any]:
    try:
        from tools.synthetic_journal.journal import REAL, write_journal
    except ImportError as missing:
        raise CannotMeasureError(f"{missing}: {install_hint('spark')}") from None
    return write_journal, replace(REAL, rows=rows, seed=_SEED, each=_EACH)


def shuffle_parts(folder: Path) -> None:
    """Exchange the names of a journal's parts."""
    paths = parts_of(folder, "parquet")
    for path in paths:
        path.rename(path.with_suffix(".moved"))
    names = [path.with_suffix(".moved") for path in paths]
    random.Random(_SEED).shuffle(names)
    for path, name in zip(paths, names, strict=True):
        name.rename(path)


_NOT_FOR: Final[dict[str, str]] = dict.fromkeys(
    ("kafka", "rdkafka-mock", "kfake"), "it judges nothing"
)
MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="audit",
        measure=measure_audit,
        not_for=_NOT_FOR,
        note="rows of a journal on disk to a verdict, 25,000 producers, 2,000 partitions, a quarter"
        " of the rows irregular",
    ),
    Measurement(
        key="audit-spark",
        measure=measure_on_spark,
        not_for=_NOT_FOR,
        rounds_max={"mockbroker": 1},
        note="mockbroker audit on local[2], files written; without the session's start",
    ),
    Measurement(
        key="audit-spark-100m",
        measure=measure_large_on_spark,
        not_for=_NOT_FOR,
        rounds_max={"mockbroker": 1},
        is_long=True,
    ),
)

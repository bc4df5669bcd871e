"""Cost of audits of synthetic journals, without the generation of these."""

import random
import tempfile
from collections.abc import Mapping, Sequence
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
_FEW_ROWS: Final = 20_000
"""Rows per part, if there are many parts."""
_SEED: Final = 7
_SPARK_TIMEOUT_S: Final = 900


def measure_audit(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a million rows of a journal in one process; and again, cut and shuffled."""
    del arena, competitor
    write_journal, plan = _writer(_ROWS)
    values: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as directory:
        few, many = Path(directory) / "few", Path(directory) / "many"
        write_journal(few, plan, rows_a_part=_ROWS // 10)
        written = write_journal(many, plan, rows_a_part=_ROWS // 200)
        shuffle_parts(many)
        seconds: dict[str, float] = {}
        for name, folder in (("few", few), ("many", many)):
            audit = _audited("bench.audit_in_process", folder, written)
            seconds[name] = audit["seconds"] * _ROWS / audit["events"]
            if name == "few":
                values["audit_local_peak"] = audit["peak_mib"]
    values["audit_local_s"] = seconds["few"]
    values["audit_local_parts"] = seconds["many"] / seconds["few"]
    return Sample(values)


def measure_on_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Audit ten million rows by the pipeline, on Spark; and again, cut and shuffled."""
    del arena, competitor
    seconds = _spark_seconds(10 * _ROWS, is_compared=True)
    in_many = _spark_seconds(10 * _ROWS, rows_a_part=_FEW_ROWS)
    return Sample({"audit_spark_10m_s": seconds, "audit_spark_parts": in_many / seconds})


def measure_large_on_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a hundred million rows by the pipeline, on Spark."""
    del arena, competitor
    return Sample({"audit_spark_100m_s": _spark_seconds(100 * _ROWS)})


def _spark_seconds(
    rows: int, rows_a_part: int | None = None, *, is_compared: bool = False
) -> float:
    write_journal, plan = _writer(rows)
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as directory:
        folder = Path(directory) / "journal"
        if rows_a_part is None:
            written = write_journal(folder, plan)
        else:
            written = write_journal(folder, plan, rows_a_part=rows_a_part)
            shuffle_parts(folder)
        words = ("beside",) if is_compared else ()
        return _audited("bench.audit_on_spark", folder, written, *words)["seconds"]


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
        from tools.synthetic_journal.journal import Plan, write_journal
    except ImportError as missing:
        raise CannotMeasureError(f"{missing}: {install_hint('spark')}") from None
    return write_journal, Plan(rows=rows, seed=_SEED, each=_EACH)


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
        note="rows of a journal on disk to a verdict: reading Parquet, folding and judging; without"
        " imports, and the journal in the page cache",
    ),
    Measurement(
        key="audit-spark",
        measure=measure_on_spark,
        not_for=_NOT_FOR,
        rounds_max={"mockbroker": 1},
        note="mockbroker audit on local[2], 3 GB heap, files written; without the session's start",
    ),
    Measurement(
        key="audit-spark-100m",
        measure=measure_large_on_spark,
        not_for=_NOT_FOR,
        rounds_max={"mockbroker": 1},
        is_long=True,
    ),
)

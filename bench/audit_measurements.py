"""Cost of audits of synthetic journals, without the generation of these."""

import atexit
import random
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
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
_TIMEOUT_S: Final = 1_800
_WRITING_S: Final = 4.0
_AUDIT_S: Final = 40.0
"""Seconds for a million rows; an estimate."""


def measure_audit(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a million rows of a journal in one process: regular ones, then real ones.

    The real ones are audited again, cut and shuffled.
    """
    del arena, competitor
    write_journal, plan = _writer(_ROWS)
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as directory:
        few, many = Path(directory) / "few", Path(directory) / "many"
        regular = Path(directory) / "regular"
        of_few = write_journal(regular, _writer(_ROWS, is_regular=True)[1])
        in_regular = _audited("bench.audit_in_process", regular, of_few)
        write_journal(few, plan, rows_a_part=_ROWS // 10)
        written = write_journal(many, plan, rows_a_part=_ROWS // 200)
        shuffle_parts(many)
        in_few = _audited("bench.audit_in_process", few, written)
        in_many = _audited("bench.audit_in_process", many, written)
    return Sample(
        {
            "audit_regular_s": in_regular["seconds"] * _ROWS / in_regular["events"],
            "audit_local_s": in_few["seconds"] * _ROWS / in_few["events"],
            "audit_local_peak": in_few["peak_mib"],
            "audit_local_parts": in_many["seconds"] / in_few["seconds"],
        }
    )


def measure_on_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a million rows by the pipeline, on Spark, which also reads and sorts them."""
    del arena, competitor
    audit = _on_spark(_ROWS, "sorted", "beside")
    return Sample(
        {
            "audit_spark_sorts": audit["seconds"] / audit["sort_seconds"],
            "audit_spark_sorts_cpu": audit["cpu_s"] / audit["sort_cpu_s"],
        },
        (_remark(audit),),
    )


def measure_more_on_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Audit ten million rows by the pipeline, on Spark and on a standalone cluster."""
    del arena, competitor
    local, cluster = _on_spark(10 * _ROWS, "sorted"), _on_spark(10 * _ROWS, "cluster")
    return Sample(
        {
            "audit_spark_10m_sorts": local["seconds"] / local["sort_seconds"],
            "audit_spark_10m_sorts_cpu": local["cpu_s"] / local["sort_cpu_s"],
            "audit_spark_10m_driver": cluster["driver_mib"],
        },
        (_remark(local), _remark(cluster)),
    )


def measure_large_on_spark(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a hundred million rows by the pipeline, and compare with ten million."""
    del arena, competitor
    ten, hundred = _on_spark(10 * _ROWS, "sorted"), _on_spark(100 * _ROWS)
    cluster = _on_spark(100 * _ROWS, "cluster")
    return Sample(
        {
            "audit_spark_100m": hundred["seconds"] / ten["seconds"],
            "audit_spark_100m_cpu": hundred["cpu_s"] / ten["cpu_s"],
            "audit_spark_100m_driver": cluster["driver_mib"],
            "audit_spark_100m_worker": max(hundred["worker_mib"], cluster["worker_mib"]),
        },
        (_remark(hundred), _remark(cluster)),
    )


@cache
def _on_spark(rows: int, *words: str) -> Mapping[str, float]:
    """Audit a journal once in a run, whichever measurements need it."""
    folder, written = _journal(rows)
    return _audited("bench.audit_on_spark", folder, written, *words)


@cache
def _journal(rows: int) -> tuple[Path, Any]:
    """Write a journal, which is removed when the bench ends."""
    write_journal, plan = _writer(rows)
    millions = rows / _ROWS
    minutes = (_WRITING_S * millions / 60, _AUDIT_S * millions / 60)
    print(
        f"{millions:.0f} M rows: about {minutes[0]:.0f} min to write them, "
        f"{minutes[1]:.0f} min for each audit, on two cores",
        file=sys.stderr,
    )
    directory = tempfile.mkdtemp(prefix="bench-audit-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    folder = Path(directory) / "journal"
    return folder, write_journal(folder, plan)


def _remark(audit: Mapping[str, float]) -> str:
    """Return a note with all that was measured of an audit on Spark."""
    sort = ""
    if "sort_seconds" in audit:
        sort = (
            f"; read and sorted in {audit['sort_seconds']:.0f} s, {audit['sort_cpu_s']:.0f} of CPU"
        )
    return (
        f"{audit['events'] / _ROWS:.0f} M rows judged in {audit['seconds']:.0f} s, "
        f"{audit['cpu_s']:.0f} s of CPU{sort}; MiB: driver {audit['driver_mib']:.0f}, "
        f"executor's JVM {audit['executor_mib']:.0f}, worker {audit['worker_mib']:.0f}; "
        "found what was planted, and nothing else"
    )


def _audited(name: str, folder: Path, written: Any, *words: str) -> Mapping[str, float]:
    """Run an audit program on a journal, and check that it finds exactly the injected anomalies."""
    from tools.synthetic_journal.injected import write_injected

    injected = folder.with_suffix(".injected.json")
    write_injected(injected, written.injected)
    timeout_s = _TIMEOUT_S + 4 * _AUDIT_S * written.rows / _ROWS
    audit = program(name, str(folder), str(injected), *words, timeout_s=timeout_s)["audit"]
    wrong = {name: audit.get(name, 0) for name in ("missed", "surplus", "differ")}
    if audit["events"] != written.rows or any(wrong.values()):
        raise CannotMeasureError(
            f"of {len(written.injected)} anomalies: {wrong}, in {audit['events']:.0f} of "
            f"{written.rows} rows"
        )
    return audit


def _writer(rows: int, *, is_regular: bool = False) -> tuple[Any, Any]:
    try:
        from tools.synthetic_journal.journal import REAL, Plan, write_journal
    except ImportError as missing:
        raise CannotMeasureError(f"{missing}: {install_hint('spark')}") from None
    shape = Plan(rows=rows) if is_regular else REAL
    return write_journal, replace(shape, rows=rows, seed=_SEED, each=_EACH)


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
        note="rows of a journal on disk to a verdict: regular ones of 64 producers in 48"
        " partitions; and those of 25,000 producers in 2,000 partitions, a quarter irregular",
    ),
    Measurement(
        key="audit-spark",
        measure=measure_on_spark,
        not_for=_NOT_FOR,
        rounds_max={"mockbroker": 1},
        note="mockbroker audit on local[2], files written; without the session's start",
    ),
    Measurement(
        key="audit-spark-10m",
        measure=measure_more_on_spark,
        not_for=_NOT_FOR,
        rounds_max={"mockbroker": 1},
        note="ten million of the same rows on local[2]; the driver's memory is that of its Python"
        " and its JVM on a standalone cluster of two workers with one core each",
        is_long=True,
    ),
    Measurement(
        key="audit-spark-100m",
        measure=measure_large_on_spark,
        not_for=_NOT_FOR,
        rounds_max={"mockbroker": 1},
        is_long=True,
    ),
)

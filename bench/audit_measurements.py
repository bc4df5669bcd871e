"""What an audit costs: of synthetic journals, of which the making is not counted."""

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.arena import Arena
from bench.competitors import Competitor
from bench.errors import CannotMeasureError
from bench.measurement import Measurement, Sample, program
from mockbroker.journal.manifest import parts_of

_ROWS: Final = 1_000_000
_EACH: Final = 10
_SEED: Final = 7


def measure_audit(arena: Arena, competitor: Competitor) -> Sample:
    """Audit a million rows of a journal in one process; and again, cut and shuffled."""
    del arena, competitor
    try:
        from tools.synthetic_journal.journal import Plan, write_journal
    except ImportError as missing:
        raise CannotMeasureError(f"{missing}: pip install 'mockbroker[spark]'") from None
    values: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="bench-audit-") as directory:
        few, many = Path(directory) / "few", Path(directory) / "many"
        plan = Plan(rows=_ROWS, seed=_SEED, each=_EACH)
        write_journal(few, plan, rows_a_part=_ROWS // 10)
        write_journal(many, plan, rows_a_part=_ROWS // 200)
        shuffle_parts(many)
        seconds: dict[str, float] = {}
        for name, folder in (("few", few), ("many", many)):
            audit = program("bench.audit_in_process", str(folder))["audit"]
            seconds[name] = audit["seconds"] * _ROWS / audit["events"]
            if name == "few":
                values["audit_local_peak"] = audit["peak_mib"]
    values["audit_local_s"] = seconds["few"]
    values["audit_local_parts"] = seconds["many"] / seconds["few"]
    return Sample(values)


def shuffle_parts(folder: Path) -> None:
    """Give the parts of a journal each other's names."""
    paths = parts_of(folder, "parquet")
    for path in paths:
        path.rename(path.with_suffix(".moved"))
    names = [path.with_suffix(".moved") for path in paths]
    random.Random(_SEED).shuffle(names)
    for path, name in zip(paths, names, strict=True):
        name.rename(path)


MEASUREMENTS: Final[Sequence[Measurement]] = (
    Measurement(
        key="audit",
        measure=measure_audit,
        not_for=dict.fromkeys(("kafka", "rdkafka-mock", "kfake"), "it judges nothing"),
        note="rows of a journal on disk to a verdict: reading Parquet, folding and judging; without"
        " imports, and the journal in the page cache",
    ),
)

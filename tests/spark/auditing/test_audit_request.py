"""The frame of an audit, whichever engine judges."""

import io
from typing import NamedTuple

from mockbroker.audit.judgement import judge
from mockbroker.report.audited import SourceVerdict
from mockbroker.report.bad_input import BadInput, BadInputError
from mockbroker.spark.auditing.audit_request import AuditRequest, judge_each
from mockbroker.spark.auditing.source import Source
from mockbroker.spark.report.progress import Progress

LEDGER = BadInput(where="ledger", what="It is none.", advice="Name one.")
CUT = BadInput(where="one", what="It is cut.", advice="Copy it.")
GONE = BadInput(where="gone", what="It is not there.", advice="Make it.")


class _Judged(NamedTuple):
    verdict: SourceVerdict
    bad: tuple[BadInput, ...] = (CUT,)


def judged(source: Source) -> _Judged:
    if str(source) == GONE.where:
        raise BadInputError(GONE)
    return _Judged(SourceVerdict(source=str(source), kind="journal", verdict=judge([])))


def test_each_source_is_judged_once_and_broken_input_is_told_in_order() -> None:
    told = io.StringIO()
    request = AuditRequest(sources=["gone", "one", "kafka://nowhere", "one", "two/"])
    done, audited = judge_each(request, judged, Progress(told), [LEDGER])
    assert [each.verdict.source for each in done] == ["one", "two"]
    assert [each.source for each in audited.sources] == ["one", "two"]
    assert [each.where for each in audited.bad] == [
        *("ledger", "gone", "one", "kafka://nowhere", "one"),
    ]
    assert [line.partition(": ")[0] for line in told.getvalue().splitlines()] == [
        each.where for each in audited.bad
    ]

"""The load generator's flags and report."""

import json

import pytest

from bench import loadgen
from bench.competitors import Competitor, Floor, Mockbroker
from bench.errors import CannotMeasureError
from bench.loadgen import flag_arguments, parse_report

REPORT = {
    "mode": "produce",
    "topic": "t",
    "seconds": 1.5,
    "requests": 300,
    "records": 300,
    "bytes": 51_000,
    "errors": 0,
    "first_error": 0,
    "requests_per_s": 200.0,
    "records_per_s": 200.0,
    "bytes_per_s": 34_000.0,
    "latency_p50_us": 60.0,
    "latency_p99_us": 90.0,
    "bytes_an_answer": 170.0,
    "transactions_per_s": 0.0,
    "retries": 0,
    "operations_us": None,
}


def test_flags_are_written_as_go_reads_them() -> None:
    flags = flag_arguments({"max_bytes": 1024, "idempotent": True, "t": 1.5, "topic": "x"})
    assert flags == ["-max-bytes=1024", "-idempotent=true", "-t=1.5", "-topic=x"]


def test_a_report_is_read() -> None:
    report = parse_report(json.dumps(REPORT))
    assert (report.requests, report.requests_per_s, report.latency_p50_us) == (300, 200.0, 60.0)


def test_a_rate_of_refusals_is_no_rate() -> None:
    with pytest.raises(CannotMeasureError, match=r"3 of 300 requests were refused.*error 45"):
        parse_report(json.dumps(REPORT | {"errors": 3, "first_error": 45}))


@pytest.mark.go
@pytest.mark.parametrize("competitor", [Mockbroker(), Floor()], ids=["mockbroker", "floor"])
def test_every_request_of_the_pool_is_accepted(competitor: Competitor) -> None:
    flags = {"partitions": 4, "records": 5, "depth": 8, "n": 600, "t": 60.0}
    with competitor.running({}) as server:
        report = loadgen.run(server.address, "produce", idempotent=True, **flags)
    assert report.requests == 600
    assert 600 * 1.2 * 5 < report.records < 600 * 1.8 * 5

"""Seeded runs of queries into the sink; `prove.py` does as many as wanted."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockbroker import API, ERR, Cluster
from tests.spark.sink.prove import (
    CONTROL,
    PREFIX,
    TOPIC,
    Outcome,
    main,
    run_on_mockbroker,
    struck,
    wrong_in,
)
from tests.support.sink_driver import DONE, run_query
from tests.support.sink_queries import SparkDriver, write_lines
from tests.support.sink_runs import Target, options_of
from tests.support.spark_marks import SPARK_MARKS  # pytest.mark.spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = SPARK_MARKS

SEEDS = range(1, 6)


def test_every_record_is_visible_once_whatever_strikes() -> None:
    outcomes = [run_on_mockbroker(seed) for seed in SEEDS]
    assert [str(each) for each in outcomes if each.why] == []
    counts = struck(outcomes)
    assert sum(map(bool, counts.values())) >= 10, counts


def until_found(why: str) -> Outcome | None:
    """Run until a run breaks the promise in this way; the schedule of threads has a part in it."""
    for seed in range(1, 50):
        outcome = run_on_mockbroker(seed)
        if why in outcome.why:
            return outcome
    return None


@pytest.mark.parametrize(
    ("place", "planted", "why"),
    [
        ("task_writing._is_done", lambda *_: False, "doubled"),
        ("takeover.fence", lambda *_: None, "open transactions"),
        ("takeover.last_state", lambda *_: None, "lost"),
    ],
    ids=["a batch that is done is written again", "nobody is fenced", "no decision is read"],
)
def test_a_defect_of_the_sink_is_found(
    monkeypatch: pytest.MonkeyPatch, place: str, planted: Callable[..., object], why: str
) -> None:
    monkeypatch.setattr(f"mockbroker.spark.sink.{place}", planted)
    assert until_found(why) is not None


def test_the_command_prints_what_struck(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "1", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    assert "1 runs in" in said
    assert ": 0 failed\nstruck by " in said


def test_a_driver_of_spark_may_be_killed_between_two_commits(
    mockbroker_spark: "SparkSession", tmp_path: Path
) -> None:
    write_lines(tmp_path / "in" / "0.txt", range(20))
    with Cluster(brokers=3, topics={TOPIC: 3}, journal=True) as cluster:
        target = Target(cluster.bootstrap_servers, TOPIC, PREFIX, CONTROL)
        plan = {"folder": str(tmp_path), "tasks": 3, "options": options_of(target)}
        held = cluster.fault(API.END_TXN, transactional_id=f"{PREFIX}-*").hold().on_call(2)
        with (tmp_path / "log").open("wb") as log, SparkDriver("local[2,3]", log) as driver:
            assert driver.run({**plan, "strikes": {}}, held) == "the driver is killed"
        held.remove()
        assert 0 < len(cluster.records(TOPIC, isolation="read_committed")) < 20

        # Another driver goes on from its checkpoint: its tasks are struck, but write nothing.
        run_query(mockbroker_spark, {**plan, "strikes": {"0/1": "raise"}})
        assert wrong_in(target, range(20), ()) == ""
        assert not cluster.audit(identity="json:id").findings


@pytest.mark.timeout(600)
def test_an_executor_may_be_killed_and_a_slow_copy_overtaken_in_the_middle_of_a_request(
    tmp_path: Path,
) -> None:
    with (
        Cluster(brokers=3, topics={TOPIC: 3}, journal=True) as cluster,
        (tmp_path / "log").open("wb") as log,
        ThreadPoolExecutor() as pool,
        SparkDriver("local-cluster[2,1,512]", log) as driver,
    ):
        target = Target(cluster.bootstrap_servers, TOPIC, PREFIX, CONTROL)
        options = {**options_of(target), "timeoutMs": "120000"}
        plan = {"folder": str(tmp_path), "strikes": {}, "options": options}

        write_lines(tmp_path / "in" / "0.txt", range(20))
        held = cluster.fault(API.PRODUCE, topic=TOPIC).hold().on_call(1)
        query = pool.submit(driver.run, {**plan, "tasks": 1}, None)
        held.wait_held(timeout="240s")
        driver.kill_executor()
        held.remove()
        assert query.result() == DONE
        assert wrong_in(target, range(20), ()) == ""

        # The other task ends, and Spark starts a copy of the one that waits.
        write_lines(tmp_path / "in" / "1.txt", range(20, 40))
        late = cluster.fault(API.PRODUCE, topic=TOPIC).hold().on_call(1)
        assert driver.run({**plan, "tasks": 2}, None) == DONE
        # Its rows are there, and the request with them is still held: the copy has written them.
        assert wrong_in(target, range(40), ()) == ""
        (first,) = [each for each in cluster.journal.entries() if each.kind == "held"][1:]
        late.remove()
        (released,) = [each for each in cluster.journal.entries() if each.kind == "released"][1:]
        assert (released.call, released.error) == (first.call, ERR.TRANSACTION_ABORTABLE)
        assert wrong_in(target, range(40), ()) == ""
        assert not cluster.audit(identity="json:id").findings

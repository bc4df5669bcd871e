"""Every plan is audited: exactly its expected findings are found."""

from pathlib import Path

import pytest

from mockbroker import Cluster
from mockbroker.audit.finding import Severity
from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.records.load_rules import judge_load
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.verdict import Verdict
from mockbroker.spark.auditing.visible_records import read_visible, waiting_from
from mockbroker.spark.load.load_moments import ask, make_rules
from mockbroker.spark.load.load_plan import PLANS, Delivery
from tests.support.loads import (
    PARTITIONS,
    SHAPE,
    TOPIC,
    do_tasks,
    options_for,
)

pytest.importorskip("pyarrow", reason="the ledger needs the extra spark")
pytestmark = pytest.mark.slow

CASES = [(name, delivery) for name, plan in PLANS.items() for delivery in plan.expected]


def audited(name: str, delivery: Delivery, folder: Path) -> Verdict:
    """Do a plan on a cluster with a journal, and audit both that and the ledger."""
    with Cluster(brokers=2, topics={TOPIC: PARTITIONS}, admin_port=0, journal=True) as cluster:
        options = options_for(cluster.bootstrap_servers, cluster.admin_url, folder, name, delivery)
        ids = [options.settings_of(task, 0).client_id for task in range(SHAPE.tasks)]
        make_rules(options.admin, options.plan, topic=TOPIC, client_ids=ids)
        rows = do_tasks(options)
        for moment in options.plan.moments:
            if moment.after == "load":
                ask(options.admin, moment, topic=TOPIC, partition=0)
        waiting = waiting_from(cluster.bootstrap_servers, [TOPIC])
        visible = list(read_visible(cluster.bootstrap_servers, TOPIC))
        entries = list(cluster.journal.entries())
    return judge_load(judge(journal_runs(entries)), rows, visible, waiting)


@pytest.mark.parametrize(("name", "delivery"), CASES)
def test_an_audit_finds_what_a_plan_expects(name: str, delivery: Delivery, tmp_path: Path) -> None:
    verdict = audited(name, delivery, tmp_path)
    told = [finding for finding in verdict.findings if finding.severity is not Severity.INFO]
    assert {finding.rule for finding in told} == PLANS[name].expected[delivery], told

"""Reports of many findings, on several partitions and over an hour."""

from mockbroker.audit.finding import Finding
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.report.audited import Audited
from mockbroker.report.report_page import report_page
from tests.support.verdicts import audited_of

BEGIN_MS = 1_900_000_000_000
HOUR_MS = 3_600_000
_NAMES = ("SEQUENCE_GAP", "LOST_ACKED", "LSO_STUCK")


def many(count: int, partitions: int = 6) -> Audited:
    """Return an audit with findings: every fifth has a transactional id and no partition."""
    return audited_of(*(_finding(number, count, partitions) for number in range(count)))


def page_of(count: int, partitions: int = 6) -> str:
    """Return its page, without pictures."""
    return report_page(many(count, partitions), {}, more_in="findings.parquet")


def _finding(number: int, count: int, partitions: int) -> Finding:
    rule = RULES[_NAMES[number % 3]]
    found = Finding(
        rule.name,
        rule.severity,
        f"finding {number}: the records that a producer sent in call {number} are not in the log,"
        " although the client was told that they are stored",
        producer_id=100 + number % 4,
        virtual_time_ms=BEGIN_MS + HOUR_MS * number // count,
    )
    if number % 5 == 4:
        return found._replace(transactional_id=f"payments-{number % 2}", virtual_time_ms=None)
    partition = number % partitions
    topic = "orders" if partition % 2 else "payments"
    return found._replace(
        topic=topic, partition=partition, first_offset=number, last_offset=number + 3
    )

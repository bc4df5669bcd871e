"""Write the dashboard for Grafana: a JSON file that is imported, or provisioned.

    python -m tools.grafana_dashboard

Its queries are for the names of `/metrics`, which Prometheus also has of OpenTelemetry's metrics.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

ROOT: Final = Path(__file__).parents[1]
FILE: Final = ROOT / "container" / "usr" / "share" / "mockbroker" / "grafana.json"
SOURCE: Final = {"type": "prometheus", "uid": "${source}"}
_ROW_WIDTH: Final = 24
_PANEL_HEIGHT: Final = 8
_SCHEMA: Final = 39
"""Version of the format: that of Grafana 10 and 11, which newer ones read."""
_OF_TOPICS: Final = '{topic=~"$topic", topic!~"__.*"}'


class Query(NamedTuple):
    """A query, and the name of its series."""

    expression: str
    legend: str


class Panel(NamedTuple):
    """A panel: what it shows, and a sentence that helps to read it."""

    title: str
    about: str
    queries: Sequence[Query]
    kind: Literal["timeseries", "stat"] = "timeseries"
    unit: str = "short"
    width: int = 12
    is_alarming: bool = False
    """True if any value above zero is a problem."""


def _rate(metric: str, by: str, labels: str = "") -> str:
    return f"sum by ({by}) (rate({metric}{labels}[$__rate_interval]))"


ROWS: Final[Mapping[str, Sequence[Panel]]] = {
    "At a glance": (
        Panel(
            "Hanging transactions",
            "Open in a log, and no coordinator will ever end them: readers of committed data stop.",
            (Query("max(mockbroker_hanging_transactions)", "hanging"),),
            kind="stat",
            width=6,
            is_alarming=True,
        ),
        Panel(
            "Open transactions",
            "Transactional ids whose transaction has not ended.",
            (Query('sum(mockbroker_transactional_ids{state=~"Ongoing|Prepare.*"})', "open"),),
            kind="stat",
            width=6,
        ),
        Panel(
            "Held calls",
            "Calls that faults hold now; their clients wait.",
            (Query("sum(mockbroker_rules_held) or vector(0)", "held"),),
            kind="stat",
            width=6,
        ),
        Panel(
            "Clock ahead",
            "Time that the clock of the cluster is ahead of real time.",
            (Query("max(mockbroker_clock_ahead_seconds)", "ahead"),),
            kind="stat",
            unit="s",
            width=6,
        ),
    ),
    "Requests": (
        Panel(
            "Requests by API",
            "Answered requests of clients.",
            (
                Query(
                    _rate("kafka_network_requestmetrics_requests_total", "request"), "{{request}}"
                ),
            ),
            unit="reqps",
        ),
        Panel(
            "Errors by API",
            "Answers with an error, those of faults included.",
            (
                Query(
                    _rate(
                        "kafka_network_requestmetrics_requests_total",
                        "request, error",
                        '{error!="NONE"}',
                    ),
                    "{{request}} {{error}}",
                ),
            ),
            unit="reqps",
        ),
        Panel(
            "Requests without an answer",
            "Answers that faults lost, closed connections, and clients that went away.",
            (
                Query(
                    _rate("mockbroker_requests_unanswered_total", "request, how"),
                    "{{request}} {{how}}",
                ),
            ),
            unit="reqps",
        ),
        Panel(
            "Connections",
            "Open connections by broker, and new ones.",
            (
                Query(
                    "sum by (broker) (kafka_server_socket_server_metrics_connection_count)",
                    "broker {{broker}}",
                ),
                Query(
                    _rate("mockbroker_connections_opened_total", "broker"),
                    "broker {{broker}}: new per second",
                ),
            ),
        ),
    ),
    "Transactions": (
        Panel(
            "Transactional ids by state",
            "A state that stays Prepare waits for markers.",
            (Query("sum by (state) (mockbroker_transactional_ids)", "{{state}}"),),
        ),
        Panel(
            "Last stable offset lag",
            "Records that readers of committed data do not get yet.",
            (
                Query(
                    "max by (topic, partition)"
                    f" (mockbroker_last_stable_offset_lag{_OF_TOPICS}) > 0",
                    "{{topic}}-{{partition}}",
                ),
            ),
        ),
        Panel(
            "Producers that partitions know",
            "Each has an epoch and its last sequences in a partition.",
            (Query("max(kafka_server_replicamanager_produceridcount)", "producers"),),
        ),
        Panel(
            "Virtual time",
            "A step is a jump of the clock: timeouts and expiries in between have run.",
            (Query("max(mockbroker_virtual_time_seconds) * 1000", "cluster"),),
            unit="dateTimeAsIso",
        ),
    ),
    "Faults": (
        Panel(
            "Calls on which faults fired",
            "Since the fault was made.",
            (Query("max by (rule) (mockbroker_rules_hits_total)", "{{rule}}"),),
        ),
        Panel(
            "Held and released calls",
            "A held call is handled or answered when its fault releases it.",
            (
                Query("max by (rule) (mockbroker_rules_held)", "{{rule}} holds"),
                Query("max by (rule) (mockbroker_rules_released_total)", "{{rule}} released"),
            ),
        ),
    ),
    "Records": (
        Panel(
            "Records appended and fetched",
            "Markers included.",
            (
                Query(
                    _rate("kafka_server_brokertopicmetrics_messagesin_total", "topic", _OF_TOPICS),
                    "{{topic}} in",
                ),
                Query(
                    _rate("mockbroker_records_fetched_total", "topic", _OF_TOPICS), "{{topic}} out"
                ),
            ),
        ),
        Panel(
            "Bytes appended and fetched",
            "Batches as they are stored, and as they are sent.",
            (
                Query(
                    _rate("kafka_server_brokertopicmetrics_bytesin_total", "topic", _OF_TOPICS),
                    "{{topic}} in",
                ),
                Query(
                    _rate("kafka_server_brokertopicmetrics_bytesout_total", "topic", _OF_TOPICS),
                    "{{topic}} out",
                ),
            ),
            unit="Bps",
        ),
        Panel(
            "Consumer lag",
            "Records after the committed offset of each group.",
            (
                Query(
                    f"sum by (group, topic) (kafka_consumer_group_lag{_OF_TOPICS})",
                    "{{group}} in {{topic}}",
                ),
            ),
        ),
        Panel(
            "Size of logs",
            "Bytes of all batches in memory.",
            (Query(f"sum by (topic) (kafka_log_log_size{_OF_TOPICS})", "{{topic}}"),),
            unit="bytes",
        ),
    ),
}


def dashboard() -> dict[str, Any]:
    """Return the dashboard as Grafana imports it."""
    return {
        "title": "mockbroker",
        "uid": "mockbroker",
        "description": "A cluster of mockbroker: requests, transactions, faults and its clock.",
        "tags": ["kafka", "mockbroker"],
        "schemaVersion": _SCHEMA,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "5s",
        "time": {"from": "now-15m", "to": "now"},
        "timezone": "browser",
        "templating": {"list": [_source_variable(), _topic_variable()]},
        "panels": list(_panels()),
    }


def _source_variable() -> dict[str, Any]:
    return {"name": "source", "label": "Source", "type": "datasource", "query": "prometheus"}


def _topic_variable() -> dict[str, Any]:
    return {
        "name": "topic",
        "label": "Topic",
        "type": "query",
        "datasource": SOURCE,
        "query": "label_values(kafka_log_log_logendoffset, topic)",
        "refresh": 2,
        "includeAll": True,
        "multi": True,
        "allValue": ".*",
    }


def _panels() -> Iterator[dict[str, Any]]:
    number = y = 0
    for title, panels in ROWS.items():
        number += 1
        place = {"h": 1, "w": _ROW_WIDTH, "x": 0, "y": y}
        yield {"id": number, "type": "row", "title": title, "gridPos": place, "panels": []}
        x, y = 0, y + 1
        for panel in panels:
            number += 1
            height = _PANEL_HEIGHT if panel.kind == "timeseries" else _PANEL_HEIGHT // 2
            place = {"h": height, "w": panel.width, "x": x, "y": y}
            yield _panel(number, panel, place)
            x += panel.width
            if x == _ROW_WIDTH:
                x, y = 0, y + height
        assert x == 0, f"the panels of {title} fill no row"


def _panel(number: int, panel: Panel, place: Mapping[str, int]) -> dict[str, Any]:
    return {
        "id": number,
        "type": panel.kind,
        "title": panel.title,
        "description": panel.about,
        "datasource": SOURCE,
        "gridPos": place,
        "fieldConfig": {
            "defaults": {"unit": panel.unit, **_colors(panel)},
            "overrides": [],
        },
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": SOURCE,
                "expr": query.expression,
                "legendFormat": query.legend,
            }
            for index, query in enumerate(panel.queries)
        ],
    }


def _colors(panel: Panel) -> dict[str, Any]:
    steps: list[dict[str, object]] = [{"color": "green", "value": None}]
    if panel.is_alarming:
        steps.append({"color": "red", "value": 1})
    return {"thresholds": {"mode": "absolute", "steps": steps}} if panel.kind == "stat" else {}


def text() -> str:
    """Return the content of the file."""
    return json.dumps(dashboard(), indent=2) + "\n"


if __name__ == "__main__":
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")

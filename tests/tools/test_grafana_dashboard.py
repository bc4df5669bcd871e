"""The dashboard for Grafana: its format, and its queries against a cluster with real clients."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import promql_parser
import pytest
from confluent_kafka import Consumer, Producer
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from prometheus_client.parser import text_string_to_metric_families
from promql_parser import AggregateExpr, VectorSelector

from mockbroker import API, Cluster
from tests.support.http import Http
from tests.support.seen_cluster import EAGER, hang
from tools.grafana_dashboard import FILE, dashboard, text

Labels = Mapping[str, str]
Scraped = Mapping[str, Sequence[Labels]]
VARIABLES = {"$__rate_interval": "1m", "$topic": ".*"}
"""What Grafana puts in the place of variables."""
LEGEND_LABEL = re.compile(r"{{(\w+)}}")
PANELS = [each for each in dashboard()["panels"] if each["type"] != "row"]
QUERIES = {
    f"{panel['title']} {target['refId']}": target for panel in PANELS for target in panel["targets"]
}


def test_the_file_matches_the_tool() -> None:
    assert FILE.read_text("utf-8") == text(), "run `make docs`"


# The format


def as_grafana_reads_it(document: dict[str, Any]) -> Any:
    """Read a dashboard by Grafana's own types, and write it again."""
    register_default_plugins()
    return json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(document)))


def unread(given: object, known: object, path: str = "") -> list[str]:
    """Return the places of a document that Grafana does not read."""
    if isinstance(given, dict) and isinstance(known, dict):
        return [
            place
            for name, value in given.items()
            for place in (
                unread(value, known[name], f"{path}/{name}")
                if name in known
                else [f"{path}/{name}"]
            )
        ]
    if isinstance(given, list) and isinstance(known, list) and len(given) == len(known):
        pairs = enumerate(zip(given, known, strict=True))
        return [place for index, pair in pairs for place in unread(*pair, f"{path}/{index}")]
    return [] if given == known else [path]


def test_grafana_reads_all_of_it() -> None:
    assert unread(dashboard(), as_grafana_reads_it(dashboard())) == []


def test_a_field_that_grafana_does_not_know_is_detected() -> None:
    planted = dashboard()
    planted["panels"][1]["legend"] = {}
    planted["panels"][1]["targets"][0]["expression"] = "up"
    found = unread(planted, as_grafana_reads_it(planted))
    assert found == ["/panels/1/targets/0/expression", "/panels/1/legend"]


def test_panels_have_ids_of_their_own_and_do_not_overlap() -> None:
    panels = dashboard()["panels"]
    assert len({each["id"] for each in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (each["gridPos"] for each in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert {x for x, _ in cells} == set(range(24))


# The queries


@pytest.fixture(scope="module")
def scraped() -> Scraped:
    """Scrape a cluster after all that the dashboard shows: the labels of each sample, by name."""
    with Cluster(topics={"orders": 1}, config=EAGER, admin_port=0) as cluster:
        http = Http(cluster)
        http.ask("GET", "//metrics")  # counting begins
        cluster.fault(API.END_TXN, name="lost").lose_response().once()
        cluster.fault(API.PRODUCE, name="early").answer("NOT_LEADER_OR_FOLLOWER").once()
        producer = Producer(
            {
                **cluster.client_config("confluent"),
                "transactional.id": "billing",
                "retry.backoff.ms": 1,
                "socket.timeout.ms": 1000,
            }
        )
        producer.init_transactions()
        producer.begin_transaction()
        producer.produce("orders", b"value")
        producer.commit_transaction()
        consumer = Consumer(
            {
                **cluster.client_config("confluent"),
                "group.id": "readers",
                "auto.offset.reset": "earliest",
            }
        )
        consumer.subscribe(["orders"])
        assert consumer.poll(20) is not None
        consumer.commit(asynchronous=False)
        hang(cluster)
        cluster.clock.advance("1m")
        answer = http.ask("GET", "//metrics").body.decode()
        consumer.close()
    families = text_string_to_metric_families(answer)
    samples = [sample for family in families for sample in family.samples]
    return {
        name: [sample.labels for sample in samples if sample.name == name]
        for name in {sample.name for sample in samples}
    }


def parsed(expression: str) -> Any:
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return promql_parser.parse(expression)


def nodes(expression: str) -> Iterator[Any]:
    found: list[Any] = []
    promql_parser.walk(parsed(expression), pre_visit=found.append)
    yield from found


def selectors(expression: str) -> list[VectorSelector]:
    return [node for node in nodes(expression) if isinstance(node, VectorSelector)]


def name_of(selector: VectorSelector) -> str:
    assert selector.name is not None, selector
    return selector.name


def matches(matcher: Any, labels: Labels) -> bool:
    value = labels[matcher.name]
    hits = {
        "Equal": value == matcher.value,
        "NotEqual": value != matcher.value,
        "Re": re.fullmatch(matcher.value, value) is not None,
        "NotRe": re.fullmatch(matcher.value, value) is None,
    }
    return bool(hits[str(matcher.op).rpartition(".")[2]])


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_a_query_selects_samples_of_a_cluster(query: str, scraped: Scraped) -> None:
    expression = QUERIES[query]["expr"]
    for selector in selectors(expression):
        samples = scraped[name_of(selector)]
        assert any(
            all(matches(each, labels) for each in selector.matchers.matchers) for labels in samples
        ), f"no sample of {selector.name} has such labels: {samples}"


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_a_query_groups_by_labels_that_exist_and_names_series_by_them(
    query: str, scraped: Scraped
) -> None:
    expression, legend = QUERIES[query]["expr"], QUERIES[query]["legendFormat"]
    (selector,) = selectors(expression)
    grouped = {
        label
        for node in nodes(expression)
        if isinstance(node, AggregateExpr) and node.modifier is not None
        for label in node.modifier.labels
    }
    assert grouped <= set(scraped[name_of(selector)][0])
    assert set(LEGEND_LABEL.findall(legend)) == grouped


def test_each_metric_of_the_dashboard_is_one_of_an_instrument(scraped: Scraped) -> None:
    shown = {name_of(each) for query in QUERIES.values() for each in selectors(query["expr"])}
    assert {"mockbroker_hanging_transactions", "kafka_consumer_group_lag"} < shown
    assert shown <= set(scraped)

"""Sources of an audit on the command line."""

import pytest

from mockbroker.report.bad_input import BadInputError
from mockbroker.spark.auditing.source import JournalSource, TopicSource, source_of


@pytest.mark.parametrize("text", ["out/journal", "/a/b", "hdfs://name/journal", "s3a://b/j"])
def test_everything_but_kafka_is_a_folder(text: str) -> None:
    assert source_of(text) == JournalSource(path=text)
    assert str(source_of(f"{text}/")) == text


def test_topics_come_after_their_brokers() -> None:
    source = source_of("kafka://a:9092,b:9093/orders,payments,orders")
    assert source == TopicSource(bootstrap_servers="a:9092,b:9093", topics=("orders", "payments"))
    assert str(source) == "kafka://a:9092,b:9093/orders,payments"


@pytest.mark.parametrize(
    "text", ["kafka://", "kafka://a:9092", "kafka://a:9092/", "kafka://a/orders", "kafka://:1/t"]
)
def test_topics_without_a_name_or_a_broker_are_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(BadInputError) as refused:
        source_of(text)
    assert str(refused.value) == (
        f"{text}: These are not topics. Write kafka://host:port/topic, or"
        " kafka://host:port,host:port/topic,topic."
    )

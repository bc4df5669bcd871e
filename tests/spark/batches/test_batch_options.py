"""The options of `kafka_batches`."""

import pytest

from mockbroker.spark.batches.batch_options import BatchOptions, limit_of
from mockbroker.spark.format_errors import KafkaBatchesError

WHERE = {"kafka.bootstrap.servers": "127.0.0.1:9092", "subscribe": "orders"}


def test_omitted_options_select_everything() -> None:
    options = BatchOptions.of(WHERE)
    assert (options.bootstrap_servers, options.topics) == ("127.0.0.1:9092", ("orders",))
    assert limit_of(options.starting, "orders", 0, "startingOffsets") == -2
    assert limit_of(options.ending, "orders", 0, "endingOffsets") == -1
    assert (options.may_lose, options.partitions_min, options.patience_s) == (False, 0, 30)


def test_names_are_read_in_any_case_and_by_their_short_forms() -> None:
    options = BatchOptions.of(
        {
            "Bootstrap.Servers": "a:1",
            "topic": "orders, payments,orders",
            "FAILONDATALOSS": "False",
            "startingOffsets": ' {"orders": {"0": 12, "1": -1}, "payments": {"0": -2}}',
            "endingoffsets": "Latest",
            "minPartitions": "8",
            "timeoutMs": "500",
        }
    )
    assert options.topics == ("orders", "payments")
    assert options.may_lose
    assert limit_of(options.starting, "orders", 0, "startingOffsets") == 12
    assert (options.partitions_min, options.patience_s) == (8, 0.5)
    with pytest.raises(KafkaBatchesError, match="startingOffsets does not name payments-1"):
        limit_of(options.starting, "payments", 1, "startingOffsets")


def test_partitions_can_be_assigned() -> None:
    options = BatchOptions.of({"bootstrap.servers": "a:1", "assign": '{"orders": [2, 0]}'})
    assert options.topics == ("orders",)
    assert options.partitions("orders", range(3)) == [2, 0]
    with pytest.raises(KafkaBatchesError, match="topic orders has no partition 2"):
        options.partitions("orders", range(2))
    assert BatchOptions.of(WHERE).partitions("orders", range(2)) == [0, 1]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"subscribe": " "}, "the option subscribe is missing"),
        ({"kafka.bootstrap.servers": ""}, "the option kafka.bootstrap.servers is missing"),
        (
            {"subscribed": "x"},
            "subscribed: unknown option; the options are assign, bootstrap.servers, ",
        ),
        ({"assign": '{"t": [0]}'}, "assign and subscribe exclude each other"),
        ({"subscribe": "", "assign": "t"}, "assign=t: write it like"),
        ({"startingOffsets": "first"}, 'startingOffsets=first: write it like "earliest"'),
        ({"startingOffsets": '{"t": 3}'}, 'startingOffsets={"t": 3}: write it like'),
        ({"endingOffsets": '{"t": {"0": -3}}'}, "endingOffsets: -3 is not an offset"),
        ({"failOnDataLoss": "perhaps"}, "failOnDataLoss=perhaps: write true or false"),
        ({"minPartitions": "few"}, "minPartitions=few: not a number"),
        (
            {"kafka.security.protocol": "TLS"},
            "kafka.security.protocol=TLS: the protocols are PLAIN",
        ),
    ],
)
def test_invalid_options_are_refused(changes: dict[str, str], why: str) -> None:
    given = {name: value for name, value in (WHERE | changes).items() if value}
    with pytest.raises(KafkaBatchesError) as refused:
        BatchOptions.of(given)
    assert str(refused.value).startswith(f"kafka_batches: {why}")

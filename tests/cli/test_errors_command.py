"""The command `errors`, which explains error codes."""

import json

import pytest
from click.testing import CliRunner

from mockbroker.cli.commands import commands
from mockbroker.protocol.errors import ErrorCode

IN_DETAIL = """\
INVALID_PRODUCER_EPOCH (47)
  A newer producer exists, or the transaction timed out: abort; close a fenced producer.
  exception: InvalidProducerEpochException (recoverable)
  a transactional producer (Kafka 4.4's Java client) treats it as
    abortable  Produce
    fatal      InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, TxnOffsetCommit, EndTxn

MEMBER_ID_REQUIRED (79)
  The client rejoins with its new member id.
  exception: MemberIdRequiredException (other)
  a transactional producer (Kafka 4.4's Java client) treats it as
    (its requests never get this code)
"""


def shown(*words: str) -> str:
    result = CliRunner().invoke(commands, ["errors", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_without_a_name_all_codes_are_in_a_table() -> None:
    titles, *lines = shown().splitlines()
    assert titles.split() == ["CODE", "NAME", "GROUP", "PRODUCER", "WHAT", "TO", "DO"]
    assert [line.split()[:2] for line in lines] == [[str(int(e)), e.name] for e in ErrorCode]
    (line,) = (line for line in lines if "CONCURRENT" in line)
    assert line == (
        "  51  CONCURRENT_TRANSACTIONS                     retriable      retriable           "
        "The previous transaction is still being completed: the client retries."
    )


def test_named_codes_are_explained() -> None:
    assert shown("invalid_producer_epoch", "79") == IN_DETAIL


def test_json_has_the_same_rows() -> None:
    assert json.loads(shown("--json", "-1")) == {
        "_v": 1,
        "producer": "Kafka 4.4's Java client",
        "errors": [
            {
                "code": -1,
                "name": "UNKNOWN_SERVER_ERROR",
                "exception": "UnknownServerException",
                "group": "other",
                "retriable": False,
                "producer": {
                    "FindCoordinator": "fatal",
                    "InitProducerId": "fatal",
                    "AddPartitionsToTxn": "abortable",
                    "Produce": "abortable",
                    "AddOffsetsToTxn": "fatal",
                    "TxnOffsetCommit": "fatal",
                    "EndTxn": "fatal",
                },
                "advice": (
                    "The broker failed unexpectedly: read its log; abort an open transaction."
                ),
            }
        ],
    }
    assert len(json.loads(shown("--json"))["errors"]) == len(ErrorCode)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("PRODUCER_FENCE", "did you mean PRODUCER_FENCED"),
        ("900", "no error '900'"),
        ("4x", "no error '4x'"),
    ],
)
def test_an_unknown_code_is_refused_with_a_similar_one(text: str, hint: str) -> None:
    result = CliRunner().invoke(commands, ["errors", text])
    assert result.exit_code == 2
    assert hint in result.stderr
    assert not result.stdout

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mockbroker.cli.commands import commands
from mockbroker.protocol.codec import encode
from mockbroker.protocol.headers import RequestHeader
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression
from tests.support.terminal import on_a_terminal

HEADER = RequestHeader(request_api_key=12, request_api_version=0, correlation_id=1, client_id="me")
BODY = encode(HEADER, 1) + encode(HeartbeatRequest(group_id="g", member_id="m"), 0)
FRAME = len(BODY).to_bytes(4, "big") + BODY
ANSWER = b"\0\0\0\x07" + encode(HeartbeatResponse(error_code=27), 0)
TABLE = """\
request Heartbeat v0, correlation id 1, client id 'me': bytes 0 to 26
000000  00 00 00 16  size                        int32   22
000004  00 0c        header.request_api_key      int16   12 Heartbeat
000006  00 00        header.request_api_version  int16   0
000008  00 00 00 01  header.correlation_id       int32   1
000012  00 02 6d 65  header.client_id            string  'me'
000016  00 01 67     group_id                    string  'g'
000019  00 00 00 00  generation_id               int32   0
000023  00 01 6d     member_id                   string  'm'
"""


def run(*arguments: str, data: bytes = b"") -> Result:
    return CliRunner().invoke(commands, ["decode", *arguments], input=data)


def test_a_file_is_shown_as_a_table(tmp_path: Path) -> None:
    path = tmp_path / "frame.bin"
    path.write_bytes(FRAME)
    result = run(str(path))
    assert (result.exit_code, result.output) == (0, TABLE)


@pytest.mark.parametrize(
    ("arguments", "data"),
    [
        ((), FRAME),
        (("-",), FRAME),
        ((), FRAME.hex(" ").encode() + b"\n"),
        (("--hex", FRAME.hex()), b""),
        (("--hex", FRAME.hex(":")), b""),
        (("--hex", "0x" + FRAME.hex()), b""),
        (("--request",), FRAME),
    ],
)
def test_a_frame_is_read_from_many_formats(arguments: tuple[str, ...], data: bytes) -> None:
    result = run(*arguments, data=data)
    assert (result.exit_code, result.output) == (0, TABLE)


def test_frames_are_separated_by_an_empty_line() -> None:
    assert run(data=FRAME + FRAME).output.count("\n\nrequest Heartbeat v0") == 1


def test_a_response_is_shown_with_the_names_of_its_codes() -> None:
    result = run("--response", "--api", "heartbeat", "--api-version", "0", data=ANSWER)
    assert result.exit_code == 0
    assert "27 REBALANCE_IN_PROGRESS" in result.output


def test_the_unreadable_field_is_named_and_its_bytes_are_printed() -> None:
    result = run(data=FRAME[:-1])
    assert result.exit_code == 2
    assert result.output.endswith(
        "unreadable at 23: member_id: 1 bytes wanted, 0 left\n2 bytes are left: 00 01\n"
    )


def test_an_error_at_the_end_of_the_input_prints_no_bytes() -> None:
    result = run(data=FRAME[:-3])
    assert result.exit_code == 2
    assert result.output.endswith("unreadable at 23: member_id: 2 bytes wanted, 0 left\n")


def test_json_is_one_line_for_each_frame() -> None:
    result = run("--json", data=FRAME + FRAME[:-1])
    first, second = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 2
    assert [first["_v"], second["_v"]] == [1, 1]
    assert first["error"] is None
    assert first["unread"] == ""
    assert first["fields"][1] == {
        "start": 4,
        "end": 6,
        "bytes": "000c",
        "path": "header.request_api_key",
        "kind": "int16",
        "value": 12,
    }
    assert (second["frame"], second["start"], second["unread"]) == (1, 26, "0001")
    assert second["error"] == {"at": 49, "path": "member_id", "why": "1 bytes wanted, 0 left"}


def test_json_has_uuids_and_bytes_as_text() -> None:
    records = build_batch([Record(value=b"v")], compression=Compression.GZIP)
    topic = TopicProduceData(name="t", partition_data=[PartitionProduceData(records=records)])
    header = RequestHeader(request_api_key=0, request_api_version=13)
    body = encode(header, 2) + encode(ProduceRequest(topic_data=[topic]), 13)
    result = run("--json", data=len(body).to_bytes(4, "big") + body)
    fields = {field["path"]: field for field in json.loads(result.stdout)["fields"]}
    assert fields["topic_data[0].topic_id"]["value"] == "00000000-0000-0000-0000-000000000000"
    path = "topic_data[0].partition_data[0].records"
    assert fields[path]["value"] == records.hex()
    record = fields[f"{path}[0].records[0]"]
    assert (record["start"], record["end"], record["bytes"]) == (None, None, "")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--response",), "a response does not name its API"),
        (("--response", "--api", "Fetch"), "a response does not name its API"),
        (("--response", "--api", "Nothing", "--api-version", "0"), "there is no API 'Nothing'"),
        (
            ("--response", "--api", "Fetch", "--api-version", "99"),
            "Fetch has the versions 0-18, not 99",
        ),
        (("--api", "Fetch"), "a request names its API and version itself"),
        (("--hex", "00 zz"), "'z' is no digit"),
        (("--hex", "000"), "3 digits are no whole bytes"),
        (("--hex", ""), "there are no bytes to decode"),
        (("--hex", FRAME.hex(), "-"), "give either --hex or FILE"),
        (("no-such-file",), "does not exist"),
    ],
)
def test_wrong_usage_is_explained(arguments: tuple[str, ...], why: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert why in result.output


def test_the_command_is_one_of_mockbrokers() -> None:
    from mockbroker.cli.commands import commands

    result = CliRunner().invoke(commands, ["decode", "--hex", FRAME.hex()])
    assert (result.exit_code, result.output) == (0, TABLE)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "is_drawn"), [((), True), (("--json",), False)])
def test_a_large_file_has_a_progress_bar_on_a_terminal(
    tmp_path: Path, options: tuple[str, ...], *, is_drawn: bool
) -> None:
    file = tmp_path / "frames"
    file.write_bytes(FRAME * 3_000)
    shown = on_a_terminal("decode", str(file), *options)
    assert ("decoding" in shown) == is_drawn
    assert ("MB/s" in shown) == is_drawn

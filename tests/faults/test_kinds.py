"""A new effect or toxic is one class: Python, JSON and the command line have it at once."""

import json
from collections.abc import Generator
from typing import Any, Literal

import msgspec
import pytest
from click.testing import CliRunner

from mockbroker import API, ERR, Cluster
from mockbroker.broker.call import Answer
from mockbroker.cli.cluster.fault_words import effect_forms
from mockbroker.cli.commands import commands
from mockbroker.faults.documents.fault_document import document_of
from mockbroker.faults.effect import Effect
from mockbroker.faults.kinds import effects, verbs
from mockbroker.faults.network.toxic import PassingStage, Stage, Struck, Toxic
from mockbroker.faults.strike import Strike
from mockbroker.faults.trigger import Trigger
from mockbroker.http.application import ENDPOINTS
from mockbroker.http.openapi import openapi
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.state.random_source import RandomSource
from mockbroker.wire import WireClient
from tests.support.faults import VERSION, codes, produce_to
from tests.support.http import Http


class Repeat(Effect, frozen=True):
    """Apply the request a number of times."""

    count: int = msgspec.field(name="repeat")
    pace: Literal["fast", "slow"] = "fast"

    def strike(self, strike: Strike) -> Answer:
        """Handle the request again and again."""
        for _ in range(self.count - 1):
            strike.proceed()
        return strike.proceed()


class Watch(Toxic, frozen=True):
    """Let everything through."""

    depth: int

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Do nothing to a connection."""
        return PassingStage(struck)


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the two kinds in the tables during the tests of this file only."""
    monkeypatch.setitem(Effect.KINDS, "repeat", Repeat)
    monkeypatch.setitem(Toxic.KINDS, "watch", Watch)


del Effect.KINDS["repeat"], Toxic.KINDS["watch"]


@pytest.fixture(scope="module")
def cluster() -> Generator[Cluster]:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        yield cluster


def appended(cluster: Cluster) -> int:
    before = cluster.partition("orders", 0).log_end_offset
    with WireClient(cluster.bootstrap_servers) as client:
        answer = codes(client.ask(produce_to(0), VERSION, ProduceResponse))
    assert answer == {("orders", 0): ERR.NONE}
    return cluster.partition("orders", 0).log_end_offset - before


def command(cluster: Cluster, *words: str) -> str:
    environment = {"MOCKBROKER_ADMIN": cluster.admin_url, "NO_COLOR": "1"}
    result = CliRunner().invoke(commands, ["faults", "add", *words], env=environment)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_new_effect_is_a_verb_in_python(cluster: Cluster) -> None:
    fault = getattr(cluster.fault(API.PRODUCE, name="p"), "repeat")(3, pace="slow")  # noqa: B009
    assert appended(cluster) == 3
    assert "p: fault(api=Produce).repeat(3, pace='slow').once()" in repr(fault)
    assert cluster.fault(API.PRODUCE).with_part(Repeat(2)).hits == 0
    assert appended(cluster) == 2


def test_a_new_effect_is_a_field_in_json(cluster: Cluster) -> None:
    http = Http(cluster)
    effect = {"repeat": 2, "pace": "slow"}
    document = {"id": "j", "match": {"api": "Produce"}, "effect": effect}
    assert http.post("/faults", document)["effect"] == effect
    assert appended(cluster) == 2
    document["effect"] = {"repeat": 2, "pace": "sideways"}
    problem = http.refused("PUT", "/faults/j", document)
    assert problem["path"] == "$.effect.pace"
    schemas: dict[str, Any] = openapi(ENDPOINTS)["components"]["schemas"]
    assert {"$ref": "#/components/schemas/Repeat"} in schemas["Effect"]["oneOf"]
    assert schemas["Repeat"]["required"] == ["repeat"]


def test_a_new_effect_is_an_argument_of_the_command_line(cluster: Cluster) -> None:
    words = ("--id", "c", "--api", "Produce", "repeat", "4", "--pace", "slow")
    (made,) = json.loads(command(cluster, *words, "--json"))["faults"]
    assert made["effect"] == {"repeat": 4, "pace": "slow"}
    assert appended(cluster) == 4
    assert "repeat VALUE" in effect_forms()
    assert "--pace [fast|slow]" in command(cluster, "--help")


def test_a_new_toxic_is_available_everywhere_too(cluster: Cluster) -> None:
    http = Http(cluster)
    by_python = cluster.fault(broker=1).with_part(Watch(5, stream="upstream"))
    document = document_of(by_python.state)
    assert document is not None
    assert document.effect == {"watch": {"depth": 5, "stream": "upstream"}}
    assert http.post("/faults", {"effect": document.effect})["effect"] == document.effect
    (made,) = json.loads(command(cluster, "watch", "5", "stream=upstream", "--json"))["faults"]
    assert made["effect"] == document.effect
    assert json.dumps(made["trigger"]) == '{"every_time": true}'


def test_the_verbs_are_the_effects_and_the_triggers() -> None:
    assert set(verbs()) == {*effects(), *Trigger.KINDS}
    assert {"answer", "latency", "watch"} <= set(effects())

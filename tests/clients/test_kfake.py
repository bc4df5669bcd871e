"""kfake, a fake broker in Go, compared with recordings of Kafka by `mockbroker diff`."""

import json

import pytest
from click.testing import CliRunner

from bench.competitors import Kfake
from mockbroker.cli.commands import commands

pytestmark = [pytest.mark.go, pytest.mark.slow, pytest.mark.timeout(300)]


def test_kfake_is_compared_with_kafka() -> None:
    with Kfake().running({}) as server:
        words = ["diff", "--against", server.address, "--timeout", "5", "--json"]
        for name in ("api_versions", "fetch_versions", "produce_transactional_id"):
            words += ["--scenario", name]
        result = CliRunner().invoke(commands, words)
    assert result.exit_code == 1, result.output
    document = json.loads(result.stdout)
    assert document["apis"]["Fetch"]["same"] > 0
    versions = next(each for each in document["differences"] if each["api"] == "ApiVersions")
    assert "api_keys.0.min_version" in {each["field"] for each in versions["fields"]}

"""Kafka's errors for changes of a static quorum's voters."""

from mockbroker.broker.handlers.raft_voters import static_quorum
from mockbroker.protocol.errors import ErrorCode


def test_the_refusal_names_the_feature() -> None:
    refusal = static_quorum("adding")
    assert refusal.code == ErrorCode.UNSUPPORTED_VERSION
    assert refusal.why == (
        "Cluster doesn't support adding voter because the kraft.version feature is 0"
    )

"""Toxics as documents: every verb has one, and what is not known of it is a mistake."""

import msgspec
import pytest

from mockbroker.faults.documents.rule_document import EffectDocument
from mockbroker.faults.documents.toxic_document import TOXICS
from mockbroker.faults.toxic_verbs import ToxicVerbs


def test_every_verb_has_its_document() -> None:
    verbs = {name for name in vars(ToxicVerbs) if not name.startswith("_")}
    assert set(TOXICS) == verbs
    for name, document in TOXICS.items():
        arguments = set(getattr(ToxicVerbs, name).__annotations__) - {"return", "toxicity"}
        assert set(document.__struct_fields__) == arguments


@pytest.mark.parametrize(
    "text",
    [
        '{"latency": {}}',
        '{"latency": {"latency": "1s", "jiter": "1s"}}',
        '{"timeout": {"stream": "sideways"}}',
        '{"timeout": {}, "reset_peer": {}}',
    ],
)
def test_what_is_no_toxic_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=EffectDocument)

"""Batches that a partition refused: what the leader remembers of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.batches import TRANSACTIONAL
from tests.conformance.releases import until
from tests.conformance.requests import Reading, Wanted, delete_records, fetch, produce
from tests.conformance.scenarios.transactional_produce import begun, see_ends
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import Transactor, await_complete, await_stable, styles

SHORT_MS: Final = 100
"""The timeout of writes that wait in vain."""


class Sent(NamedTuple):
    """A batch of the producer of an open transaction, inside of the transaction or not."""

    base_sequence: int
    records: int = 1
    is_plain: bool = False
    epochs_ahead: int = 0
    acks: int = 1


def plain(base_sequence: int, records: int = 1, *, epochs_ahead: int = 0, acks: int = 1) -> Sent:
    """Return a batch outside of the transaction, which is refused."""
    return Sent(base_sequence, records, is_plain=True, epochs_ahead=epochs_ahead, acks=acks)


REPEATED: Final = (
    *(plain(1, 2), plain(1, 2), plain(1, 2, acks=-1), plain(1), plain(2)),
    *(Sent(1, 2), Sent(1, 2, acks=-1), Sent(1), Sent(2), Sent(3), Sent(1), Sent(3, acks=-1)),
)
"""Refused batches, and the same ones within the transaction."""
MANY: Final = (
    *(plain(1), plain(2), plain(3), plain(4), plain(5), plain(6)),
    *(plain(1), plain(2), plain(0), Sent(0), Sent(1), Sent(2), Sent(6), Sent(7), Sent(8)),
    *(Sent(2), Sent(3), Sent(4)),
)
"""More refused batches than a producer's state holds."""
AHEAD: Final = (
    *(plain(1, epochs_ahead=1), plain(0, epochs_ahead=1), plain(0, epochs_ahead=1)),
    *(Sent(1), Sent(1, epochs_ahead=1), Sent(0, epochs_ahead=1), Sent(2, epochs_ahead=1)),
)
"""Refused batches of a newer epoch."""


def send_each(talk: Talk, one: Transactor, name: str, batches: Sequence[Sent]) -> None:
    """Record steps with batches and the ends of the log; none has a transactional id."""
    who = one.producer
    for number, each in enumerate(batches):
        data = one.batch(
            *[b"%d" % number] * each.records,
            base_sequence=each.base_sequence,
            producer=replace(who, producer_epoch=who.producer_epoch + each.epochs_ahead),
            attributes=0 if each.is_plain else TRANSACTIONAL,
        )
        title = f"{name} {number}: {each.records} from {each.base_sequence}"
        title += ", plain" if each.is_plain else ""
        title += f", {each.epochs_ahead} epoch ahead" if each.epochs_ahead else ""
        title += ", acks=all" if each.acks < 0 else ""
        request = produce(talk, (name, 0, data), acks=each.acks)
        request.timeout_ms = SHORT_MS
        pending = talk.begin(title, request, one.style.produce)
        if each.acks < 0:  # the high watermark never passes a batch that is only remembered
            talk.let_time_pass(SHORT_MS)
        talk.finish(pending)
        see_ends(talk, title, name)


@scenario(transactional=True, slow=True, presets=until("1.1"))
def produce_again_what_was_refused(talk: Talk) -> None:
    (style,) = styles(talk.release)
    for name, batches in {"repeated": REPEATED, "many": MANY, "ahead": AHEAD}.items():
        topic = f"refused-{name}"
        one = begun(talk, topic, style)
        send_each(talk, one, topic, batches)
        if batches is not AHEAD:  # whose marker has too old an epoch
            one.end(f"{name}: commit", committed=True)
            await_stable(talk, (topic, 0))
            see_ends(talk, f"{name}: ended", topic)
        read = fetch(talk, Wanted(topic), reading=Reading(isolation_level=1))
        talk.ask(f"{name}: read back", read, talk.latest(ApiKey.FETCH))


@scenario(transactional=True, presets=until("1.1"))
def delete_records_before_what_was_refused(talk: Talk) -> None:
    (style,) = styles(talk.release)
    for offset in (-1, 1):
        for batches in ((Sent(1),), (Sent(1), plain(2, 3))):
            name = f"refused-delete-{offset}-{len(batches)}"
            one = begun(talk, name, style)
            other = begun(talk, f"{name}-other", style)
            send_each(talk, one, name, batches)
            delete = delete_records((name, 0, offset))
            for title in ("delete", "delete again"):
                talk.ask(f"{name}: {title}", delete, talk.latest(ApiKey.DELETE_RECORDS))
                see_ends(talk, f"{name}: {title}", name)
            other.add(None, (name, 0))
            other.write(f"{name}: somebody else writes", (name, 0), b"other")
            see_ends(talk, f"{name}: somebody else wrote", name)
            send_each(talk, one, name, [Sent(5), Sent(2), Sent(0)])
            for each in (one, other):
                each.end(None, committed=False)
                await_complete(talk, each, committed=False)
            await_stable(talk, (name, 0))
            see_ends(talk, f"{name}: ended", name)
            read = fetch(talk, Wanted(name, offset=1), reading=Reading(isolation_level=1))
            talk.ask(f"{name}: read back", read, talk.latest(ApiKey.FETCH))

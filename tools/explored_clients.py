"""Write docs/reference/explored-clients.md: what explorations of a loop with each client found.

    python -m tools.explored_clients                    # write the page from what was measured
    python -m tools.explored_clients --explore 40m      # explore with all clients, and write it
    python -m tools.explored_clients --explore 75s "kafkajs 2.2.4" --only "EndTxn 1*"
    python -m tools.explored_clients --explore 9m aiokafka --new-producers  # one after each error
    python -m tools.explored_clients --explore 4m --foreach-batch  # Spark's recipe, and repaired

With `--only` or another loop nothing is written: reports are printed.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from mockbroker.exploration import Report, explore
from mockbroker.spark import session
from tests.clients.transactors.clients import TITLES, Clients
from tests.support.explored import foreach_batch
from tests.support.explored.loops import TOPICS, Loop, LoopOfTwoInstances, LoopWithNewProducers
from tools.paragraph import paragraph

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "reference" / "explored-clients.md"
FOUND: Final = ROOT / "tests" / "support" / "explored" / "found.json"
TIMEOUT: Final = "60s"
_FAILURES_MAX: Final = 12
_REASON_MAX: Final = 110
_KINDS: Final = ("survived", "stopped", "broken", "not reached", "refused")

_HEAD: Final = """# Explored clients

<!-- Made by `python -m tools.explored_clients` from what its explorations found. -->

**You want it when** you choose a client, or wonder what one does under a fault.
**It needs** a clone of mockbroker, to repeat a row.
"""
_ABOUT: Final = (
    "A loop bills three orders, each in a transaction with the order's offset. After an error it"
    " aborts and tries again; if the abort fails, or an order has failed three times, it begins"
    " with a new producer, three times at most. With each client"
    " [explore](../how-to/explore-faults.md) runs it under each fault of its plan, on two brokers"
    " of the newest release."
)
_MEANING: Final = (
    "A loop that *stopped* has given up, and what it stored is right; that is all that can be done"
    " after a right was revoked. It is *broken* if a bill is missing or there twice, if a"
    " transaction stays open, or if it did not end within a minute. To repeat a row:"
)
_REPEAT: Final = """```console elsewhere
$ python -m tools.explored_clients --explore 1m 'kafkajs 2.2.4' --only 'EndTxn 1 *'
```"""
_NEW_PRODUCERS: Final = (
    "A loop that begins with a new producer after each error is not broken with aiokafka and"
    " kafkajs, either: whatever the client remembers wrongly is of another epoch then. With"
    " aiokafka 0.14.0 625 runs survived and 12 stopped; with kafkajs 2.2.4 819 survived and 11"
    " stopped. All that stopped had lost a right."
)
_REPEAT_NEW: Final = """```console elsewhere
$ python -m tools.explored_clients --explore 30m 'aiokafka 0.14.0' --new-producers
```"""
_TWO_INSTANCES: Final = (
    "A loop that lets another instance bill an order after each failure was explored with"
    " kafka-python 3.0.12: of 640 runs 620 survived, and 14 stopped, 12 of them after a right was"
    " revoked and 2 because the client gives up if its first ApiVersions is not answered. In 3 the"
    " program did not send that request, and in 3 there was no coordinator yet that could move."
)
_REPEAT_TWO: Final = """```console elsewhere
$ python -m tools.explored_clients --explore 30m 'kafka-python 3.0.12' --two-instances
```"""
_FOREACH_BATCH: Final = (
    "Spark's recipe `foreachBatch` writes each batch with confluent-kafka in a transaction of the"
    " driver; after a failure the query starts again once, from its checkpoint. When the answer to"
    " EndTxn never comes, the commit took effect, and the function raises before the checkpoint is"
    " written: the query writes the batch twice. Of 55 runs at EndTxn 2 were broken by that, 51"
    " survived, and 2 stopped, after a right was revoked. The repaired recipe keeps the number of"
    " the next batch in the transaction, as an offset, and skips what was committed: 53 survived,"
    " and 2 stopped. Without `--only` all other calls are tried too, which takes longer."
)
_REPEAT_FOREACH_BATCH: Final = """```console elsewhere
$ python -m tools.explored_clients --explore 4m --foreach-batch --only 'EndTxn *'
```"""
_EXPLAINED: Final[Mapping[str, str]] = {
    "aiokafka": (
        "After GROUP_AUTHORIZATION_FAILED an abort sends no EndTxn: the transaction stays open at"
        " its coordinator, and the next commit commits the bill of the aborted one as well."
    ),
    "kafkajs": (
        "A batch that was applied, but refused, uses up no sequence: after the abort the next one"
        " has the same epoch and sequence, so that the broker takes it for the aborted batch and"
        " does not store it. The commit succeeds without the bill. After a request has timed out,"
        " kafkajs keeps its connection, on which nothing arrives any more: such a run takes long."
    ),
    "confluent-kafka 2": (
        "After the answer NOT_COORDINATOR to FindCoordinator, `send_offsets_to_transaction` does"
        " not return, whatever its timeout; 1.9.2 asks again. A loop that bounds its calls itself"
        " (`--apart`) survives that, too."
    ),
}
"""What the journal of a failed run shows, by the beginning of the client's title."""

Found = dict[str, Any]


def explored(
    title: str,
    budget: str,
    only: Sequence[str] = (),
    loop: type[Loop] = Loop,
    *,
    apart: bool = False,
) -> Report:
    """Explore a loop with a client, perhaps `apart`: in a program that bounds its calls."""
    with ExitStack() as running, tempfile.TemporaryDirectory() as folder:
        clients = Clients(running, Path(folder), apart=apart)
        return explore(
            loop(clients[title]),
            topics=TOPICS,
            same_topics=["bills"],
            brokers=2,
            budget=budget,
            timeout=TIMEOUT,
            repeats=1,
            only=only,
        )


def recipes(budget: str, only: Sequence[str] = ()) -> Iterator[Report]:
    """Explore Spark's recipe `foreachBatch`, then the repaired one."""
    spark = session(has_connector=False)
    for recipe in (foreach_batch.ForeachBatch, foreach_batch.RepairedForeachBatch):
        yield explore(
            recipe(spark),
            topics=foreach_batch.TOPICS,
            same_topics=["bills"],
            brokers=2,
            budget=budget,
            timeout=TIMEOUT,
            repeats=1,
            only=only,
            jobs=3,  # they wait for the client
        )


def found_by(report: Report) -> Found:
    """Return what the page has of an exploration."""
    failures = [
        {
            "name": each.experiment.name,
            "kind": each.kind,
            "is_flaky": each.is_flaky,
            "reason": " ".join(each.reasons[0].split()),
            "more": sum(other.same_as == each.experiment.name for other in report.outcomes),
        }
        for each in report.failures
    ]
    counts = Counter(each.kind for each in report.outcomes)
    return {"outcomes": dict(counts), "left": len(report.left), "failures": failures}


def page(found: dict[str, Found]) -> str:
    """Return the text of the page."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: dict[str, Found]) -> Iterator[str]:
    yield from (*_HEAD.splitlines(), "", paragraph(_ABOUT))
    yield from ("", "| client | " + " | ".join(_KINDS) + " | left |")
    yield "| --- |" + " ---: |" * (len(_KINDS) + 1)
    for title, each in found.items():
        cells = [str(each["outcomes"].get(kind, 0)) for kind in _KINDS]
        yield f"| {title} | " + " | ".join([*cells, str(each["left"])]) + " |"
    yield from ("", paragraph(_MEANING), "", *_REPEAT.splitlines())
    yield from ("", paragraph(_NEW_PRODUCERS), "", *_REPEAT_NEW.splitlines())
    yield from ("", paragraph(_TWO_INSTANCES), "", *_REPEAT_TWO.splitlines())
    yield from ("", paragraph(_FOREACH_BATCH), "", *_REPEAT_FOREACH_BATCH.splitlines())
    for title, each in found.items():
        yield from _section(title, each)


def _section(title: str, found: Found) -> Iterator[str]:
    yield from ("", f"## {title}", "")
    done = sum(found["outcomes"].values())
    failures = found["failures"]
    if not failures:
        yield f"Nothing was found in {done} runs."
        return
    yield from ("| fault | outcome | what happened |", "| --- | --- | --- |")
    for each in failures[:_FAILURES_MAX]:
        more = f", and at {each['more']} more" if each["more"] else ""
        flaky = " at times" if each["is_flaky"] else ""
        reason = each["reason"].replace("|", "\\|")[:_REASON_MAX]
        yield f"| {each['name']}{more} | {each['kind']}{flaky} | {reason} |"
    if len(failures) > _FAILURES_MAX:
        yield from ("", f"{len(failures) - _FAILURES_MAX} more are not shown.")
    for name, explained in _EXPLAINED.items():
        if title.startswith(name):
            yield from ("", paragraph(explained))


def main() -> None:
    """Explore if that is asked, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("titles", nargs="*", default=TITLES)
    parser.add_argument("--explore", metavar="BUDGET")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--two-instances", action="store_true")
    parser.add_argument("--new-producers", action="store_true")
    parser.add_argument("--apart", action="store_true", help="bound the calls of librdkafka")
    parser.add_argument("--foreach-batch", action="store_true")
    given = parser.parse_args()
    if given.foreach_batch:
        for report in recipes(given.explore or "4m", given.only):
            print("\n".join(report.lines()), flush=True)
        return
    loop = LoopOfTwoInstances if given.two_instances else Loop
    loop = LoopWithNewProducers if given.new_producers else loop
    is_printed = bool(given.only) or given.apart or loop is not Loop
    found: dict[str, Found] = json.loads(FOUND.read_text("utf-8")) if FOUND.exists() else {}
    for title in given.titles if given.explore else ():
        report = explored(title, given.explore, given.only, loop, apart=given.apart)
        if is_printed:
            print("\n".join(report.lines()))
        else:
            found[title] = found_by(report)
            FOUND.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    if not is_printed:
        PAGE.write_text(page({title: found[title] for title in TITLES if title in found}), "utf-8")
        print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

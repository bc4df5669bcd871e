"""The command `load`: tasks of Spark that send records while things go wrong, and a ledger."""

import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import click

from mockbroker.cli.cluster.asking import ADMIN
from mockbroker.cli.command_answer import (
    EXIT_FAILED,
    EXIT_UNREACHABLE,
    EXIT_USAGE,
    Answer,
    CommandError,
    answering,
)
from mockbroker.cli.commands import HELP
from mockbroker.spark.load.load_attempt import LoadOptions
from mockbroker.spark.load.load_ledger import LedgerManifest
from mockbroker.spark.load.load_plan import PLANS, Delivery, Plan
from mockbroker.spark.load.load_producer import ClientName
from mockbroker.spark.load.load_script import LoadShape
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster

if TYPE_CHECKING:
    from mockbroker.spark.load.load_job import LoadOutcome

CLIENTS: Final[tuple[ClientName, ...]] = get_args(ClientName)
_PARTITIONS: Final = 4
_MASTER: Final = "local[2,3]"
"""Two tasks at once, and three attempts of each."""
_SEEDS: Final = 1 << 32
_US: Final = 1_000_000


class TopicShape(click.ParamType["tuple[str, int | None]"]):
    """A topic, and how many partitions it is to have: `orders:4`."""

    name = "topic"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | None]:
        """Part the topic from the number."""
        topic, colon, number = str(value).partition(":")
        if topic and not colon:
            return topic, None
        if not topic or not number.isascii() or not number.isdecimal() or not int(number):
            self.fail(f"{value!r} is not written as TOPIC or TOPIC:PARTITIONS", param, ctx)
        return topic, int(number)


class ClientNames(click.ParamType[list[ClientName]]):
    """Clients, with commas between them."""

    name = "clients"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[ClientName]:
        """Part them, and check each."""
        found: list[ClientName] = []
        for name in str(value).split(","):
            if name.strip() not in CLIENTS:
                self.fail(f"{name!r} is none of {', '.join(CLIENTS)}", param, ctx)
            found.append(cast("ClientName", name.strip()))
        return found


def _plans_table() -> str:
    width = max(map(len, PLANS))
    return "\n".join(f"    {name:{width}}  {plan.about}" for name, plan in PLANS.items())


@click.command(
    "load",
    context_settings={"help_option_names": HELP, "max_content_width": 100},
    short_help="Send records from tasks of Spark while things go wrong, and write a ledger.",
    help=(
        "Send records from N tasks of Spark while things go wrong, and write the ledger of what was"
        " sent and what was acknowledged. `audit --ledger` joins it.\n\n"
        "Everything that is drawn by lot comes from the seed, which is printed. PLAN is one of\n\n"
        f"\b\n{_plans_table()}\n\n"
        "What brokers do wrong needs a mockbroker, and its admin API."
    ),
)
@click.option("--bootstrap", required=True, metavar="HOST:PORT,...", help="The cluster.")
@click.option(
    "--topic",
    required=True,
    type=TopicShape(),
    metavar="TOPIC[:PARTITIONS]",
    help=f"The topic; it is created where there is none, with {_PARTITIONS} partitions.",
)
@click.option(
    "--tasks", default=4, show_default=True, type=click.IntRange(1), help="How many tasks."
)
@click.option(
    "--records",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="How many records each of them sends.",
)
@click.option(
    "--client",
    "clients",
    default="confluent",
    show_default=True,
    type=ClientNames(),
    metavar="NAME,...",
    help=f"What the tasks send with, in turn: {', '.join(CLIENTS)} (Spark's own sink).",
)
@click.option("--transactional", "delivery", flag_value="transactional", help="In transactions.")
@click.option("--plain", "delivery", flag_value="plain", help="Without idempotence.")
@click.option("--seed", type=int, help="Where all lots are drawn from; a new one without it.")
@click.option("--plan", "plan_name", default="clean", metavar="PLAN", help="What goes wrong.")
@click.option("--admin", metavar="URL", envvar=ADMIN, help=f"The admin API (${ADMIN}).")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the ledger, which is new; workers see it under the same name.",
)
@click.option("--master", metavar="URL", help="Spark's master, where no session is there.")
@answering
def load_command(**said: Any) -> Answer:
    """Run a load."""
    plan = _plan(said["plan_name"])
    delivery = _delivery(said["plan_name"], plan, said["delivery"])
    _check(plan, said, delivery)
    seed = secrets.randbelow(_SEEDS) if said["seed"] is None else said["seed"]
    click.echo(f"mockbroker: seed {seed}", err=True)
    partitions = _ensured(said["bootstrap"], *said["topic"])
    options = LoadOptions(
        bootstrap_servers=said["bootstrap"],
        topic=said["topic"][0],
        shape=LoadShape(
            seed=seed, tasks=said["tasks"], records=said["records"], partitions=partitions
        ),
        plan=plan,
        delivery=delivery,
        clients=said["clients"],
        folder=said["out"].absolute(),
        admin=said["admin"] if plan.needs_mockbroker else None,
    )
    return _answer(options, _run(options, said["plan_name"], said["master"]))


# What was said


def _plan(name: str) -> Plan:
    if name not in PLANS:
        raise CommandError(f"there is no plan {name!r}: {', '.join(PLANS)}", EXIT_USAGE)
    return PLANS[name]


def _delivery(name: str, plan: Plan, said: str | None) -> Delivery:
    """Take what was said, or what the plan is first of all about."""
    for each in plan.expected:
        if said in {None, each}:
            return each
    why = f"plan {name} is not about {said} producers, but {' or '.join(plan.expected)} ones"
    raise CommandError(why, EXIT_USAGE)


def _check(plan: Plan, said: dict[str, Any], delivery: Delivery) -> None:
    if plan.needs_mockbroker and not said["admin"]:
        raise CommandError(
            f"plan {said['plan_name']} has brokers do wrong: name a mockbroker's admin API with"
            f" --admin or {ADMIN}",
            EXIT_USAGE,
        )
    if "spark" not in said["clients"]:
        return
    if delivery == "transactional":
        raise CommandError("Spark's own sink has no transactions: --client spark", EXIT_USAGE)
    if any(moment.after != "load" for moment in plan.moments):
        raise CommandError(
            f"Spark's own sink does not say when a record is stored, and plan {said['plan_name']}"
            " needs to know: name other clients with --client",
            EXIT_USAGE,
        )


def _ensured(bootstrap_servers: str, topic: str, wanted: int | None) -> int:
    """Create the topic where there is none, and return how many partitions it has."""
    try:
        with WireCluster(bootstrap_servers) as cluster:
            found = cluster.find_topic(topic)
            if found is None:
                cluster.create_topic(topic, wanted or _PARTITIONS)
                found = cluster.topic(topic)
    except WireError as error:
        raise CommandError(str(error), EXIT_UNREACHABLE) from None
    if wanted is not None and len(found.leaders) != wanted:
        why = f"{topic} is there already, with {len(found.leaders)} partitions and not {wanted}"
        raise CommandError(why, EXIT_USAGE)
    return len(found.leaders)


# The run


def _run(options: LoadOptions, plan_name: str, master: str | None) -> "LoadOutcome":
    from mockbroker.spark.load.load_job import run_load
    from mockbroker.spark.spark_errors import reason_of, spark_errors

    manifest = LedgerManifest(
        seed=options.shape.seed,
        plan=plan_name,
        delivery=options.delivery,
        expected=sorted(options.plan.expected[options.delivery]),
        topic=options.topic,
        partitions=options.shape.partitions,
        tasks=options.shape.tasks,
        records=options.shape.records,
        clients=options.clients,
        started_us=int(time.time() * _US),
    )
    try:
        return run_load(_session(options, master), options, manifest)
    except FileExistsError as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    except WireError as error:
        raise CommandError(str(error), EXIT_UNREACHABLE) from None
    except OSError as error:
        raise CommandError(f"the load did not come to its end: {error}", EXIT_FAILED) from None
    except spark_errors() as error:
        why = f"the load did not come to its end: {reason_of(error)}"
        raise CommandError(why, EXIT_FAILED) from None


def _session(options: LoadOptions, master: str | None) -> Any:
    """Start Spark, or take the session that is there.

    Raises:
        CommandError: it cannot start, or does not try tasks again where the plan needs that.

    """
    from mockbroker.spark import SparkUnavailableError
    from mockbroker.spark.command_session import pipeline_session
    from mockbroker.spark.load.load_job import retries_of

    try:
        spark = pipeline_session(
            master,
            "mockbroker load",
            has_connector="spark" in options.clients,
            default_master=_MASTER,
        ).spark
    except SparkUnavailableError as error:
        raise CommandError(str(error), EXIT_FAILED) from None
    if options.plan.needs_retries and retries_of(str(spark.conf.get("spark.master"))) == 1:
        raise CommandError(
            "this plan needs tasks that are tried again, and Spark's master is"
            f" {spark.conf.get('spark.master')}: write local[2,4]",
            EXIT_USAGE,
        )
    return spark


def _answer(options: LoadOptions, outcome: "LoadOutcome") -> Answer:
    manifest, folder = outcome.manifest, os.path.relpath(options.folder)
    counts = manifest.counts
    expected = ", ".join(manifest.expected) or "nothing"
    sent = f"{manifest.tasks} tasks in {counts.attempts} attempts sent {counts.sent} records"
    told = f"{counts.acked} acknowledged, {counts.failed} failed, {counts.unknown} unknown"
    clients = ", ".join(manifest.clients)
    lines = [
        f"seed {manifest.seed}, plan {manifest.plan}, {manifest.delivery} producers ({clients})",
        f"{sent} for {counts.records} that are wanted: {told}",
        f"readers of committed records see {counts.visible}",
        *(f"rule {name} struck {_times(hits)}" for name, hits in outcome.rules),
        f"an audit should find: {expected}",
        f"the ledger is in {folder}",
    ]
    document = {
        "seed": manifest.seed,
        "plan": manifest.plan,
        "delivery": manifest.delivery,
        "expected": list(manifest.expected),
        "counts": {name: getattr(counts, name) for name in type(counts).__slots__},
        "rules": dict(outcome.rules),
        "ledger": str(options.folder),
    }
    return Answer(document, lines)


def _times(hits: int) -> str:
    return "once" if hits == 1 else f"{hits} times"

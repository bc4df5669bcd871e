"""Command `mockbroker load`: Spark tasks that send records during faults, and a ledger."""

import os
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import click

from mockbroker.cli import EXIT_FAILED, EXIT_UNREACHABLE, EXIT_USAGE
from mockbroker.cli.cluster.admin_command import ADMIN, admin_errors
from mockbroker.cli.command_answer import CommandError, CommandResult, answering, is_quiet
from mockbroker.spark.command_session import CommandSession, command_session
from mockbroker.spark.connector import pyspark_version
from mockbroker.spark.load.load_attempt import LoadFailedError, LoadOptions
from mockbroker.spark.load.load_ledger import LedgerManifest
from mockbroker.spark.load.load_plan import PLANS, Delivery, Plan, retries_of
from mockbroker.spark.load.load_producer import ClientName
from mockbroker.spark.load.load_script import LoadShape
from mockbroker.spark.report.progress import Progress
from mockbroker.spark.spark_progress import tasks_done
from mockbroker.spark.unavailable import SparkUnavailableError
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import WireCluster

if TYPE_CHECKING:
    from mockbroker.spark.load.load_job import LoadOutcome

CLIENTS: Final[tuple[ClientName, ...]] = get_args(ClientName)
_PARTITIONS: Final = 4
_MASTER: Final = "local[2,3]"
"""Two tasks in parallel, and up to three attempts of each."""
_SEEDS: Final = 1 << 32
_US: Final = 1_000_000


class TopicShape(click.ParamType["tuple[str, int | None]"]):
    """Topic, and its number of partitions: `orders:4`."""

    name = "topic"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | None]:
        """Split the topic from the number."""
        topic, colon, number = str(value).partition(":")
        if topic and not colon:
            return topic, None
        if not topic or not number.isascii() or not number.isdecimal() or not int(number):
            self.fail(f"{value!r} is not written as TOPIC or TOPIC:PARTITIONS", param, ctx)
        return topic, int(number)


class ClientNames(click.ParamType[list[ClientName]]):
    """Clients, separated by commas."""

    name = "clients"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[ClientName]:
        """Split the list, and check each name."""
        found: list[ClientName] = []
        for name in str(value).split(","):
            if name.strip() not in CLIENTS:
                self.fail(f"{name!r} is not one of {', '.join(CLIENTS)}", param, ctx)
            found.append(cast("ClientName", name.strip()))
        return found


def _plans_table() -> str:
    width = max(map(len, PLANS))
    return "\n".join(f"    {name:{width}}  {plan.about}" for name, plan in PLANS.items())


@click.command(
    "load",
    short_help="Send records from Spark tasks during faults, and write a ledger.",
    help=(
        "Send records from N Spark tasks during faults (extra `spark`), and write a ledger of what"
        " was sent and what was acknowledged. `mockbroker audit --ledger` joins it.\n\n"
        "Random choices use the seed, which is printed. PLAN is one of\n\n"
        f"\b\n{_plans_table()}\n\n"
        "Plans with broker faults need mockbroker and its admin API."
    ),
)
@click.option("--bootstrap", required=True, metavar="HOST:PORT,...", help="The cluster.")
@click.option(
    "--topic",
    required=True,
    type=TopicShape(),
    metavar="TOPIC[:PARTITIONS]",
    help=f"The topic; if it does not exist, it is created with {_PARTITIONS} partitions.",
)
@click.option(
    "--tasks", default=4, show_default=True, type=click.IntRange(1), help="Number of tasks."
)
@click.option(
    "--records",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="Number of records that each task sends.",
)
@click.option(
    "--client",
    "clients",
    default="confluent",
    show_default=True,
    type=ClientNames(),
    metavar="NAME,...",
    help=f"Clients of the tasks, in turn: {', '.join(CLIENTS)} (Spark's Kafka sink).",
)
@click.option("--transactional", "delivery", flag_value="transactional", help="Use transactions.")
@click.option("--plain", "delivery", flag_value="plain", help="Send without idempotence.")
@click.option("--seed", type=int, help="Seed of all random choices (random).")
@click.option("--plan", "plan_name", default="clean", metavar="PLAN", help="The faults (clean).")
@click.option("--admin", metavar="URL", envvar=ADMIN, help=f"The admin API (${ADMIN}).")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="New folder for the ledger; workers must see it at the same path.",
)
@click.option("--master", metavar="URL", help="Spark's master, if no session is active.")
@answering
def load_command(**values: Any) -> CommandResult:
    """Run a load."""
    plan = _plan(values["plan_name"])
    delivery = _delivery(values["plan_name"], plan, values["delivery"])
    _check(plan, values, delivery)
    seed = secrets.randbelow(_SEEDS) if values["seed"] is None else values["seed"]
    click.echo(f"mockbroker: seed {seed}", err=True)
    partitions = _ensure_topic(values["bootstrap"], *values["topic"])
    options = LoadOptions(
        bootstrap_servers=values["bootstrap"],
        topic=values["topic"][0],
        shape=LoadShape(
            seed=seed, tasks=values["tasks"], records=values["records"], partitions=partitions
        ),
        plan=plan,
        delivery=delivery,
        clients=values["clients"],
        folder=values["out"].absolute(),
        admin=values["admin"] if plan.needs_mockbroker else None,
    )
    return _answer(options, _run(options, values["plan_name"], values["master"]))


# Arguments


def _plan(name: str) -> Plan:
    if name not in PLANS:
        raise CommandError(
            f"there is no plan {name!r}; the plans are {', '.join(PLANS)}", EXIT_USAGE
        )
    return PLANS[name]


def _delivery(name: str, plan: Plan, given: str | None) -> Delivery:
    """Return the given kind of delivery, or the first one that the plan supports."""
    for each in plan.expected:
        if given in {None, each}:
            return each
    why = f"plan {name} is for {' or '.join(plan.expected)} producers, not for {given} ones"
    raise CommandError(why, EXIT_USAGE)


def _check(plan: Plan, values: dict[str, Any], delivery: Delivery) -> None:
    if plan.needs_mockbroker and not values["admin"]:
        raise CommandError(
            f"plan {values['plan_name']} needs broker faults: name mockbroker's admin API with"
            f" --admin or {ADMIN}",
            EXIT_USAGE,
        )
    if "spark" not in values["clients"]:
        return
    if delivery == "transactional":
        raise CommandError("--client spark: Spark's Kafka sink has no transactions", EXIT_USAGE)
    if any(moment.after != "load" for moment in plan.moments):
        raise CommandError(
            f"--client spark: Spark's Kafka sink does not report when a record is stored, but plan"
            f" {values['plan_name']} needs that",
            EXIT_USAGE,
        )


def _ensure_topic(bootstrap_servers: str, topic: str, wanted: int | None) -> int:
    """Create the topic if it does not exist, and return its number of partitions."""
    try:
        with WireCluster(bootstrap_servers) as cluster:
            found = cluster.find_topic(topic)
            if found is None:
                cluster.create_topic(topic, wanted or _PARTITIONS)
                found = cluster.topic(topic)
    except WireError as error:
        raise CommandError(str(error), EXIT_UNREACHABLE) from None
    if wanted is not None and len(found.leaders) != wanted:
        why = (
            f"topic {topic} already exists, with {len(found.leaders)} partitions"
            f" instead of {wanted}"
        )
        raise CommandError(why, EXIT_USAGE)
    return len(found.leaders)


# The run


def _run(options: LoadOptions, plan_name: str, master: str | None) -> "LoadOutcome":
    try:
        pyspark_version()
    except SparkUnavailableError as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    # Imported late: the help of the command needs no pyspark, which may be missing.
    from mockbroker.spark.load.load_job import run_load, spark_failures

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
    progress = Progress(is_quiet=is_quiet())
    try:
        with admin_errors(), spark_failures():
            session = _session(options, master)
            with progress.stage("sending"), progress.watching(tasks_done(session)):
                return run_load(session.spark, options, manifest)
    except FileExistsError as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    except WireError as error:
        raise CommandError(str(error), EXIT_UNREACHABLE) from None
    except (LoadFailedError, OSError) as error:
        raise CommandError(f"the load did not complete: {error}", EXIT_FAILED) from None


def _session(options: LoadOptions, master: str | None) -> CommandSession:
    """Start Spark, or take the active session.

    Raises:
        CommandError: it cannot start, or does not retry tasks although the plan needs that.

    """
    try:
        session = command_session(
            master,
            "mockbroker load",
            has_connector="spark" in options.clients,
            default_master=_MASTER,
        )
    except SparkUnavailableError as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    used = str(session.spark.conf.get("spark.master"))
    if options.plan.needs_retries and retries_of(used) == 1:
        raise CommandError(
            "this plan needs retries of failed tasks, but Spark's master is"
            f" {used}: use --master local[2,4]",
            EXIT_USAGE,
        )
    return session


def _answer(options: LoadOptions, outcome: "LoadOutcome") -> CommandResult:
    manifest, folder = outcome.manifest, os.path.relpath(options.folder)
    counts = manifest.counts
    expected = ", ".join(manifest.expected) or "nothing"
    sent = f"{manifest.tasks} tasks in {counts.attempts} attempts sent {counts.sent} records"
    results = f"{counts.acked} acknowledged, {counts.failed} failed, {counts.unknown} unknown"
    clients = ", ".join(manifest.clients)
    lines = [
        f"seed {manifest.seed}, plan {manifest.plan}, {manifest.delivery} producers ({clients})",
        f"{sent} for {counts.records} wanted ones: {results}",
        f"read_committed consumers see {counts.visible}",
        *(f"fault {name} fired {_times(hits)}" for name, hits in outcome.rules),
        f"expected findings of an audit: {expected}",
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
    return CommandResult(document, lines)


def _times(hits: int) -> str:
    return "once" if hits == 1 else f"{hits} times"

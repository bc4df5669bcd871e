"""The command `mockbroker elect`: leaders of partitions, and coordinators."""

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import PartitionName, asking
from mockbroker.cli.command_answer import Answer


@click.command(short_help="Elect a leader, or move a coordinator.")
@click.argument(
    "where",
    metavar="[TOPIC:PARTITION]",
    type=PartitionName(index_required=True),
    required=False,
)
@click.option("--transactional-id", metavar="ID", help="Move the coordinator of this id instead.")
@click.option("--group", metavar="GROUP", help="Move the coordinator of this group instead.")
@click.option("--to", type=int, metavar="BROKER", help="Elect this one (the next replica in turn).")
@click.option(
    "--producer-state", metavar="WHAT", help="What the new leader knows of producers (full)."
)
@click.option("--log", metavar="keep|truncate", help="What it has of the log (keep).")
@click.option("--log-end-offset", type=int, metavar="OFFSET", help="Where its log ends.")
@click.option("--high-watermark", type=int, metavar="OFFSET", help="Its high watermark.")
@asking
def elect(
    client: AdminClient,
    *,
    where: tuple[str, int] | None,
    transactional_id: str | None,
    group: str | None,
    to: int | None,
    **leader: str | int | None,
) -> Answer:
    """Elect a leader of a partition, or move the coordinator of a transactional id or a group."""
    if [where, transactional_id, group].count(None) != 2:
        raise click.UsageError("name one of TOPIC:PARTITION, --transactional-id and --group")
    if where is None:
        for name in (name for name, value in leader.items() if value is not None):
            raise click.UsageError(f"--{name.replace('_', '-')} goes with TOPIC:PARTITION")
        said = {"transactional_id": transactional_id, "group": group, "to": to}
        found = client.post(path_to("coordinators", "move"), said)
        return Answer(found, [f"broker {found['broker']} coordinates {transactional_id or group}"])
    topic, partition = where
    said = {"topic": topic, "partition": partition, "to": to, **leader}
    found = client.post(path_to("elect"), said)
    return Answer(found, [f"broker {found['leader']} leads {topic}:{partition}"])

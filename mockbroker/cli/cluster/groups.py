"""Command `mockbroker groups`: groups, their members, and interventions in them."""

import click

from mockbroker.cli.cluster.admin_command import DefaultingGroup, PartitionName, admin_command
from mockbroker.cli.cluster.tables import groups_table, members_table, share_partitions_table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to

_group_id = click.argument("group_id")
_member_id = click.argument("member_id")


@click.group(cls=DefaultingGroup, default="list", short_help="Show and break groups.")
def groups() -> None:
    """Show groups of any protocol, fence members, hold what they do next, and end locks.

    The default command is `list`.
    """


@groups.command("list", short_help="List all groups.")
@admin_command
def list_groups(client: AdminClient) -> CommandResult:
    """List all groups."""
    document = client.get(path_to("groups"))
    rows = document["groups"]
    return CommandResult(document, groups_table(rows) if rows else ["no groups"])


@groups.command(short_help="Show one group and its members.")
@_group_id
@admin_command
def show(client: AdminClient, *, group_id: str) -> CommandResult:
    """Show one group and its members."""
    document = client.get(path_to("groups", group_id))
    lines = [*groups_table([document])]
    if document["members"]:
        lines += ["", *members_table(document["members"])]
    return CommandResult(document, lines)


@groups.command(short_help="Remove a member.")
@_group_id
@_member_id
@admin_command
def fence(client: AdminClient, *, group_id: str, member_id: str) -> CommandResult:
    """Remove a member, as its coordinator does when the member's session ends."""
    document = client.post(path_to("groups", group_id, "fence"), {"member_id": member_id})
    return CommandResult(document, [f"{member_id} is no longer in {group_id}"])


@groups.command(short_help="Begin a rebalance.")
@_group_id
@admin_command
def rebalance(client: AdminClient, *, group_id: str) -> CommandResult:
    """Begin a rebalance, as after a member has joined and left again."""
    document = client.post(path_to("groups", group_id, "rebalance"))
    return CommandResult(document, [f"{group_id} is {document['state']}"])


@groups.command(short_help="Keep the members from new assignments.")
@_group_id
@admin_command
def hold(client: AdminClient, *, group_id: str) -> CommandResult:
    """Keep the members from new assignments, which are computed nevertheless."""
    document = client.post(path_to("groups", group_id, "hold-reconciliation"))
    return CommandResult(document, [f"the members of {group_id} are held"])


@groups.command(short_help="Let one held member take a step.")
@_group_id
@_member_id
@admin_command
def step(client: AdminClient, *, group_id: str, member_id: str) -> CommandResult:
    """Let one member of a held group take its next step, in its next heartbeat."""
    document = client.post(path_to("groups", group_id, "step"), {"member_id": member_id})
    return CommandResult(document, [f"{member_id} takes a step in its next heartbeat"])


@groups.command(short_help="Hold the members no more.")
@_group_id
@admin_command
def release(client: AdminClient, *, group_id: str) -> CommandResult:
    """Hold the members no more: they get their assignments in their next heartbeats."""
    document = client.post(path_to("groups", group_id, "release"))
    return CommandResult(document, [f"the members of {group_id} are not held"])


@groups.command("dead-letters", short_help="Show the dead letters that are held.")
@_group_id
@admin_command
def dead_letters(client: AdminClient, *, group_id: str) -> CommandResult:
    """Show the dead letters of a share group that are held, the next ones first."""
    document = client.get(path_to("groups", group_id, "dead-letters"))
    return CommandResult(document, document["waiting"] or ["no dead letters wait"])


@groups.command("hold-dead-letters", short_help="Hold the dead letters of a share group.")
@_group_id
@admin_command
def hold_dead_letters(client: AdminClient, *, group_id: str) -> CommandResult:
    """Hold the dead letters of a share group: their records are ARCHIVING then."""
    document = client.post(path_to("groups", group_id, "hold-dead-letters"))
    return CommandResult(document, [f"the dead letters of {group_id} are held"])


@groups.command("step-dead-letters", short_help="Write the next dead letters.")
@_group_id
@admin_command
def step_dead_letters(client: AdminClient, *, group_id: str) -> CommandResult:
    """Write the dead letters that have waited longest."""
    document = client.post(path_to("groups", group_id, "step-dead-letters"))
    return CommandResult(document, [document["done"] or "no dead letters wait"])


@groups.command("release-dead-letters", short_help="Write all dead letters, and hold no more.")
@_group_id
@admin_command
def release_dead_letters(client: AdminClient, *, group_id: str) -> CommandResult:
    """Write all dead letters of a share group that wait, and hold no more."""
    document = client.post(path_to("groups", group_id, "release-dead-letters"))
    return CommandResult(document, [f"the dead letters of {group_id} are not held"])


@groups.command("share-partitions", short_help="Show the records in flight of a share group.")
@_group_id
@admin_command
def share_partitions(client: AdminClient, *, group_id: str) -> CommandResult:
    """Show the partitions of a share group, and their records in flight."""
    document = client.get(path_to("groups", group_id, "share-partitions"))
    rows = document["share_partitions"]
    lines = share_partitions_table(rows) if rows else ["no share partitions"]
    return CommandResult(document, lines)


@groups.command("expire-locks", short_help="Let acquisition locks of a share group expire now.")
@_group_id
@click.argument("where", metavar="[TOPIC[:PARTITION]]", type=PartitionName(), required=False)
@click.option("--member", metavar="ID", help="Only the locks of this member.")
@admin_command
def expire_locks(
    client: AdminClient,
    *,
    group_id: str,
    where: tuple[str, int | None] | None,
    member: str | None,
) -> CommandResult:
    """Let acquisition locks of a share group expire now, as at their time."""
    topic, partition = where or (None, None)
    locks = {"topic": topic, "partition": partition, "member_id": member}
    document = client.post(path_to("groups", group_id, "expire-locks"), locks)
    return CommandResult(document, [f"the locks of {document['records']} records have expired"])


@groups.command(
    "move-share-coordinator", short_help="Move the share coordinator of a share partition."
)
@_group_id
@click.argument("where", metavar="TOPIC:PARTITION", type=PartitionName(index_required=True))
@click.option("--to", type=int, metavar="BROKER", help="The broker; default: the next replica.")
@admin_command
def move_share_coordinator(
    client: AdminClient, *, group_id: str, where: tuple[str, int], to: int | None
) -> CommandResult:
    """Move the coordinator that stores the state of a share partition to another broker."""
    topic, partition = where
    move = {"topic": topic, "partition": partition, "to": to}
    document = client.post(path_to("groups", group_id, "move-share-coordinator"), move)
    line = f"broker {document['broker']} stores the state of {topic}:{partition} for {group_id}"
    return CommandResult(document, [line])

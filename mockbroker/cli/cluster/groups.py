"""Command `mockbroker groups`: groups, their members, and interventions in them."""

import click

from mockbroker.cli.cluster.admin_command import DefaultingGroup, admin_command
from mockbroker.cli.cluster.tables import groups_table, members_table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to

_group_id = click.argument("group_id")
_member_id = click.argument("member_id")


@click.group(cls=DefaultingGroup, default="list", short_help="Show and break groups.")
def groups() -> None:
    """Show groups of any protocol, fence members, and hold new assignments.

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

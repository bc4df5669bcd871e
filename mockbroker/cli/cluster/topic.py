"""The command `mockbroker topic`: topics, and what happens to a whole one."""

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import DefaultingGroup, asking
from mockbroker.cli.cluster.tables import topics_table
from mockbroker.cli.command_answer import Answer


@click.group(cls=DefaultingGroup, default="list", short_help="List topics, make one anew.")
def topic() -> None:
    """List topics, and make one anew. Without a command they are listed."""


@topic.command("list", short_help="List all topics.")
@click.option("--internal", is_flag=True, help="Show Kafka's own topics as well.")
@asking
def list_topics(client: AdminClient, *, internal: bool) -> Answer:
    """List all topics."""
    found = client.get(path_to("topics"))
    topics = [each for each in found["topics"] if internal or not each["is_internal"]]
    return Answer({"topics": topics}, topics_table(topics))


@topic.command(short_help="Delete a topic and make it again.")
@click.argument("name", metavar="TOPIC")
@click.option("--partitions", type=int, metavar="N", help="How many it has (as many as before).")
@click.option("--start-offset", type=int, default=0, metavar="OFFSET", help="Where they begin (0).")
@asking
def recreate(
    client: AdminClient, *, name: str, partitions: int | None, start_offset: int
) -> Answer:
    """Delete a topic and make it anew: the same name, another id, and nothing in it."""
    said = {"partitions": partitions, "start_offset": start_offset}
    found = client.post(path_to("topics", name, "recreate"), said)
    return Answer(found, topics_table([found]))

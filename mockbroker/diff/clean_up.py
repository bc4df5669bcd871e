"""Deletion of what the conversations have made on a foreign broker."""

from collections.abc import Collection, Iterator
from typing import Final

from mockbroker.diff.survey import Asker, BrokerFacts, all_names, asking
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
)
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from mockbroker.protocol.messages.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
)

TOPICS_AT_ONCE: Final = 50
_GONE: Final = frozenset({ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND})


def clean_up(
    facts: BrokerFacts, prefix: str, configured: Collection[tuple[int, str]], timeout_s: float
) -> list[str]:
    """Delete all topics, groups and configs whose names have a prefix; return what stays.

    Transactions cannot be deleted: they are aborted, and expire as their broker defines.
    """
    with asking(facts, timeout_s) as asker:
        names = all_names(asker)
        return [
            *_end_transactions(
                asker, [each for each in names.transactions if is_ours(each, prefix)]
            ),
            *_delete_groups(asker, [each for each in names.groups if is_ours(each, prefix)]),
            *_delete_configs(asker, sorted(configured)),
            *_delete_topics(asker, [each for each in names.topics if is_ours(each, prefix)]),
        ]


def is_ours(name: str, prefix: str) -> bool:
    """Return whether a name was made in this run."""
    return name.startswith(prefix)


def _end_transactions(asker: Asker, transactional_ids: list[str]) -> Iterator[str]:
    for transactional_id in transactional_ids:
        request = InitProducerIdRequest(
            transactional_id=transactional_id, transaction_timeout_ms=60_000
        )
        asker.ask(request, InitProducerIdResponse, 1)
    if transactional_ids:
        yield f"{len(transactional_ids)} transactional ids, which the broker forgets by itself"


def _delete_groups(asker: Asker, groups: list[str]) -> Iterator[str]:
    stays = 0
    for group in groups:
        if not _is_deleted(asker, group):
            _let_members_leave(asker, group)
            stays += not _is_deleted(asker, group)
    if stays:
        yield f"{stays} groups with members, which leave when their sessions end"


def _is_deleted(asker: Asker, group: str) -> bool:
    answer = asker.ask(DeleteGroupsRequest(groups_names=[group]), DeleteGroupsResponse, 2)
    return answer is not None and all(each.error_code in _GONE for each in answer.results)


def _let_members_leave(asker: Asker, group: str) -> None:
    described = asker.ask(DescribeGroupsRequest(groups=[group]), DescribeGroupsResponse, 4)
    if described is None or not described.groups:
        return
    for member in described.groups[0].members:
        identity = MemberIdentity(
            member_id=member.member_id, group_instance_id=member.group_instance_id
        )
        request = LeaveGroupRequest(group_id=group, member_id=member.member_id, members=[identity])
        asker.ask(request, LeaveGroupResponse, 4)


def _delete_configs(asker: Asker, resources: list[tuple[int, str]]) -> Iterator[str]:
    for kind, name in resources:
        resource = AlterConfigsResource(resource_type=kind, resource_name=name, configs=[])
        answer = asker.ask(AlterConfigsRequest(resources=[resource]), AlterConfigsResponse, 1)
        if answer is None:
            yield f"the configs of {name}"


def _delete_topics(asker: Asker, topics: list[str]) -> Iterator[str]:
    for start in range(0, len(topics), TOPICS_AT_ONCE):
        some = topics[start : start + TOPICS_AT_ONCE]
        request = DeleteTopicsRequest(topic_names=some, timeout_ms=30_000)
        answer = asker.ask(request, DeleteTopicsResponse, 5)
        refused = [] if answer is None else [each for each in answer.responses if each.error_code]
        stays = len(some) if answer is None else len(refused)
        if stays:
            yield f"{stays} topics"

"""Admin client of aiokafka for the scenarios."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import NoReturn

from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from tests.clients.python.aiokafka_loop import Loop
from tests.clients.support.matrix_client import NOT_OFFERED, GroupState
from tests.clients.support.transactional_client import ClientError


class AiokafkaAdmin:
    """Implementation of `Admin`."""

    def __init__(self, loop: Loop, bootstrap_servers: str) -> None:
        self._loop = loop
        self._bootstrap_servers = bootstrap_servers

    def create_topic(self, topic: str, partitions: int, configs: Mapping[str, str]) -> None:
        async def created() -> None:
            new_topic = NewTopic(topic, partitions, 1, topic_configs=dict(configs))
            async with self._client() as client:
                answer = await client.create_topics([new_topic])
            assert answer.topic_errors == [(topic, 0, None)]

        self._loop.run(created())

    def topics(self) -> list[str]:
        async def listed() -> list[str]:
            async with self._client() as client:
                return list(await client.list_topics())

        return self._loop.run(listed())

    def partition_count(self, topic: str) -> int:
        async def counted() -> int:
            async with self._client() as client:
                (described,) = await client.describe_topics([topic])
            return len(described["partitions"])

        return self._loop.run(counted())

    def topic_config(self, topic: str, name: str) -> str:
        async def described() -> str:
            resource = ConfigResource(ConfigResourceType.TOPIC, topic, configs={name: None})
            async with self._client() as client:
                (answer,) = await client.describe_configs([resource])
            ((error_code, _, _, _, ((_, value, *_),)),) = answer.resources
            assert error_code == 0
            return str(value)

        return self._loop.run(described())

    def alter_topic_config(self, topic: str, name: str, value: str) -> None:
        async def altered() -> None:
            resource = ConfigResource(ConfigResourceType.TOPIC, topic, configs={name: value})
            async with self._client() as client:
                (answer,) = await client.alter_configs([resource])
            ((error_code, *_),) = answer.resources
            assert error_code == 0

        self._loop.run(altered())

    def create_partitions(self, topic: str, total: int) -> None:
        async def created() -> None:
            async with self._client() as client:
                await client.create_partitions({topic: NewPartitions(total)})

        self._loop.run(created())

    def groups(self) -> list[str]:
        async def listed() -> list[str]:
            async with self._client() as client:
                return [group for group, *_ in await client.list_consumer_groups()]

        return self._loop.run(listed())

    def group_state(self, group: str) -> GroupState:
        async def described() -> GroupState:
            async with self._client() as client:
                (answer,) = await client.describe_consumer_groups([group])
            ((error_code, _, state, _, _, members, *_),) = answer.groups
            assert error_code == 0
            return GroupState(state, len(members))

        return self._loop.run(described())

    def delete_group(self, group: str) -> NoReturn:
        deletions = [name for name in dir(AIOKafkaAdminClient) if name.startswith("delete")]
        assert deletions == ["delete_records", "delete_topics"]
        raise ClientError(NOT_OFFERED, f"{deletions} are all that it deletes")

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        async def deleted() -> int:
            place = TopicPartition(topic, partition)
            async with self._client() as client:
                answer = await client.delete_records({place: RecordsToDelete(before_offset)})
            return int(answer[place])

        return self._loop.run(deleted())

    def delete_topic(self, topic: str) -> None:
        async def deleted() -> None:
            async with self._client() as client:
                answer = await client.delete_topics([topic])
            assert answer.topic_error_codes == [(topic, 0)]

        self._loop.run(deleted())

    @asynccontextmanager
    async def _client(self) -> AsyncGenerator[AIOKafkaAdminClient]:
        client = AIOKafkaAdminClient(bootstrap_servers=self._bootstrap_servers)
        await client.start()
        try:
            yield client
        finally:
            await client.close()

import assert from "node:assert/strict";
import { test } from "node:test";
import { KafkaContainer } from "@testcontainers/kafka";
import { Kafka, logLevel } from "kafkajs";

const containers = {
  "with ZooKeeper": () => new KafkaContainer("mockbroker:7.3.0"),
  "with KRaft of an older release": () => new KafkaContainer("mockbroker:7.3.0").withKraft(),
};

for (const [name, container] of Object.entries(containers)) {
  test(name, async () => {
    const started = await container().start();
    const address = { host: started.getHost(), port: started.getMappedPort(9093) };
    const brokers = [`${address.host}:${address.port}`];
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    assert.deepEqual((await admin.describeCluster()).brokers, [{ nodeId: 1, ...address }]);
    await admin.disconnect();
    await started.stop();
  });
}

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KafkaContainer } from "@testcontainers/kafka";
import { Kafka, logLevel } from "kafkajs";

let container;
before(async () => {
  container = await new KafkaContainer("mockbroker:8.0.0")
    .withExposedPorts(8092)
    .withEnvironment({
      MOCKBROKER_ADMIN_TOKEN: "secret",
      MOCKBROKER_KAFKA_VERSION: "3.9",
      MOCKBROKER_TOPICS: "orders:1",
    })
    .start();
});
after(() => container.stop());

async function call(path, options) {
  const address = `http://${container.getHost()}:${container.getMappedPort(8092)}/api/v1/${path}`;
  const response = await fetch(address, options);
  assert.ok(response.ok, await response.clone().text());
  return response.json();
}

function post(path, document) {
  const headers = { "Content-Type": "application/json", Authorization: "Bearer secret" };
  return call(path, { method: "POST", headers, body: JSON.stringify(document) });
}

test("a record whose acknowledgement is lost is stored once", async () => {
  await post("faults", {
    id: "lost",
    match: { api: "Produce" },
    effect: { lose_response: "after_apply" },
  });

  const kafka = new Kafka({
    brokers: [`${container.getHost()}:${container.getMappedPort(9093)}`],
    logLevel: logLevel.NOTHING,
  });
  const producer = kafka.producer({
    transactionalId: "till",
    idempotent: true,
    maxInFlightRequests: 1,
  });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({ topic: "orders", messages: [{ value: "order-1" }] });
  await transaction.commit();
  await producer.disconnect();

  const consumer = kafka.consumer({ groupId: "shop" });
  await consumer.subscribe({ topics: ["orders"], fromBeginning: true });
  const value = await new Promise((resolve) => {
    consumer.run({ eachMessage: async ({ message }) => resolve(message.value.toString()) });
  });
  assert.equal(value, "order-1");
  await consumer.disconnect();

  assert.equal((await call("faults/lost")).hits, 1);
  assert.ok((await post("assertions", { assertions: [{ name: "exactly-once" }] })).ok);
});

import { Kafka, logLevel } from "kafkajs";

/**
 * A kafkajs that tries again soon, and prints nothing.
 *
 * @param {import("mockbroker").Cluster} cluster
 */
export function kafkaOf(cluster) {
  return new Kafka({
    clientId: "shop",
    brokers: cluster.brokerAddresses,
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 10, maxRetryTime: 100, retries: 5 },
  });
}

/**
 * A connected transactional producer of kafkajs, which is disconnected after the test.
 *
 * @param {import("node:test").TestContext} t
 * @param {import("mockbroker").Cluster} cluster
 * @param {string} transactionalId
 */
export async function transactionalProducer(t, cluster, transactionalId) {
  const options = { transactionalId, maxInFlightRequests: 1, idempotent: true };
  const producer = kafkaOf(cluster).producer({ ...options, transactionTimeout: 60_000 });
  await producer.connect();
  t.after(() => producer.disconnect());
  return producer;
}

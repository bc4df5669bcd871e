import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { at, Cluster } from "mockbroker";
import { kafkaOf, transactionalProducer } from "./kafka.js";

/** @type {Cluster} */
let cluster;

before(async () => {
  cluster = await Cluster.start({ topics: { orders: 1 }, brokers: 2 });
});
beforeEach(() => cluster.reset());
after(() => cluster?.stop());

const ORDER = { topic: "orders", messages: [{ value: "order-1" }] };

test("a lost answer to a commit loses and duplicates nothing", async (t) => {
  const producer = await transactionalProducer(t, cluster, "orders-svc");
  const lost = await cluster.fault("EndTxn", { transactional_id: "orders-svc" }).loseResponse();

  const transaction = await producer.transaction();
  await transaction.send(ORDER);
  // kafkajs reports the lost answer, and does not ask again: the transaction is committed.
  await assert.rejects(transaction.commit(), { name: "KafkaJSConnectionClosedError" });

  assert.equal((await lost.wait()).hits, 1);
  await cluster.assert("exactly-once", { topic: "orders", expected: ["order-1"] });
  await cluster.assert("committed", { transactional_id: "orders-svc" });
  await cluster.assert("all-faults-fired");
});

test("a commit waits for a held request until it is released", async (t) => {
  const producer = await transactionalProducer(t, cluster, "orders-svc");
  const held = await cluster.fault("EndTxn").hold();

  const transaction = await producer.transaction();
  await transaction.send(ORDER);
  const commit = transaction.commit();
  await held.waitHeld();
  assert.equal(await cluster.transaction("orders-svc").state(), "Ongoing");

  assert.equal(await held.release(), 1);
  await commit;
  await cluster.transaction("orders-svc").waitFor("CompleteCommit");
});

test("a jump of the clock ends a transaction", async (t) => {
  const producer = await transactionalProducer(t, cluster, "orders-svc");
  const transaction = await producer.transaction();
  await transaction.send(ORDER);

  const { fell_due: due } = await cluster.clock.advance("2m");
  assert.deepEqual(
    due.map(({ kind }) => kind),
    ["transaction_timed_out"],
  );
  await cluster.transaction("orders-svc").waitFor("CompleteAbort");
  await assert.rejects(transaction.commit(), { type: "INVALID_PRODUCER_EPOCH" });
  const committed = await cluster.partition("orders", 0).values({ isolation: "read_committed" });
  assert.deepEqual(committed, []);
});

test("an assertion that fails shows the records, and what to do", async (t) => {
  const producer = kafkaOf(cluster).producer();
  await producer.connect();
  t.after(() => producer.disconnect());
  await cluster.fault("Produce", { topic: "orders" }).loseResponse();
  await producer.send(ORDER);

  await assert.rejects(cluster.assert("exactly-once", { topic: "orders", expected: ["order-1"] }), {
    name: "AssertionError",
    operator: "fail",
    message: /not exactly once[^]*order-1.* at offset 1 was expected fewer times[^]*ONCE TOO MANY/,
  });
});

test("a hold ends at an event", async (t) => {
  const producer = await transactionalProducer(t, cluster, "orders-svc");
  const held = await cluster.fault("EndTxn").hold({ until: at.logEndOffset(2, "orders", 0) });

  const transaction = await producer.transaction();
  await transaction.send(ORDER);
  const commit = transaction.commit();
  await held.waitHeld();
  assert.equal(await cluster.partition("orders", 0).append("from elsewhere"), 1);
  await commit;
  assert.equal((await held.waitReleased()).released, 1);
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { Cluster, MockbrokerError, ProblemError, WaitTimeoutError } from "mockbroker";
import { kafkaOf, transactionalProducer } from "./kafka.js";

/** @type {Cluster} */
let cluster;

before(async () => {
  cluster = await Cluster.start({
    kafka: "3.9",
    brokers: 3,
    topics: ["orders", "payments:2"],
    config: { "default.replication.factor": 3 },
    seed: 7,
    clock: "manual",
    args: ["--ledger-rows", "100"],
    env: { ...process.env, MOCKBROKER_ADMIN_TOKEN: "secret" },
  });
});
beforeEach(() => cluster.reset());
after(() => cluster?.stop());

test("a cluster is started as the options say", async () => {
  const { cluster: settings, topics } = await cluster.request("GET", "/api/v1/state");
  assert.equal(cluster.kafka, "3.9");
  assert.match(cluster.version, /^\d+\.\d+/);
  assert.equal(cluster.brokerAddresses.length, 3);
  assert.equal(settings.bootstrap_servers, cluster.bootstrapServers);
  assert.equal(settings.seed, 7);
  assert.equal(settings.clock.mode, "manual");
  assert.deepEqual(
    topics.map(({ name, partitions }) => [name, partitions.length, partitions[0]?.replicas.length]),
    [
      ["orders", 1, 3],
      ["payments", 2, 3],
    ],
  );
  assert.equal((await cluster.request("GET", "/api/v1/ledger")).rows_max, 100);
});

test("a running cluster is used, and goes on when it is not used any more", async () => {
  const same = await Cluster.connect({ url: `${cluster.adminUrl}/`, token: "secret" });
  assert.equal(same.bootstrapServers, cluster.bootstrapServers);
  await same.createTopic("refunds", { partitions: 4 });
  await same.stop();
  const [refunds] = (await cluster.topics()).filter(({ name }) => name === "refunds");
  assert.equal(refunds?.partitions.length, 4);
});

test("the environment names the running cluster, and its token", async (t) => {
  process.env.MOCKBROKER_ADMIN = cluster.adminUrl;
  process.env.MOCKBROKER_ADMIN_TOKEN = "secret";
  t.after(() => {
    delete process.env.MOCKBROKER_ADMIN;
    delete process.env.MOCKBROKER_ADMIN_TOKEN;
  });
  assert.equal((await Cluster.connect()).adminUrl, cluster.adminUrl);
});

test("without a URL, or where no mockbroker is, the error says so", async (t) => {
  await assert.rejects(Cluster.connect(), /set MOCKBROKER_ADMIN/);
  const server = createServer((_, response) => response.writeHead(404).end("nothing")).listen(0);
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  await assert.rejects(
    Cluster.connect({ url }),
    new MockbrokerError(`no mockbroker at ${url}: GET /version: 404`),
  );
});

test("a refusal shows the detail of the problem document", async () => {
  const wrong = cluster.fault("Produce", { topic: "orders" }).named("lost").answer("NO_SUCH_ERROR");
  await assert.rejects(wrong, (error) => {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.code, "invalid");
    assert.equal(error.status, 422);
    assert.equal(error.problem.path, "$.effect");
    assert.match(
      error.message,
      /NO_SUCH_ERROR[^]*\(POST \/api\/v1\/faults: 422 invalid at \$.effect\)/,
    );
    return true;
  });
  assert.deepEqual(await cluster.faults(), []);
});

test("a fault that does not fire in time shows the closest call", async () => {
  const fault = await cluster.fault("EndTxn").once().loseResponse();
  await assert.rejects(fault.wait({ timeout: "10ms" }), { name: "ProblemError", code: "timeout" });
  await assert.rejects(cluster.assert("all-faults-fired"), { name: "AssertionError" });
  await fault.remove();
  await cluster.assert("all-faults-fired");
});

test("a signal ends a wait", async () => {
  const fault = await cluster.fault("EndTxn").loseResponse();
  const ends = new AbortController();
  const waits = [
    fault.wait({ timeout: "60s", signal: ends.signal }),
    cluster.transaction("orders-svc").waitFor("Ongoing", { timeout: "1m", signal: ends.signal }),
  ];
  ends.abort();
  for (const wait of waits) {
    await assert.rejects(wait, { name: "AbortError" });
  }
  await assert.rejects(fault.wait({ timeout: "soon" }), /soon/);
  await assert.rejects(
    cluster.transaction("orders-svc").waitFor("Ongoing", { timeout: "soon" }),
    /7d/,
  );
  await cluster.removeFaults();
});

test("an error that no Kafka returns there is accepted with a warning", async () => {
  const warned = once(process, "warning");
  await cluster.fault("Produce").answer("MEMBER_ID_REQUIRED");
  const [warning] = await warned;
  assert.equal(warning.name, "MockbrokerWarning");
  await cluster.removeFaults();
});

test("each effect and trigger makes the fault of its name", async () => {
  const calls = () => cluster.fault(["Produce", "Fetch"], { client_id: "shop" });
  const network = () => cluster.fault({ client_id: "shop" });
  await calls().times(2).answer("NOT_LEADER_OR_FOLLOWER", { top_level: false });
  await calls().onCall(3).applyThenAnswer("REQUEST_TIMED_OUT");
  await calls().everyTime().dropRequest({ how: "silence" });
  await calls().withProbability(0.5).delay("20ms");
  await calls().throttle("2s");
  await cluster.fault("Produce").duplicate();
  await cluster.fault("Produce").corrupt();
  await calls().observe();
  await calls().holdResponse({ until: "10ms" });
  await network().latency("20ms", { jitter: "5ms" });
  await network().bandwidth(100, { stream: "upstream" });
  await network().slowClose("10ms");
  await network().timeout();
  await network().resetPeer({ after: "10ms" });
  await network().slicer(100, { toxicity: 0.3 });
  await network().limitData(1000);
  const python = (await cluster.faults()).map((fault) => fault.python);
  assert.equal(python.length, 16);
  assert.match(String(python[0]), /answer\(.*NOT_LEADER_OR_FOLLOWER.*\)\.times\(2\)/);
  assert.match(String(python[1]), /apply_then_answer\(.*\)\.on_call\(3\)/);
});

test("records are appended and read, and a leader is elected", async () => {
  const orders = cluster.partition("orders", 0);
  assert.equal(await orders.append("order-1", { key: "k" }), 0);
  assert.equal(await orders.append(null), 1);
  assert.deepEqual(await orders.values(), ["order-1", null]);
  assert.equal((await orders.records({ from: 1 })).length, 1);
  assert.equal((await orders.batches()).length, 2);
  const { leader, log_end_offset: end } = await orders.view();
  assert.equal(end, 2);
  const next = (leader % 3) + 1;
  assert.equal(await orders.elect({ to: next }), next);
  assert.match(await orders.timeline(), new RegExp(`orders-0 +leader ${next}`));
});

test("a log loses records, and a replica falls behind", async () => {
  const orders = cluster.partition("orders", 0);
  for (const value of ["order-1", "order-2", "order-3", "order-4"]) {
    await orders.append(value, { key: "k" });
  }
  await orders.loseTail();
  assert.deepEqual(await orders.values(), ["order-1", "order-2", "order-3"]);
  assert.equal(await orders.deleteRecords(1), 1);
  assert.equal((await orders.moveLogStart(2)).log_start_offset, 2);
  assert.equal(await orders.forgetProducer(1), false);

  const { leader } = await orders.view();
  const follower = (leader % 3) + 1;
  await orders.lag(follower);
  await orders.append("order-5");
  const [behind] = (await orders.replicas()).filter(({ broker }) => broker === follower);
  assert.equal(behind?.log_end_offset, 3);
  assert.equal((await orders.loseReplica(follower)).in_sync_replicas.length, 2);
  assert.equal((await orders.catchUp()).in_sync_replicas.length, 3);

  assert.match(await cluster.timelines(), /^orders-0 [^]*2 partitions without a record/);
  await cluster.recreateTopic("orders", { partitions: 2 });
  assert.equal((await cluster.partition("orders", 1).view()).log_end_offset, 0);
});

test("a compacted log keeps the last record of a key", async () => {
  await cluster.createTopic("profiles", { config: { "cleanup.policy": "compact" } });
  const profiles = cluster.partition("profiles", 0);
  await profiles.append("old", { key: "k" });
  await profiles.append("new", { key: "k" });
  assert.equal(await profiles.compact(), 1);
  assert.deepEqual(await profiles.values(), ["new"]);
});

test("brokers are killed, isolated and started again", async () => {
  const states = async () => (await cluster.brokers()).map(({ state }) => state);
  const running = await states();
  const broker = cluster.broker(2);
  await broker.kill();
  assert.notDeepEqual(await states(), running);
  await broker.start({ producer_snapshot: "none" });
  await broker.isolate();
  await broker.rejoin();
  await broker.stop();
  await broker.start();
  await cluster.flush();
  await broker.crash();
  await cluster.crash();
  await broker.lag();
  await broker.catchUp();
  assert.deepEqual(await states(), running);
});

test("the clock stands, jumps, and goes on", async () => {
  const { now_ms: now, mode } = await cluster.clock.view();
  assert.equal(mode, "manual");
  assert.equal((await cluster.clock.advance("90s")).now_ms, now + 90_000);
  assert.equal((await cluster.clock.set(new Date(now + 100_000))).now_ms, now + 100_000);
  assert.equal((await cluster.clock.resume()).mode, "offset");
  assert.equal((await cluster.clock.freeze()).mode, "manual");
});

test("the steps after a commit are held, and run one by one", async (t) => {
  const producer = await transactionalProducer(t, cluster, "orders-svc");
  const handle = cluster.transaction("orders-svc");
  await handle.holdEnding();
  const transaction = await producer.transaction();
  await transaction.send({ topic: "orders", messages: [{ value: "order-1" }] });
  const [shown] = await cluster.partition("orders", 0).producers();
  assert.equal(shown?.transaction_first_offset, 0);

  await transaction.commit();
  await handle.waitFor("PrepareCommit");
  assert.match(String(await handle.step()), /orders/);
  await handle.release();
  await handle.waitFor("CompleteCommit");
  assert.equal(await handle.step(), null);
  await cluster.delayMarkers("20ms", { probability: 0.5 });
  await cluster.delayMarkers("0ms");

  const { coordinator } = await handle.view();
  assert.notEqual(await handle.moveCoordinator(), coordinator);
  await assert.rejects(handle.waitFor("Ongoing", { timeout: 0 }), (error) => {
    assert.ok(error instanceof WaitTimeoutError);
    assert.match(error.message, /orders-svc: waited for Ongoing, it is CompleteCommit after 0/);
    return true;
  });
  await handle.expire();
  assert.deepEqual(await cluster.transactions(), []);
});

test("the journal counts requests, and waits for them", async (t) => {
  await cluster.journal.on();
  const admin = kafkaOf(cluster).admin();
  const waited = cluster.journal.waitFor({ api: "Metadata", client_id: "shop" });
  await admin.connect();
  t.after(() => admin.disconnect());
  await admin.fetchTopicMetadata({ topics: ["orders"] });
  assert.ok((await waited) >= 1);
  const [entry] = await cluster.journal.entries({ kind: "request", api: "Metadata" });
  assert.equal(entry?.client_id, "shop");
  await cluster.journal.off();
  await cluster.journal.clear();
  assert.equal(await cluster.journal.count(), 0);
});

test("a group is shown with its offsets, and its coordinator moves", async (t) => {
  const producer = await transactionalProducer(t, cluster, "orders-svc");
  const transaction = await producer.transaction();
  const topics = [{ topic: "orders", partitions: [{ partition: 0, offset: "0" }] }];
  await transaction.sendOffsets({ consumerGroupId: "billing", topics });
  await transaction.commit();

  const { offsets, coordinator } = await cluster.group("billing").view();
  assert.deepEqual(offsets, [{ topic: "orders", partition: 0, offset: 0 }]);
  const group = cluster.group("billing");
  assert.notEqual(await group.moveCoordinator(), coordinator);
  await group.holdReconciliation();
  assert.equal((await group.view()).is_held, true);
  await group.release();
  assert.equal((await group.view()).is_held, false);
  assert.deepEqual(
    (await cluster.groups()).map(({ group_id: id }) => id),
    ["billing"],
  );
});

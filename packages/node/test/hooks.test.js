import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterForTests, MockbrokerError } from "mockbroker";

/** The hooks of a test framework that calls them `beforeAll` and `afterAll`. */
function framework() {
  /** @type {Record<string, () => Promise<void>>} */
  const registered = {};
  const register = (/** @type {string} */ name) => (/** @type {() => Promise<void>} */ hook) => {
    registered[name] = hook;
  };
  const hooks = {
    beforeAll: register("beforeAll"),
    beforeEach: register("beforeEach"),
    afterEach: register("afterEach"),
    afterAll: register("afterAll"),
  };
  return { hooks, run: (/** @type {string} */ name) => registered[name]?.() };
}

test("the tests of a file share a cluster that is as new for each", async () => {
  const { hooks, run } = framework();
  const cluster = clusterForTests(hooks, { topics: ["orders"] });
  assert.throws(() => cluster.bootstrapServers, MockbrokerError);
  await run("beforeAll");
  const { adminUrl } = cluster;

  await run("beforeEach");
  assert.equal(await cluster.partition("orders", 0).append("order-1"), 0);
  await run("afterEach");

  await run("beforeEach");
  assert.deepEqual(await cluster.partition("orders", 0).values(), []);
  const fault = await cluster.fault("Produce").loseResponse();
  await assert.rejects(run("afterEach") ?? Promise.resolve(), {
    name: "AssertionError",
    message: /never fired[^]*api=Produce.* fired 0 times/,
  });
  await fault.remove();
  await run("afterEach");

  assert.equal(cluster.adminUrl, adminUrl);
  await run("afterAll");
  await assert.rejects(cluster.brokers(), /does not answer/);
});

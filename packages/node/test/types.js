// What the types refuse: `tsc -p test` reads this, and nothing runs it.

/** @param {import("mockbroker").Cluster} cluster */
export async function refused(cluster) {
  // @ts-expect-error: no call has such a selector
  await cluster.fault("Produce", { topc: "orders" }).loseResponse();
  // @ts-expect-error: a loss has no such way
  await cluster.fault("Produce").loseResponse({ how: "loudly" });
  // @ts-expect-error: it is none of the effects
  await cluster.addFault({ effect: { explode: true } });
  // @ts-expect-error: there is no such assertion
  await cluster.assert("exactly-twice");
  // @ts-expect-error: the assertion needs a transactional id
  await cluster.assert("committed");
  // @ts-expect-error: there is no such path
  await cluster.request("GET", "/api/v1/nothing");
  // @ts-expect-error: the path has no such method
  await cluster.request("DELETE", "/api/v1/brokers");
  // @ts-expect-error: the path needs its names
  await cluster.request("GET", "/api/v1/topics/{topic}");
  // @ts-expect-error: a partition has no such field
  (await cluster.partition("orders", 0).view()).logEndOffset;
}

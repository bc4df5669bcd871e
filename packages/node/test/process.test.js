import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Cluster, MockbrokerError } from "mockbroker";

const STARTS = `
  import { Cluster } from "mockbroker";
  const cluster = await Cluster.start();
  console.log(cluster.adminUrl);
`;
const FOR_EVER = "setInterval(() => {}, 1000);";

/**
 * Run a program that starts a cluster, and return it with the cluster's URL.
 *
 * @param {string} text
 */
async function program(text) {
  const words = ["--input-type=module", "--eval", text];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(child.stdout.setEncoding("utf8"), "data");
  return { child, url: url.trim() };
}

/**
 * Wait until nothing listens at an URL.
 *
 * @param {string} url
 */
async function gone(url) {
  for (;;) {
    try {
      await fetch(url);
    } catch {
      return;
    }
    await sleep(20);
  }
}

test("the cluster ends with a test process that is killed", { timeout: 60_000 }, async () => {
  const { child, url } = await program(STARTS + FOR_EVER);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  child.kill("SIGKILL");
  await gone(url);
});

test("a process that leaves its cluster running ends", { timeout: 60_000 }, async () => {
  const { child, url } = await program(STARTS);
  const [code] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  assert.equal(code, 0);
  await gone(url);
});

test("a command that does not exist is named, with what to do", async () => {
  await assert.rejects(Cluster.start({ command: ["no-such-command"], brokers: 2 }), (error) => {
    assert.ok(error instanceof MockbrokerError);
    assert.match(error.message, /^mockbroker did not start: no-such-command serve .*--brokers 2\n/);
    assert.match(error.message, /ENOENT[^]*pip install[^]*MOCKBROKER_COMMAND/);
    return true;
  });
});

test("what mockbroker prints when it cannot start is in the error", async () => {
  await assert.rejects(
    Cluster.start({ config: { "num.partitions": "many" } }),
    /it ended with [12]:\n.*num.partitions=many: Invalid value many[^\n]*$/,
  );
  await assert.rejects(
    Cluster.start({ features: { "transaction.version": 99 }, proposals: ["no-such-proposal"] }),
    /--feature transaction.version=99 --proposal no-such-proposal/,
  );
});

test("a stopped cluster does not answer, and its last output is in the error", async () => {
  const cluster = await Cluster.start();
  await cluster.stop();
  await assert.rejects(cluster.brokers(), /does not answer at http.*\nit ended with 0/);
  await cluster[Symbol.asyncDispose](); // once more changes nothing
});

// Does what the lines on stdin say, as a transactional producer or as a reader of one partition;
// support/client_program.py has the words.
"use strict";

const readline = require("node:readline");
const { Kafka, logLevel } = require("kafkajs");
const Cluster = require("kafkajs/src/cluster");
const Batch = require("kafkajs/src/consumer/batch");
const IsolationLevel = require("kafkajs/src/protocol/isolationLevel");
const defaultSocketFactory = require("kafkajs/src/network/socketFactory");
const { createLogger } = require("kafkajs/src/loggers");
const consoleLog = require("kafkajs/src/loggers/console");

const TIMEOUT_MS = 20_000;

const producers = new Map();
const transactions = new Map();
const unused = new Map();

const transactors = new Map();

// A transactor is a producer whose every call returns what it raised: its names, outermost first.
const transactorCommands = {
  async transactor(name, ...words) {
    const settings = Object.fromEntries(words.map((word) => word.split(/=(.*)/s, 2)));
    const timeoutMs = Number(settings["max.block.ms"]);
    const kafka = new Kafka({
      clientId: settings["client.id"],
      brokers: settings["bootstrap.servers"].split(","),
      logLevel: logLevel.NOTHING,
      connectionTimeout: timeoutMs,
      requestTimeout: Number(settings["request.timeout.ms"]),
      retry: { initialRetryTime: 20, maxRetryTime: 500 },
    });
    const transactionalId = settings["transactional.id"];
    const producer = kafka.producer({ transactionalId, maxInFlightRequests: 1, idempotent: true });
    transactors.set(name, { producer, sender: producer, timeoutMs, transactionalId });
  },
  async attempt(name, call, ...words) {
    const transactor = transactors.get(name);
    const late = new Promise((resolve) =>
      setTimeout(() => resolve(["no end"]), transactor.timeoutMs * 1.5).unref(),
    );
    const raised = steps[call](transactor, ...words).then(
      () => [],
      (error) => [errorName(error)],
    );
    return Promise.race([raised, late]);
  },
  async reports() {
    return []; // every call is awaited
  },
  async dismiss(name) {
    transactors
      .get(name)
      .producer.disconnect()
      .catch(() => {});
    transactors.delete(name);
  },
};

const steps = {
  async init_transactions(transactor) {
    await transactor.producer.connect();
    if (transactor.transactionalId) {
      transactor.unused = await transactor.producer.transaction(); // which asks for the producer id
    }
  },
  async begin_transaction(transactor) {
    transactor.sender = transactor.unused ?? (await transactor.producer.transaction());
    transactor.unused = undefined;
  },
  async send(transactor, topic, partition, value) {
    const messages = [{ partition: Number(partition), value }];
    await transactor.sender.send({ topic, messages });
  },
  async flush() {},
  async send_offsets_to_transaction(transactor, consumerGroupId, topic, partition, offset) {
    const topics = [{ topic, partitions: [{ partition: Number(partition), offset }] }];
    await transactor.sender.sendOffsets({ consumerGroupId, topics });
  },
  async commit_transaction(transactor) {
    await transactor.sender.commit();
  },
  async abort_transaction(transactor) {
    await transactor.sender.abort();
  },
};

function errorName(error) {
  return error.type ?? error.cause?.type ?? error.name;
}

const commands = {
  ...transactorCommands,
  async open(name, bootstrapServers, transactionalId, timeoutMs) {
    const kafka = new Kafka({ brokers: bootstrapServers.split(","), logLevel: logLevel.NOTHING });
    const producer = kafka.producer({
      transactionalId,
      transactionTimeout: Number(timeoutMs),
      maxInFlightRequests: 1,
      idempotent: true,
    });
    producers.set(name, producer);
    await producer.connect();
    unused.set(name, await producer.transaction()); // which asks for the producer id
  },
  async begin(name) {
    transactions.set(name, unused.get(name) ?? (await producers.get(name).transaction()));
    unused.delete(name);
  },
  async send(name, topic, partition, value) {
    const messages = [{ partition: Number(partition), value }];
    await transactions.get(name).send({ topic, messages });
  },
  // Commits transactions of one record each, back to back.
  async repeat(name, topic, count) {
    for (let left = Number(count); left > 0; left -= 1) {
      await commands.begin(name);
      await commands.send(name, topic, 0, `record-${left}`);
      await commands.commit(name);
    }
  },
  async offsets(name, consumerGroupId, topic, partition, offset) {
    const topics = [{ topic, partitions: [{ partition: Number(partition), offset }] }];
    await transactions.get(name).sendOffsets({ consumerGroupId, topics });
  },
  async commit(name) {
    await transactions.get(name).commit();
  },
  async abort(name) {
    await transactions.get(name).abort();
  },
  async close(name) {
    await producers.get(name).disconnect();
    producers.delete(name);
  },
  // kafkajs reads only as a member of a group: here its own Cluster, Broker and Batch do without.
  async read(bootstrapServers, topic, partition, isolation, last) {
    const cluster = new Cluster({
      brokers: bootstrapServers.split(","),
      logger: createLogger({ level: logLevel.NOTHING, logCreator: consoleLog }),
      socketFactory: defaultSocketFactory(),
      connectionTimeout: TIMEOUT_MS,
      requestTimeout: TIMEOUT_MS,
      offsets: new Map(),
    });
    await cluster.connect();
    try {
      await cluster.addTargetTopic(topic);
      return await readUntil(cluster, topic, Number(partition), isolation, last);
    } finally {
      await cluster.disconnect();
    }
  },
};

async function readUntil(cluster, topic, partition, isolation, last) {
  const isolationLevel =
    isolation === "read_committed" ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
  const [nodeId] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  const broker = await cluster.findBroker({ nodeId });
  const deadline = Date.now() + TIMEOUT_MS;
  const values = [];
  let fetchOffset = "0";
  while (values.at(-1) !== last) {
    if (Date.now() > deadline) {
      throw new Error(`read only ${values}`);
    }
    const partitions = [{ partition, fetchOffset, maxBytes: 1_048_576 }];
    const { responses } = await broker.fetch({
      isolationLevel,
      maxWaitTime: 500,
      topics: [{ topic, partitions }],
    });
    const batch = new Batch(topic, fetchOffset, responses[0].partitions[0]);
    values.push(...batch.messages.map(({ value }) => value.toString()));
    if (!batch.isEmptyIncludingFiltered()) {
      fetchOffset = (BigInt(batch.lastOffset()) + 1n).toString();
    }
  }
  return values;
}

async function answer(line) {
  const [command, ...words] = line.split("\t");
  try {
    return ["ok", ...((await commands[command](...words)) ?? [])];
  } catch (error) {
    return ["error", errorName(error), String(error).replaceAll(/\s+/g, " ")];
  }
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(`${(await answer(line)).join("\t")}\n`);
  }
}

main();

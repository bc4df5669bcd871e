// Commands of topics and their partitions.

import { path } from "../api.js";
import { brokerChoices, call, command, menu, numberIn, post, python } from "./command.js";

/** The creation of a topic. */
export const createTopic = (act) =>
  command("Create a topic", {
    title: "Create a topic", act, submit: "Create",
    fields: [
      { name: "name", label: "Name", required: true },
      { name: "partitions", label: "Partitions", type: "number", value: "1" },
      { name: "replication", label: "Replication factor", type: "number", placeholder: "default.replication.factor" },
      { name: "config", label: "Configs", lines: 3, placeholder: "one a line, such as\ncleanup.policy=compact" },
    ],
    build: ({ name, partitions, replication, config }) => {
      const configs = Object.fromEntries(pairs(config, "="));
      const options = { ...(replication && { replication_factor: Number(replication) }), ...(Object.keys(configs).length && { config: configs }) };
      const count = numberIn(partitions) ?? 1;
      return post(["topics"], { name, partitions: count, ...options }, call("cluster.create_topic", [name, count], options));
    },
    done: "The topic was created.",
  });

const pairs = (text, sign) =>
  (text ?? "").split("\n").filter((line) => line.trim()).map((line) => {
    const [name, ...value] = line.split(sign);
    return [name.trim(), value.join(sign).trim()];
  });

/** Commands of a topic. */
export const topicCommands = (name, act) => [append(name, act), menu(name, [recreate(name, act)])];

const recreate = (name, act) =>
  command("Recreate", {
    title: `Recreate ${name}`, act, danger: true, about: "Deletes the topic, and creates it again: the same name, another id, and empty logs.",
    fields: [{ name: "partitions", label: "Partitions", type: "number", placeholder: "as before" }, { name: "start", label: "Start offset", type: "number", placeholder: "0" }],
    build: ({ partitions, start }) => {
      const given = { ...(partitions && { partitions: Number(partitions) }), ...(start && { start_offset: Number(start) }) };
      return post(["topics", name, "recreate"], given, call("cluster.recreate_topic", [name], given));
    },
  });

/** The append of a record; without a partition the key chooses it. */
export const append = (name, act, partition) =>
  command("Append a record", {
    title: `Append a record to ${partition === undefined ? name : `${name}-${partition}`}`, act, submit: "Append",
    about: "Without a client, as a producer with acks=1 and without an id does.",
    fields: [
      partition === undefined && { name: "partition", label: "Partition", type: "number", placeholder: "chosen by the key" },
      { name: "key", label: "Key", placeholder: "none" },
      { name: "kind", label: "Value is", choices: [["text", "text"], ["null", "null: a tombstone"]] },
      { name: "value", label: "Value", when: { kind: ["text"] } },
      { name: "headers", label: "Headers", lines: 2, placeholder: "one a line, such as trace: 7" },
    ],
    build: (values) => {
      const index = partition ?? numberIn(values.partition);
      const value = values.kind === "null" ? null : values.value;
      const headers = pairs(values.headers, ":");
      const options = { ...(values.key && { key: values.key }), ...(headers.length && { headers }), ...(index !== undefined && { partition: index }) };
      const code = headers.map((pair) => `(${pair.map(python).join(", ")})`).join(", ");
      const named = Object.entries(options).map(([each, given]) => `, ${each}=${each === "headers" ? `[${code}]` : python(given)}`);
      return post(["topics", name, "records"], { value, ...options, ...(headers.length && { headers: headers.map(([key, text]) => ({ key, value: text })) }) }, `cluster.append(${python(name)}, ${python(value)}${named.join("")})`);
    },
    done: ({ partition: index, offset }) => `The record is at offset ${offset} of ${name}-${index}.`,
  });

/** Commands of a partition. */
export function partitionCommands(topic, { partition, replicas, in_sync_replicas: inSync, leader, log_end_offset: end, high_watermark: readable }, act) {
  const title = `${topic}-${partition}`;
  const of = call("cluster.partition", [topic, partition]);
  const parts = ["topics", topic, "partitions", String(partition)];
  const one = (name, text, options, body, given) =>
    command(text, { title: `${text}: ${title}`, act, ...options, build: (values) => post([...parts, name], body(values), call(`${of}.${name.replaceAll("-", "_")}`, given(values))) });
  return [
    command("Elect a leader", elections(topic, partition, { replicas, inSync, leader, end, act })),
    menu(title,
      [append(topic, act, partition)],
      [
        one("move-log-start", "Move the log start", { about: "As retention does, whatever the topic's policy is.", fields: [offset("to", "To offset", readable)] }, ({ to }) => ({ to: Number(to) }), ({ to }) => [Number(to)]),
        one("compact", "Compact", { about: "As one run of Kafka's log cleaner does." }, () => undefined, () => []),
        one("catch-up", "Catch up all", { about: "All replicas whose brokers run are in sync again." }, () => ({}), () => []),
        one("forget-producer", "Forget a producer", { about: "As producer.id.expiration.ms does; its open transaction is forgotten as well.", fields: [{ name: "producer", label: "Producer id", type: "number", required: true }] }, ({ producer }) => ({ producer_id: Number(producer) }), ({ producer }) => [Number(producer)]),
      ],
      [
        command("Delete records", {
          title: `Delete records of ${title}`, act, danger: true, about: "As DeleteRecords does: those before an offset, or all.",
          fields: [{ name: "before", label: "Before offset", type: "number", placeholder: "all" }],
          build: ({ before }) => ({ method: "DELETE", where: path([...parts, "records"], { before }), python: call(`${of}.delete_records`, before ? [Number(before)] : []) }),
        }),
        one("lose-tail", "Lose the tail", { danger: true, about: "The last records of all replicas, as when all brokers crash before a flush. Whole batches are lost.", fields: [{ name: "records", label: "Records", type: "number", value: "1", required: true }] }, ({ records }) => ({ records: Number(records) }), ({ records }) => [Number(records)]),
      ]),
  ];
}

const offset = (name, label, value) => ({ name, label, type: "number", value: String(value), required: true });

const STATES = [["full", "all that it has"], ["from_snapshot", "the last batch of each, as after a restart"], ["from_log", "those in the log, as after a reassignment"], ["none", "none"]];

/** The form of an election: also of replicas that are not in sync, and with records that are lost. */
function elections(topic, partition, { replicas, inSync, leader, end, act }) {
  const note = (id) => (id === leader ? ", leads now" : inSync.includes(id) ? "" : ", not in sync");
  return {
    title: `Elect a leader of ${topic}-${partition}`, act, submit: "Elect",
    about: "A replica that is not in sync loses what it does not have, as an unclean election does.",
    fields: [
      { name: "to", label: "New leader", choices: brokerChoices(replicas, "the next replica in turn", note) },
      { name: "state", label: "It knows producers", choices: STATES },
      { name: "log", label: "Its log", choices: [["keep", "as it replicated"], ["truncate", "loses its last records"]] },
      { name: "end", label: "Its log ends at", type: "number", placeholder: `the high watermark; now ${end}`, when: { log: ["truncate"] } },
      { name: "readable", label: "Its high watermark", type: "number", placeholder: "as it knows it" },
    ],
    build: ({ to, state, log, end: last, readable }) => {
      const given = { ...(state !== "full" && { producer_state: state }), ...(log === "truncate" && { log }), ...(last && { log_end_offset: Number(last) }), ...(readable && { high_watermark: Number(readable) }) };
      const body = { topic, partition, ...(to && { to: Number(to) }), ...given };
      return post(["elect"], body, call(`${call("cluster.partition", [topic, partition])}.elect`, to ? [Number(to)] : [], given));
    },
  };
}

/** Commands of one replica. */
export function replicaCommands(topic, partition, replica, leader, act) {
  const { broker } = replica;
  const title = `the replica of broker ${broker}`;
  const parts = ["topics", topic, "partitions", String(partition)];
  const of = call("cluster.partition", [topic, partition]);
  const ofReplica = `${of}.replica(${broker})`;
  const follower = (name, text, about, danger = false) =>
    command(text, { title: `${text}: broker ${broker}`, about, act, danger, build: () => post([...parts, name], { broker }, call(`${of}.${name.replaceAll("-", "_")}`, [broker])) });
  const own = (name, text, about, fields, body, given) =>
    command(text, { title: `${text}: broker ${broker}`, about, act, fields, build: (values) => post([...parts, "replicas", String(broker), name], body?.(values), call(`${ofReplica}.${name.replaceAll("-", "_")}`, given?.(values))) });
  const leads = broker === leader;
  return [
    !leads && replica.fetches && replica.is_in_sync && follower("lag", "Lag", "It fetches nothing more, and stays in sync for the time being."),
    !leads && !(replica.fetches && replica.is_in_sync) && follower("catch-up", "Catch up", "It fetches again, and is in sync."),
    menu(title,
      [
        !leads && replica.is_in_sync && follower("lose-replica", "Lose from the in-sync replicas", "As replica.lag.time.max.ms does later.", true),
        !leads && (replica.holds_offsets
          ? own("release-offsets", "Release its offsets", "The leader's log start offset and high watermark arrive again.")
          : own("hold-offsets", "Hold its offsets", "It keeps its log start offset and high watermark, while it goes on to copy records.")),
      ],
      [
        own("move-log-start", "Move its log start", "Of this replica alone; also back, to records whose segment still exists.", [offset("to", "To offset", replica.log_start_offset)], ({ to }) => ({ to: Number(to) }), ({ to }) => [Number(to)]),
        own("reload-producers", "Reload its producers", "As its broker does when it restarts.", [{ name: "snapshot", label: "Snapshot", choices: [["full", "full: of a controlled stop"], ["stale", "stale: of the active segment's beginning"], ["none", "none: it is lost"]] }], ({ snapshot }) => ({ snapshot }), ({ snapshot }) => [snapshot]),
        own("forget-producer", "Forget a producer", "In this replica alone.", [producerField(replica.producers)], ({ producer }) => ({ producer_id: Number(producer) }), ({ producer }) => [Number(producer)]),
      ]),
  ];
}

const producerField = (producers) =>
  producers.length
    ? { name: "producer", label: "Producer", choices: producers.map((each) => [String(each.producer_id), `${each.producer_id}, epoch ${each.producer_epoch}`]) }
    : { name: "producer", label: "Producer id", type: "number", required: true };

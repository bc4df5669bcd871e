// Commands of brokers, and of the cluster as a whole.

import { call, command, menu, numberIn, post } from "./command.js";

/** Commands of the cluster. */
export const clusterCommands = (act) => [
  command("Flush", { title: "Flush all logs", act, about: "A crash loses nothing that was written before.", build: () => post(["flush"], undefined, "cluster.flush()") }),
  menu("the cluster",
    [command("Set the seed", { title: "Set the seed", act, about: "Of all later random choices.", fields: [{ name: "seed", label: "Seed", type: "number", value: "1", required: true }], build: ({ seed }) => post(["seed"], { seed: Number(seed) }, call("cluster.seed", [Number(seed)])) })],
    [
      command("Crash all brokers", { title: "Crash all brokers", act, danger: true, about: "As a power failure: records that were not flushed are lost, even if they were acknowledged. The brokers restart at once.", build: () => post(["crash"], {}, "cluster.crash()") }),
      command("Reset", { title: "Reset the cluster", act, danger: true, about: "To its initial state, on the same ports and with the same topics. All records, groups and transactions are gone.", build: () => post(["reset"], undefined, "cluster.reset()") }),
    ]),
];

/** Commands of a broker, by its state. */
export function brokerCommands({ id, state }, act) {
  const one = (name, text, about, { danger = false, method = name.replace("-", "_") } = {}) =>
    command(text, { title: `${text} broker ${id}`, about, act, danger, build: () => post(["brokers", String(id), name], undefined, `cluster.${method}(${id})`) });
  const lag = one("lag", "Lag", "Its replicas fetch nothing more, and stay in sync for the time being.");
  const catchUp = one("catch-up", "Catch up", "Its replicas fetch again, and are in sync.");
  if (state === "running")
    return [
      one("kill", "Kill", "As kill -9 does: connections break, and its port refuses new ones.", { danger: true }),
      one("stop", "Stop", "In a controlled way, after it wrote its checkpoints and snapshots.", { method: "stop_broker" }),
      menu(`broker ${id}`, [one("isolate", "Isolate", "From all other brokers; clients still reach it, and it uses its last metadata.")], [lag, catchUp], [crash(id, act)]),
    ];
  if (state === "isolated") return [one("rejoin", "Rejoin"), menu(`broker ${id}`, [one("kill", "Kill", "As kill -9 does.", { danger: true })])];
  return [start(id, act)];
}

const crash = (id, act) =>
  command("Crash", { title: `Crash broker ${id}`, act, danger: true, about: "As a power failure of one machine: its records that were not flushed are lost. It restarts at once.", build: () => post(["crash"], { broker: id }, call("cluster.crash", [id])) });

const start = (id, act) =>
  command("Start", {
    title: `Start broker ${id}`, act, about: "At the same port, with the logs that it had.",
    fields: [{ name: "snapshot", label: "Producer snapshot", choices: [["", "as it was stopped or killed"], ["full", "full: of a controlled stop"], ["stale", "stale: of the active segment's beginning"], ["none", "none: it is lost"]] }],
    build: ({ snapshot }) => post(["brokers", String(id), "start"], snapshot ? { producer_snapshot: snapshot } : undefined, call("cluster.start", [id], { producer_snapshot: snapshot })),
  });

/** The delay of the markers of all transactions. */
export const delayMarkers = (act) =>
  command("Delay markers", {
    title: "Delay the markers of transactions", act,
    about: "EndTxn is answered at once; until the markers are written, the next request for the id gets CONCURRENT_TRANSACTIONS. 0ms ends the delay.",
    fields: [{ name: "by", label: "By", value: "20ms", required: true }, { name: "probability", label: "Probability", type: "number", placeholder: "1: every transaction" }],
    build: ({ by, probability }) => {
      const some = probability ? { probability: numberIn(probability) } : {};
      return { method: "PUT", where: "/marker-delay", body: { by, ...some }, python: call("cluster.delay_markers", [by], some) };
    },
  });

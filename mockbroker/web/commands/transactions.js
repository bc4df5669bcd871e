// Commands of a transactional id.

import { brokerChoices, call, command, menu, numberIn, post } from "./command.js";

/** Commands of a transactional id. */
export function transactionCommands(id, { act, brokers }) {
  const of = call("cluster.transaction", [id]);
  const one = (name, text, title, about, danger = false) =>
    command(text, { title, about, act, danger, build: () => post(["transactions", id, name], undefined, `${of}.${name}()`) });
  return [
    command("Hold the end", {
      title: "Hold the end of the transaction", act, about: "The next commit or abort stays in PrepareCommit or PrepareAbort, until its steps are run.",
      fields: [
        { name: "steps", label: "Hold", choices: [["all", "all steps"], ["marker", "only the marker of one partition"]] },
        { name: "topic", label: "Topic", required: true, when: { steps: ["marker"] } },
        { name: "partition", label: "Partition", type: "number", value: "0", when: { steps: ["marker"] } },
      ],
      build: ({ topic, partition }) => {
        const place = topic === undefined ? [] : [topic, numberIn(partition)];
        return post(["transactions", id, "hold-ending"], place.length ? { topic, partition: place[1] } : undefined, call(`${of}.hold_ending`, place));
      },
    }),
    one("step", "Step", "Run the next held step", "Writes one marker, or the completion record."),
    one("release", "Release", "Run all held steps", "And holds no more."),
    one("abort", "Abort", "Abort the transaction", "As its coordinator does when the transaction times out: its producer is fenced.", true),
    menu(`transactional id ${id}`,
      [command("Move the coordinator", {
        title: "Move the coordinator", act, fields: [{ name: "to", label: "To", choices: brokerChoices(brokers, "the next replica") }],
        build: ({ to }) => post(["coordinators", "move"], { transactional_id: id, ...(to && { to: Number(to) }) }, call("cluster.move_coordinator", [id], { to: numberIn(to) })),
      })],
      [command("Expire", { title: "Expire the transactional id", act, danger: true, about: "As transactional.id.expiration.ms does later.", build: () => post(["transactions", id, "expire"], undefined, call("cluster.expire_transactional_id", [id])) })]),
  ];
}

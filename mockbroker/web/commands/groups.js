// Commands of a group, and of a share group's partitions.

import { brokerChoices, call, command, menu, numberIn, post } from "./command.js";

/** Commands of a group. */
export function groupCommands(id, { act, brokers, members, isHeld }) {
  const of = call("cluster.group", [id]);
  const member = { name: "member", label: "Member", choices: members.map((each) => [each, each]) };
  const plain = (name, text, title, about) =>
    command(text, { title, about, act, build: () => post(["groups", id, name], undefined, `${of}.${name.replaceAll("-", "_")}()`) });
  return [
    !isHeld && plain("hold-reconciliation", "Hold assignments", "Hold the members' assignments", "New assignments are computed, and no member learns of them."),
    isHeld && members.length > 0 && command("Step", { title: "Let one member go on", fields: [member], act, build: (values) => post(["groups", id, "step"], { member_id: values.member }, call(`${of}.step`, [values.member])) }),
    isHeld && plain("release", "Release", "Release the members", "They get their assignments in their next heartbeats."),
    members.length > 0 && command("Fence", { title: "Fence a member", danger: true, about: "As its coordinator does when the member's session ends.", fields: [member], act, build: (values) => post(["groups", id, "fence"], { member_id: values.member }, call(`${of}.fence`, [values.member])) }),
    menu(`group ${id}`, [command("Move the coordinator", {
      title: "Move the coordinator", act, fields: [{ name: "to", label: "To", choices: brokerChoices(brokers, "the next replica") }],
      build: ({ to }) => post(["coordinators", "move"], { group: id, ...(to && { to: Number(to) }) }, call("cluster.move_coordinator", [], { group: id, to: numberIn(to) })),
    })]),
  ];
}

/** Commands of all share partitions of a group. */
export function shareCommands(id, { act, members, isHeld, waiting }) {
  const of = call("cluster.group", [id]);
  const plain = (name, text, title, about) =>
    command(text, { title, about, act, build: () => post(["groups", id, name], undefined, `${of}.${name.replaceAll("-", "_")}()`) });
  return [
    command("Expire locks", {
      title: "Expire acquisition locks", act, about: "As at their time: the records are available to all members again.",
      fields: [
        { name: "topic", label: "Topic", placeholder: "all" },
        { name: "partition", label: "Partition", type: "number", placeholder: "all" },
        { name: "member", label: "Member", choices: [["", "all"], ...members.map((each) => [each, each])] },
      ],
      build: ({ topic, partition, member }) => {
        const place = { ...(topic && { topic }), ...(partition && { partition: Number(partition) }) };
        const body = { ...place, ...(member && { member_id: member }) };
        return post(["groups", id, "expire-locks"], body, call(`${of}.expire_locks`, [], body));
      },
      done: ({ records }) => `The locks of ${records} records have expired.`,
    }),
    !isHeld && plain("hold-dead-letters", "Hold dead letters", "Hold the dead letters", "Records that are rejected, or were delivered too often, stay ARCHIVING."),
    isHeld && waiting > 0 && plain("step-dead-letters", "Step a dead letter", "Write the next dead letter", "The one that has waited longest."),
    isHeld && plain("release-dead-letters", "Release dead letters", "Write all dead letters", "And hold no more."),
  ];
}

/** The move of the coordinator that stores the state of a share partition. */
export const moveShareCoordinator = (id, { topic, partition }, { act, brokers }) =>
  command("Move its coordinator", {
    title: `Move the share coordinator of ${topic}-${partition}`, act, fields: [{ name: "to", label: "To", choices: brokerChoices(brokers, "the next replica") }],
    build: ({ to }) => post(["groups", id, "move-share-coordinator"], { topic, partition, ...(to && { to: Number(to) }) }, call(`${call("cluster.group", [id])}.move_share_coordinator`, [topic, partition, ...(to ? [Number(to)] : [])])),
  });

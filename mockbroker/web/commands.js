// Commands: each shows the Python and the curl that do the same, before it runs.

import { ask, get, path } from "./api.js";
import { h, update } from "./dom.js";

/** A value in Python's notation. */
export function python(value) {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request as a command line of curl. */
export function curl({ method, where, body }, needsToken) {
  const parts = ["curl", "-X", method];
  if (needsToken) parts.push("-H", '"Authorization: Bearer $MOCKBROKER_ADMIN_TOKEN"');
  if (body !== undefined) parts.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  return [...parts, quoted(new URL(`api/v1${where}`, document.baseURI.replace(/#.*/, "")).href)].join(" ");
}

const session = { needs_token: false, may_command: true };

/** Ask whether commands need a token. */
export async function readSession() {
  Object.assign(session, await get("/session"));
}

/** Ask for the token, where commands need one; return whether commands are accepted now. */
async function loggedIn() {
  if (session.may_command) return true;
  return new Promise((resolve) => {
    const dialog = open("Log in", [
      h("p", {}, "Commands need the token of MOCKBROKER_ADMIN_TOKEN or, if that is not set, the one in the log of the start."),
      h("label", {}, "Token", h("input", { name: "token", type: "password", required: true, autocomplete: "current-password" })),
    ], "Log in", async (values) => {
      await ask("POST", "/session", { token: values.token });
      await readSession();
    });
    dialog.addEventListener("close", () => resolve(session.may_command));
  });
}

/** Open a dialog with a form; `run` gets its values, and an error of it stays in the dialog. */
function open(title, content, submit, run, onInput) {
  const form = h("form", { class: "form", method: "dialog" }, h("h2", { id: "dialog-title" }, title), content,
    h("p", { class: "refusal", role: "alert" }),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "cancel" }, "Cancel"), h("button", { class: "primary" }, submit)));
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, form);
  const values = () => Object.fromEntries(new FormData(form));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await run(values());
      dialog.close();
    } catch (problem) {
      form.querySelector(".refusal").textContent = problem.message;
    }
  });
  const onChange = () => {
    const given = values();
    for (const label of form.querySelectorAll("[data-when]")) label.hidden = !label.dataset.among.split(" ").includes(given[label.dataset.when]);
    onInput?.(given);
  };
  form.addEventListener("input", onChange);
  form.querySelector(".cancel").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.getElementById("dialogs").append(dialog);
  dialog.showModal();
  onChange();
  return dialog;
}

const copied = (text) =>
  h("div", { class: "copied" }, h("pre", { tabindex: "0" }, h("code", {}, text)),
    h("button", { type: "button", class: "small", on: { click: () => navigator.clipboard?.writeText(text) } }, "Copy"));

/** A button that shows what was done to the cluster, as a scenario's file. */
export function scenario() {
  const click = async () => {
    const { scenario: document, left_out } = await get("/scenario");
    const left = left_out.length > 0 && h("p", {}, `Left out, since a file has no form for it: ${left_out.join("; ")}.`);
    const shown = copied(JSON.stringify(document, null, 2));
    shown.addEventListener("click", (event) => event.target.handlers?.click?.());
    open("What was done, as a scenario", [h("p", {}, "Save it as a file that ends in .json, for mockbroker run --scenario or a test."), left, shown], "Close", async () => {});
  };
  return h("button", { type: "button", class: "small", on: { click } }, "Copy as a scenario");
}

/** A button that opens a command. `build` makes {method, where, body, python} of the form's values. */
export function command(text, { title = text, about, fields = [], submit = text, build, done, act, danger = false }) {
  const click = async () => {
    if (!(await loggedIn())) return;
    const same = h("div", { class: "same" });
    same.addEventListener("click", (event) => event.target.handlers?.click?.());
    open(title, [about && h("p", {}, about), fields.map(field), same], submit,
      async (values) => {
        const request = build(values);
        const answer = await ask(request.method, request.where, request.body);
        await act(async () => answer, done ?? `${title}: done.`);
      },
      (values) => {
        const request = build(values);
        update(same,
          h("h3", { "data-key": "python-title" }, "The same in Python"), h("div", { "data-key": `python ${request.python}` }, copied(request.python)),
          h("h3", { "data-key": "curl-title" }, "The same with curl"), h("div", { "data-key": `curl ${JSON.stringify(request.body)} ${request.where}` }, copied(curl(request, session.needs_token))));
      });
  };
  return h("button", { type: "button", class: danger ? "small danger" : "small", on: { click } }, text);
}

/** A field of a form: text, or a choice; with `when` it is shown while another one is among some values. */
function field({ name, label, value = "", choices, required = false, placeholder, when }) {
  const input = choices
    ? h("select", { name }, choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text)))
    : h("input", { name, value, required, placeholder, autocomplete: "off", spellcheck: "false" });
  return h("label", when ? { "data-when": when[0], "data-among": when[1].join(" ") } : {}, label, input);
}

const post = (parts, body, code) => ({ method: "POST", where: path(parts), body, python: code });
const brokers = (ids, first) => [["", first], ...ids.map((id) => [String(id), `broker ${id}`])];
const to = (value) => (value ? { to: Number(value) } : {});
const toText = (value) => (value ? `, to=${value}` : "");

export const clockCommands = (context, mode) => [
  command("Advance", {
    title: "Advance the clock", ...context, about: "Runs every timer up to the new time, in order: timeouts, expiry, retention.",
    fields: [{ name: "by", label: "By", value: "1m", required: true, placeholder: "250ms, 90s, 7d" }],
    build: ({ by }) => post(["clock", "advance"], { by }, `cluster.clock.advance(${python(by)})`),
    done: "The clock was advanced.",
  }),
  mode === "manual"
    ? command("Resume", { title: "Resume the clock", ...context, build: () => ({ method: "PUT", where: "/clock", body: { frozen: false }, python: "cluster.clock.resume()" }) })
    : command("Freeze", { title: "Freeze the clock", ...context, build: () => ({ method: "PUT", where: "/clock", body: { frozen: true }, python: "cluster.clock.freeze()" }) }),
];

/** Commands of a transactional id. */
export function transactionCommands(id, context) {
  const of = `cluster.transaction(${python(id)})`;
  const one = (name, text, call, title, about) =>
    command(text, { title, about, ...context, build: () => post(["transactions", id, name], undefined, `${of}.${call}()`) });
  return [
    one("hold-ending", "Hold the end", "hold_ending", "Hold the end of the transaction", "The next commit or abort stays in PrepareCommit or PrepareAbort, until its steps are run."),
    one("step", "Step", "step", "Run the next held step", "Writes one marker, or the completion record."),
    one("release", "Release", "release", "Run all held steps", "And holds no more."),
    one("abort", "Abort", "abort", "Abort the transaction", "As its coordinator does when the transaction times out: its producer is fenced."),
    command("Move the coordinator", {
      title: "Move the coordinator", ...context, fields: [{ name: "to", label: "To", choices: brokers(context.brokers, "the next replica") }],
      build: (values) => post(["coordinators", "move"], { transactional_id: id, ...to(values.to) }, `cluster.move_coordinator(${python(id)}${toText(values.to)})`),
    }),
    command("Expire", { title: "Expire the transactional id", ...context, danger: true, build: () => post(["transactions", id, "expire"], undefined, `cluster.expire_transactional_id(${python(id)})`) }),
  ];
}

/** Commands of a group. */
export function groupCommands(id, context) {
  const of = `cluster.group(${python(id)})`;
  const member = { name: "member", label: "Member", choices: context.members.map((each) => [each, each]) };
  return [
    command("Hold assignments", { title: "Hold the members' assignments", ...context, build: () => post(["groups", id, "hold-reconciliation"], undefined, `${of}.hold_reconciliation()`) }),
    context.members.length > 0 && command("Step", { title: "Let one member go on", fields: [member], ...context, build: (values) => post(["groups", id, "step"], { member_id: values.member }, `${of}.step(${python(values.member)})`) }),
    command("Release", { title: "Release the members", ...context, build: () => post(["groups", id, "release"], undefined, `${of}.release()`) }),
    context.members.length > 0 && command("Fence", { title: "Fence a member", danger: true, fields: [member], ...context, build: (values) => post(["groups", id, "fence"], { member_id: values.member }, `${of}.fence(${python(values.member)})`) }),
    command("Move the coordinator", {
      title: "Move the coordinator", ...context, fields: [{ name: "to", label: "To", choices: brokers(context.brokers, "the next replica") }],
      build: (values) => post(["coordinators", "move"], { group: id, ...to(values.to) }, `cluster.move_coordinator(group=${python(id)}${toText(values.to)})`),
    }),
  ];
}

/** The election of a partition's leader. */
export const elect = (topic, partition, replicas, context) =>
  command("Elect a leader", {
    title: `Elect a leader of ${topic}-${partition}`, ...context,
    fields: [{ name: "to", label: "New leader", choices: brokers(replicas, "the next replica") }],
    build: (values) => post(["elect"], { topic, partition, ...to(values.to) }, `cluster.partition(${python(topic)}, ${partition}).elect(${values.to ?? ""})`),
  });

const BROKER = { running: [["kill", "Kill", "kill"], ["stop", "Stop", "stop_broker"], ["isolate", "Isolate", "isolate"]], killed: [["start", "Start", "start"]], stopped: [["start", "Start", "start"]], isolated: [["rejoin", "Rejoin", "rejoin"]] };

/** Commands of a broker, by its state. */
export const brokerCommands = (broker, context) =>
  (BROKER[broker.state] ?? []).map(([name, text, call]) =>
    command(text, { title: `${text} broker ${broker.id}`, ...context, danger: name === "kill", build: () => post(["brokers", String(broker.id), name], undefined, `cluster.${call}(${broker.id})`) }));

/** Commands of a fault. */
export function faultCommands(fault, context) {
  const find = `fault = next(each for each in cluster.faults if each.name == ${python(fault.id)})`;
  return [
    fault.held > 0 && command("Release", { title: `Release what ${fault.id} holds`, ...context, build: () => post(["faults", fault.id, "release"], undefined, `${find}\nfault.release()`) }),
    command("Remove", { title: `Remove the fault ${fault.id}`, ...context, build: () => ({ method: "DELETE", where: path(["faults", fault.id]), python: `${find}\nfault.remove()` }) }),
  ];
}

// The form for a fault: it offers what calls of an API can carry, and nothing else.

import { command, python } from "./commands.js";
import { get, path } from "./api.js";
import { h } from "./dom.js";

const NUMBERS = new Set(["version", "partition", "producer_id", "producer_epoch", "base_sequence", "broker", "connection"]);
const EFFECTS = {
  answer: { value: "error", python: (error) => `answer(${python(error)})` },
  apply_then_answer: { value: "error", python: (error) => `apply_then_answer(${python(error)})` },
  delay: { value: "duration", python: (by) => `delay(${python(by)})` },
  throttle: { value: "duration", python: (by) => `throttle(${python(by)})` },
  lose_response: { json: "after_apply" },
  drop_request: { json: "before_apply" },
  hold: { json: "request" },
  hold_response: { json: "after_apply" },
};
const TRIGGERS = { once: null, every_time: null, times: "number", on_call: "number", with_probability: "probability" };

/** The choice of an API, and the form for its faults. */
export function faultForm(form, { act, choose }) {
  const apis = form.apis.map((api) => [api, api]);
  return h("div", { class: "row" },
    h("label", {}, "API", h("select", { name: "api", on: { change: (_event, select) => choose(select.value) } }, apis.map(([key, text]) => h("option", { value: key, selected: key === form.api }, text)))),
    command("Add a fault", {
      title: `Add a fault on ${form.api}`, act,
      about: `Only what calls of ${form.api} can carry is offered. Selectors that stay empty match anything.`,
      fields: [
        { name: "id", label: "Name", placeholder: "chosen by the cluster" },
        { name: "effect", label: "Effect", choices: form.effects.map((name) => [name, name.replaceAll("_", " ")]), value: form.effects.includes("lose_response") ? "lose_response" : form.effects[0] },
        form.errors.length > 0 && { name: "error", label: "Error", when: ["effect", ["answer", "apply_then_answer"]], choices: form.errors.map((name) => [name, name]) },
        { name: "duration", label: "Duration", value: "250ms", when: ["effect", ["delay", "throttle"]] },
        { name: "trigger", label: "Fires", choices: form.triggers.map((name) => [name, name.replaceAll("_", " ")]) },
        { name: "number", label: "Number of calls", value: "2", when: ["trigger", ["times", "on_call"]] },
        { name: "probability", label: "Probability", value: "0.5", when: ["trigger", ["with_probability"]] },
        ...form.selectors.map((name) => ({ name: `match-${name}`, label: `Only ${name.replaceAll("_", " ")}` })),
      ].filter(Boolean),
      build: (values) => request(form.api, values),
      done: "The fault was added.",
    }));
}

function request(api, values) {
  const match = { api };
  for (const [name, value] of Object.entries(values)) {
    const selector = name.replace(/^match-/, "");
    if (name !== selector && value !== "") match[selector] = NUMBERS.has(selector) ? Number(value) : value;
  }
  const kind = EFFECTS[values.effect] ?? { json: true };
  const effect = { [values.effect]: kind.value ? values[kind.value] : (kind.json ?? true) };
  const field = TRIGGERS[values.trigger];
  const trigger = { [values.trigger]: field ? Number(values[field]) : true };
  const body = { ...(values.id ? { id: values.id } : {}), match, trigger, effect };
  const selectors = Object.entries(match).slice(1).map(([name, value]) => `, ${name}=${python(value)}`).join("");
  const name = values.id ? `, name=${python(values.id)}` : "";
  const does = kind.value ? kind.python(values[kind.value]) : `${values.effect}()`;
  const fires = `${values.trigger}(${field ? values[field] : ""})`;
  return { method: "POST", where: "/faults", body, python: `cluster.fault(${python(api)}${selectors}${name}).${does}.${fires}` };
}

/** Load the choices for an API. */
export const loadFaultForm = (api) => get(path(["views", "fault-form"], { api }));
